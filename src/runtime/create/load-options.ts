import type { LoadOptions } from "../../config/load/load-options.js";
import { LIBRARY_PROMPTS } from "../../library/assets.js";
import { PROMPT_CATALOG } from "../../llm/catalog/catalog.js";
import { TASK_ALIASES } from "../../llm/prompts/task-prompts.js";
import { findImports } from "../colang2/compile/library-place.js";
import { parseSource } from "../colang1/compile/parse-source.js";

/** Keys of `rails.config` that rails of this release read. */
const RAIL_SETTINGS: ReadonlySet<string> = new Set(["tools"]);

/** Knowledge of the dialects and of the package's prompts, which loading a configuration needs. */
export function engineLoadOptions(): Pick<LoadOptions, "colangImports" | "builtInTasks" | "knownRailSettings"> {
  return {
    colangImports: (source, version) =>
      version === "2.x"
        ? findImports(source)
        : parseSource(source).file.imports.map(({ path, pathSpan, span }) => ({ path, span: pathSpan ?? span })),
    builtInTasks: new Set([...[...PROMPT_CATALOG, ...LIBRARY_PROMPTS].map(({ task }) => task), ...TASK_ALIASES.keys()]),
    knownRailSettings: RAIL_SETTINGS,
  };
}
