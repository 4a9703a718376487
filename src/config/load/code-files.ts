import type { FoundFile } from "./file-store.js";

export interface CodeFile {
  /** The shown name. */
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

/**
 * Finds `config.*`, `actions.*` and `actions/**`. Of a source and the file it was compiled to, the compiled one is taken.
 */
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
