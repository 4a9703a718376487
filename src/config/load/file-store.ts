/** A file below a folder. */
export interface FoundFile {
  /** Path below the folder, with `/` as separator. */
  readonly relative: string;
  /** Path that the store reads. */
  readonly path: string;
  /** Identity of the file, however it was reached. */
  readonly identity: string;
  /** Reason why it cannot be read, if known. */
  readonly broken?: string;
}

export type FileText =
  | { readonly text: string }
  | { readonly problem: "missing" | "too-large" | "not-text" | "unreadable"; readonly reason?: string };

/** A source of configuration files: a disk, or files in memory. */
export interface FileStore {
  /** Separator in a list of folders. */
  readonly listSeparator: string;
  resolve(folder: string, path: string): string;
  /** Returns the parent folder of a path; a root is its own parent. */
  parentOf(path: string): string;
  nameOf(path: string): string;
  kindOf(path: string): Promise<"file" | "folder" | undefined>;
  identityOf(path: string): Promise<string>;
  /** Returns true for a path below an existing folder, with all links resolved. */
  contains(folder: string, path: string): Promise<boolean>;
  /** Returns all files below a folder, ordered by relative path; undefined if there are more than `maximum`. */
  list(folder: string, maximum: number): Promise<readonly FoundFile[] | undefined>;
  read(path: string, maximumBytes: number): Promise<FileText>;
  /** The URL of the file for `import()`; undefined for files in memory. */
  moduleUrl(path: string): string | undefined;
}

/** Returns true for folders without configuration: packages and hidden folders. */
export function isSkippedFolder(name: string): boolean {
  return name === "node_modules" || name.startsWith(".");
}

export function byRelativePath(a: FoundFile, b: FoundFile): number {
  return a.relative < b.relative ? -1 : a.relative > b.relative ? 1 : 0;
}

export interface CodeFile {
  /** The displayed name. */
  readonly name: string;
  readonly path: string;
}

/** Files with code in a configuration folder. */
export interface CodeFiles {
  readonly config?: CodeFile;
  /** In load order. */
  readonly actions: readonly CodeFile[];
}

export const NO_CODE: CodeFiles = { actions: [] };

const EXTENSIONS = [".js", ".mjs", ".cjs", ".ts", ".mts"];

/** Finds `config.*`, `actions.*` and `actions/**`. Compiled files take precedence over their sources. */
export function selectCode(files: readonly FoundFile[], nameOf: (relative: string) => string): CodeFiles {
  const chosen = new Map<string, { readonly file: CodeFile; readonly rank: number }>();
  for (const { relative, path } of files) {
    const rank = EXTENSIONS.findIndex((extension) => relative.endsWith(extension));
    const stem = relative.slice(0, relative.lastIndexOf("."));
    const isCode = stem === "config" || stem === "actions" || stem.startsWith("actions/");
    if (rank === -1 || !isCode || stem.endsWith(".d")) continue;
    const present = chosen.get(stem);
    if (!present || rank < present.rank) chosen.set(stem, { file: { name: nameOf(relative), path }, rank });
  }
  const config = chosen.get("config")?.file;
  const single = chosen.get("actions")?.file;
  const nested = [...chosen].filter(([stem]) => stem.startsWith("actions/")).map(([, { file }]) => file);
  return { ...(config ? { config } : {}), actions: single ? [...nested, single] : nested };
}
