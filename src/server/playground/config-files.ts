import { openDisk } from "../../config/load/disk-store.js";
import { findIgnoreFile } from "../../config/load/unit.js";
import type { PlaygroundFile } from "./wire.js";

/** Maximum number of files of a configuration that the page shows, and their maximum sizes in bytes. */
const MAX_LISTED = 2_000;
const MAX_FILES = 200;
const MAX_FILE_BYTES = 262_144;
export const MAX_CONFIG_BYTES = 1_048_576;

const SHOWN = /\.(?:ya?ml|co|md)$/;

/** Reads the settings, flows and documents of a configuration. Skips other files, and links that leave the folder. */
export async function readConfigFiles(path: string | URL): Promise<readonly PlaygroundFile[]> {
  const disk = await openDisk();
  if (disk === undefined) return [];
  const root = disk.resolve("", path instanceof URL ? disk.pathOf(path) : path);
  const kind = await disk.kindOf(root);
  const isSingle = kind === "file";
  const found = isSingle
    ? [{ relative: disk.nameOf(root), path: root }]
    : kind === "folder"
      ? ((await disk.list(root, MAX_LISTED)) ?? [])
      : [];
  const isIgnored = isSingle ? () => false : await findIgnoreFile(disk, root);
  const files: PlaygroundFile[] = [];
  let left = MAX_CONFIG_BYTES;
  for (const { relative, path: full } of found) {
    if (!SHOWN.test(relative) || isIgnored(relative) || files.length >= MAX_FILES) continue;
    if (!isSingle && !(await disk.contains(root, full))) continue;
    const read = await disk.read(full, Math.min(left, MAX_FILE_BYTES));
    if (!("text" in read)) continue;
    left -= read.text.length;
    files.push({ path: relative, text: read.text });
  }
  return files;
}
