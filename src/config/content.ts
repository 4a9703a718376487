import { createDiagnostic } from "../diagnostics/diagnostic.js";
import type { ConfigContent } from "./load.js";
import { createMemoryStore, normalizePath } from "./memory-store.js";
import { mergeRaw } from "./merge.js";
import { rawFromValue } from "./raw-node.js";
import { readFolder, type Reading, type Unit } from "./unit.js";

/** Reads a configuration given as text and data as if it lay in a folder. */
export async function readContent(content: ConfigContent, reading: Reading): Promise<Unit> {
  const root = await readFolder(createMemoryStore(gatherFiles(content, reading)), "", "", reading);
  if (content.config === undefined) return root;
  const given = rawFromValue(content.config, reading.problems);
  if (given.kind === "map") return { ...root, raw: mergeRaw(root.raw, given, { winner: "second" }) };
  reading.problems.push(createDiagnostic("CF-104", "`config` must be an object with the keys of a configuration"));
  return root;
}

function gatherFiles({ yaml, colang, files = {} }: ConfigContent, { problems }: Reading): Map<string, string> {
  const gathered = new Map<string, string>();
  const add = (name: string, text: unknown, label: string): void => {
    if (typeof text !== "string") {
      problems.push(createDiagnostic("CF-104", `${label} must be text`, { path: name }));
    } else if (gathered.has(name)) {
      problems.push(createDiagnostic("CF-106", `the file \`${name}\` is given twice`, { path: name }));
    } else gathered.set(name, text);
  };
  if (yaml !== undefined) add("config.yml", yaml, "`yaml`");
  if (colang !== undefined) add("main.co", colang, "`colang`");
  for (const [name, text] of Object.entries(files)) {
    const path = normalizePath(name);
    if (path) add(path, text, `the file \`${name}\``);
    else
      problems.push(createDiagnostic("CF-101", `\`${name}\` is not a path inside the configuration`, { path: name }));
  }
  return gathered;
}
