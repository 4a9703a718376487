import { createDiagnostic } from "../../diagnostics/diagnostic.js";
import { openDisk } from "./disk-store.js";
import { type Environment, variable } from "../environment.js";
import type { FileStore } from "./file-store.js";
import { type ImportOptions, readImports } from "./imports.js";
import { mergeRaw } from "../merge/merge.js";
import type { ColangSource, KnowledgeDocument } from "../rails-config.js";
import { EMPTY_MAP, type RawMap, rawMap } from "../yaml/raw-node.js";
import { readFolder, type Reading, type Unit } from "./unit.js";

export interface Whole {
  /** The configuration itself, then what it imports. */
  readonly units: readonly Unit[];
  readonly raw: RawMap;
  readonly colang: readonly ColangSource[];
  readonly documents: readonly KnowledgeDocument[];
}

/** Adds imports and prompts of the environment to a configuration. What is written closer to it wins. */
export async function assemble(
  root: Unit,
  disk: FileStore | undefined,
  options: ImportOptions,
  reading: Reading,
): Promise<Whole> {
  const units = [root, ...(await readImports(root, disk, options, reading))];
  let raw = EMPTY_MAP;
  for (const unit of units) raw = mergeRaw(raw, unit.raw, { winner: "first" });
  raw = mergeRaw(raw, await readPromptFolder(disk, options.env, reading), { winner: "first" });
  return {
    units,
    raw,
    colang: units.flatMap(({ colang }, index) =>
      colang.map((source): ColangSource => ({ source, origin: index === 0 ? "root" : "import" })),
    ),
    documents: units.flatMap(({ documents }) => documents),
  };
}

const PROMPT_VARIABLES = ["LANGCHAIN_GUARDRAILS_PROMPTS_DIR", "PROMPTS_DIR"] as const;

/** Prompts for every configuration of this process; a configuration's own prompts win over them. */
async function readPromptFolder(given: FileStore | undefined, env: Environment, reading: Reading): Promise<RawMap> {
  const name = PROMPT_VARIABLES.find((candidate) => variable(env, candidate) !== undefined);
  const folder = name === undefined ? undefined : variable(env, name);
  if (name === undefined || folder === undefined) return EMPTY_MAP;
  const disk = given ?? (await openDisk());
  const full = disk?.resolve("", folder);
  if (!disk || full === undefined || (await disk.kindOf(full)) !== "folder") {
    const message = `the folder \`${folder}\` with prompts does not exist`;
    reading.problems.push(
      createDiagnostic("CF-101", message, { path: folder, hint: `the environment variable \`${name}\` names it` }),
    );
    return EMPTY_MAP;
  }
  const { raw } = await readFolder(disk, full, folder, reading);
  for (const [key, { keySpan }] of raw.entries) {
    if (key === "prompts") continue;
    reading.problems.push(
      createDiagnostic("CF-103", `unknown key \`${key}\` in a file of prompts`, {
        span: keySpan,
        hint: `files in \`${name}\` hold only \`prompts\``,
        path: key,
      }),
    );
  }
  const prompts = raw.entries.get("prompts");
  return prompts ? rawMap([["prompts", prompts]]) : EMPTY_MAP;
}
