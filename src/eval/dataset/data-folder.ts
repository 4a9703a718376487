import { createDiagnostic } from "../../diagnostics/diagnostic.js";
import { EvaluationDataError } from "../../diagnostics/errors.js";
import type { DataFile } from "./json-lines.js";

/** A folder with data files. Tests and other platforms bring their own. */
export interface DataFolder {
  /** Name for people. */
  readonly name: string;
  /** Returns the text of a file; undefined if it does not exist. */
  read(file: string): Promise<DataFile | undefined>;
  /** A folder inside, which need not exist. */
  folder(name: string): DataFolder;
}

/**
 * A folder of the disk.
 *
 * @example
 * ```ts
 * const data = openDataFolder("../data");
 * const samples = await loadModeration(data.folder("moderation"));
 * ```
 */
export function openDataFolder(path: string): DataFolder {
  const trimmed = path.replace(/(?<=.)[/\\]+$/, "");
  return {
    name: trimmed,
    read: async (file) => {
      const { readFile } = await import("node:fs/promises");
      const name = `${trimmed}/${file}`;
      try {
        return { name, text: await readFile(name, "utf8") };
      } catch (error) {
        const code = (error as { code?: unknown }).code;
        if (code === "ENOENT" || code === "ENOTDIR") return undefined;
        throw new EvaluationDataError([
          createDiagnostic("EV-101", `the file cannot be read: ${String(code ?? error)}`, { path: name }),
        ]);
      }
    },
    folder: (name) => openDataFolder(`${trimmed}/${name}`),
  };
}

/** A folder in memory: file names with `/` in them lie in folders. */
export function memoryDataFolder(files: Readonly<Record<string, string>>, name = "data"): DataFolder {
  return {
    name,
    read: (file) => {
      const text = Object.hasOwn(files, file) ? files[file] : undefined;
      return Promise.resolve(text === undefined ? undefined : { name: `${name}/${file}`, text });
    },
    folder: (below) => {
      const prefix = `${below}/`;
      const inside = Object.entries(files).filter(([file]) => file.startsWith(prefix));
      const shorter = inside.map(([file, text]) => [file.slice(prefix.length), text]);
      return memoryDataFolder(Object.fromEntries(shorter) as Record<string, string>, `${name}/${below}`);
    },
  };
}

/**
 * Returns the first of these files that exists.
 *
 * @throws EvaluationDataError that names the expected files
 */
export async function requireFile(folder: DataFolder, ...names: readonly string[]): Promise<DataFile> {
  const file = await readFirst(folder, names);
  if (file === undefined) throw missingData(folder, names);
  return file;
}

/** Returns the first of these files that exists, if any. */
export async function readFirst(folder: DataFolder, names: readonly string[]): Promise<DataFile | undefined> {
  for (const name of names) {
    const file = await folder.read(name);
    if (file !== undefined) return file;
  }
  return undefined;
}

/** The diagnostic for a folder without usable files. */
export function missingData(folder: DataFolder, names: readonly string[]): EvaluationDataError {
  const quoted = names.map((name) => `\`${name}\``);
  const wanted = [quoted.slice(0, -1).join(", "), quoted.at(-1)].filter(Boolean).join(" or ");
  return new EvaluationDataError([
    createDiagnostic("EV-101", `there is no ${wanted}`, {
      path: folder.name,
      hint: "evaluation data is not part of the package; docs/evaluation.md names its sources",
    }),
  ]);
}

const FILES = ["dev.jsonl", "all.jsonl", "false-premise.jsonl"] as const;

/**
 * The data sets in a folder: the folder itself if it is one, otherwise its subfolders with the given names.
 *
 * @throws EvaluationDataError if there is none
 *
 * @example
 * ```ts
 * const folders = await findDatasets(openDataFolder("./data"), ["banking77", "chitchat"]);
 * ```
 */
export async function findDatasets(folder: DataFolder, names: readonly string[]): Promise<readonly DataFolder[]> {
  if (await isDataset(folder)) return [folder];
  const inside = names.map((name) => folder.folder(name));
  const found = await Promise.all(inside.map(isDataset));
  if (!found.includes(true)) throw missingData(folder, [...names.map((name) => `${name}/`), ...FILES]);
  return inside.filter((_, index) => found[index]);
}

async function isDataset(folder: DataFolder): Promise<boolean> {
  return (await readFirst(folder, FILES)) !== undefined;
}
