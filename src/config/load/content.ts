import { type Diagnostic, report } from "../../diagnostics/diagnostic.js";
import type { ConfigContent } from "./load-options.js";
import { didYouMean } from "../../diagnostics/suggestion.js";
import { mergeRaw } from "../merge/merge.js";
import { rawFromValue } from "../yaml/raw-node.js";
import { readFolder, type Reading, type Unit } from "./unit.js";
import { byRelativePath, type FileStore, isSkippedFolder } from "./file-store.js";

const CONTENT_KEYS = ["yaml", "colang", "files", "config"] as const;

/** Reads a configuration given as text and data as if it were a folder. */
export async function readContent(content: ConfigContent, reading: Reading): Promise<Unit> {
  const copy = attempt(reading, () => copyContent(content, reading)) ?? {};
  const root = await readFolder(createMemoryStore(gatherFiles(copy, reading)), "", "", reading);
  if (copy.config === undefined) return root;
  const given = attempt(reading, () => rawFromValue(copy.config, reading.problems));
  if (given === undefined) return root;
  if (given.kind === "map") return { ...root, raw: mergeRaw(root.raw, given, { winner: "second" }) };
  report(reading.problems, "CF-104", "`config` must be an object with the keys of a configuration");
  return root;
}

/** Reads a program's data, in which getters and proxies may throw. */
function attempt<Value>({ problems }: Reading, read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    const hint = "pass plain objects, arrays, strings, numbers and booleans";
    report(problems, "CF-104", "the configuration cannot be read: an object of it fails", { hint });
    return undefined;
  }
}

const CONTENT_HINT =
  "pass `{ yaml, colang }`, `{ files }` or `{ config }`, or the path of a folder to `Guardrails.fromPath`";

/** Reads every key once, since getters may throw and keys may be misspelt. */
function copyContent(content: unknown, { problems }: Reading): ConfigContent {
  if (typeof content !== "object" || content === null || Array.isArray(content)) {
    const found = Array.isArray(content) ? "an array" : `\`${String(content)}\``;
    const message = `expected a configuration as an object, got ${typeof content === "string" ? "a string" : found}`;
    report(problems, "CF-104", message, { hint: CONTENT_HINT });
    return {};
  }
  const keys = Object.keys(content);
  if (keys.length === 0) {
    report(problems, "CF-104", "expected a configuration, got an empty object", { hint: CONTENT_HINT });
  }
  const copy: Record<string, unknown> = {};
  for (const key of keys) {
    if (!CONTENT_KEYS.some((known) => known === key)) {
      const known = CONTENT_KEYS.map((name) => `\`${name}\``).join(", ");
      const message = `expected a configuration with the keys ${known}, got the key \`${key}\``;
      const hint = didYouMean(key, CONTENT_KEYS) ?? `settings belong under \`config\`: \`{ config: { ${key}: … } }\``;
      report(problems, "CF-103", message, { path: key, hint });
      continue;
    }
    copy[key] = readMember(content, key, key, problems);
  }
  return copy;
}

/** Returns the value of a property, whose getter may throw. */
function readMember(owner: object, name: string, path: string, problems: Diagnostic[]): unknown {
  try {
    return (owner as Readonly<Record<string, unknown>>)[name];
  } catch {
    report(problems, "CF-104", `the getter \`${name}\` failed`, { path });
    return undefined;
  }
}

function gatherFiles({ yaml, colang, files = {} }: ConfigContent, { problems }: Reading): Map<string, string> {
  const gathered = new Map<string, string>();
  const add = (name: string, text: unknown, label: string): void => {
    if (typeof text !== "string") {
      report(problems, "CF-104", `${label} must be text`, { path: name });
    } else if (gathered.has(name)) {
      report(problems, "CF-106", `the file \`${name}\` is given twice`, { path: name });
    } else gathered.set(name, text);
  };
  if (yaml !== undefined) add("config.yml", yaml, "`yaml`");
  if (colang !== undefined) add("main.co", colang, "`colang`");
  for (const [name, text] of filesOf(files, problems)) {
    const path = normalizePath(name);
    if (path) add(path, text, `the file \`${name}\``);
    else report(problems, "CF-101", `\`${name}\` is not a path inside the configuration`, { path: name });
  }
  return gathered;
}

function filesOf(files: unknown, problems: Diagnostic[]): readonly (readonly [string, unknown])[] {
  if (typeof files !== "object" || files === null || Array.isArray(files)) {
    report(problems, "CF-104", "`files` must be an object of texts by their paths", { path: "files" });
    return [];
  }
  return Object.keys(files).flatMap((name) => {
    const reported = problems.length;
    const text = readMember(files, name, `files.${name}`, problems);
    return problems.length > reported ? [] : [[name, text] as const];
  });
}

/**
 * Files in memory, for bundlers and edge runtimes. Paths use `/`, and the empty path is the root.
 *
 * @example
 * ```ts
 * const store = createMemoryStore(new Map([["rails/main.co", "define bot hi\n  \"Hi.\""]]));
 * ```
 */
function createMemoryStore(files: ReadonlyMap<string, string>): FileStore {
  const isFolder = (path: string): boolean => {
    if (path === "") return true;
    for (const name of files.keys()) if (name.startsWith(`${path}/`)) return true;
    return false;
  };
  return {
    listSeparator: ":",
    resolve: (folder, path) => normalizePath(path.startsWith("/") ? path : `${folder}/${path}`) ?? path,
    parentOf: (path) => path.slice(0, Math.max(0, path.lastIndexOf("/"))),
    nameOf: (path) => path.slice(path.lastIndexOf("/") + 1),
    kindOf: async (path) => (files.has(path) ? "file" : isFolder(path) ? "folder" : undefined),
    identityOf: async (path) => `memory:${path}`,
    contains: async (folder, path) => folder === "" || path.startsWith(`${folder}/`),
    list: async (folder, maximum) => {
      const prefix = folder === "" ? "" : `${folder}/`;
      const found = [...files.keys()]
        .filter((name) => name.startsWith(prefix))
        .map((name) => ({ relative: name.slice(prefix.length), path: name, identity: `memory:${name}` }))
        .filter(({ relative }) => !relative.split("/").slice(0, -1).some(isSkippedFolder))
        .sort(byRelativePath);
      return found.length > maximum ? undefined : found;
    },
    read: async (path, maximumBytes) => {
      const text = files.get(path);
      if (text === undefined) return { problem: "missing" };
      return text.length > maximumBytes ? { problem: "too-large" } : { text };
    },
    moduleUrl: () => undefined,
  };
}

/** Resolves `.` and `..` in a path; undefined if it leaves the root. */
function normalizePath(path: string): string | undefined {
  const parts: string[] = [];
  for (const part of path.replaceAll("\\", "/").split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join("/");
}
