import { openDisk } from "../config/load/disk-store.js";
import { selectCode } from "../config/load/file-store.js";
import { IGNORE_FILE } from "../config/load/ignore-file.js";
import { findIgnoreFile } from "../config/load/unit.js";

/** Maximum number of listed files. */
const MAX_FILES = 10_000;

/** Files that other diagnostics report. */
const NAMED = /\.py$/;

/**
 * Returns the files of a configuration folder that loading neither reads nor reports: those listed in `.railsignore`, and those
 * of other types.
 *
 * @param documents - folder of the knowledge base
 */
export async function unreadFiles(
  path: string,
  documents: string,
): Promise<{ readonly ignored: readonly string[]; readonly others: readonly string[] }> {
  const none = { ignored: [], others: [] };
  const disk = await openDisk();
  if (disk === undefined || (await disk.kindOf(path)) !== "folder") return none;
  const folder = disk.resolve("", path);
  const files = await disk.list(folder, MAX_FILES);
  if (files === undefined) return none;
  const isIgnored = await findIgnoreFile(disk, folder);
  const shown = files.filter(({ relative }) => !/(?:^|\/)\./.test(relative) && relative !== IGNORE_FILE);
  const ignored = shown.filter(({ relative }) => isIgnored(relative));
  const rest = shown.filter((file) => !ignored.includes(file));
  const { config, actions } = selectCode(rest, (relative) => relative);
  const code = new Set([...actions, ...(config === undefined ? [] : [config])].map(({ name }) => name));
  const inDocuments = `${documents.replace(/^\.\//, "").replace(/\/+$/, "")}/`;
  const others = rest.filter(
    ({ relative }) =>
      !/\.(?:ya?ml|co)$/.test(relative) &&
      !relative.startsWith(inDocuments) &&
      !code.has(relative) &&
      !NAMED.test(relative),
  );
  return { ignored: ignored.map(({ relative }) => relative), others: others.map(({ relative }) => relative) };
}
