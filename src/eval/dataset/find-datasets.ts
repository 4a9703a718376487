import { type DataFolder, missingData } from "./data-folder.js";

const FILES = ["dev.jsonl", "all.jsonl", "false-premise.jsonl"] as const;

/**
 * The data sets meant by a folder: the folder itself when it is one, else those of the given names inside it.
 *
 * @throws EvaluationDataError when there is none
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
  for (const file of FILES) if ((await folder.read(file)) !== undefined) return true;
  return false;
}
