import type * as JsYaml from "js-yaml";

import { createDiagnostic, type Diagnostic } from "../../diagnostics/diagnostic.js";
import type { SourceFile } from "../../diagnostics/source-file.js";
import { createSpan } from "../../diagnostics/span.js";
import { looksLikeColang } from "../load/file-kind.js";
import { countValues, EMPTY_MAP, MAX_DEPTH, MAX_VALUES, type RawMap } from "./raw-node.js";
import { readPositions } from "./positions.js";
import { describeSyntaxError } from "./syntax-error.js";
import { buildRawTree } from "./tree.js";

type Yaml = typeof JsYaml;

export interface YamlResult {
  /** Absent when the text cannot be read at all. */
  readonly root?: RawMap;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Reads one YAML file of a configuration: YAML 1.2 with merge keys, one document, keys and values at its root. An empty
 * file is an empty configuration.
 *
 * @example
 * ```ts
 * const { root, diagnostics } = await readYaml(createSourceFile("config.yml", "models: []"));
 * ```
 */
export async function readYaml(source: SourceFile): Promise<YamlResult> {
  const yaml = await import("js-yaml");
  let events: JsYaml.Event[];
  try {
    events = yaml.parseEvents(source.text, { maxDepth: MAX_DEPTH });
  } catch (error) {
    return { diagnostics: [describeSyntaxError(source, error)] };
  }
  const positions = readPositions(events, source, yaml);
  if (positions.documents === 0) return { root: EMPTY_MAP, diagnostics: [] };
  if (positions.problems.length > 0) return { diagnostics: positions.problems };
  return constructTree(yaml, source, events, positions);
}

function constructTree(
  yaml: Yaml,
  source: SourceFile,
  events: JsYaml.Event[],
  positions: ReturnType<typeof readPositions>,
): YamlResult {
  let value: unknown;
  try {
    [value] = yaml.constructFromEvents(events, {
      source: source.text,
      schema: yaml.CORE_SCHEMA.withTags(yaml.mergeTag),
      json: positions.duplicates.length > 0,
    });
  } catch (error) {
    return { diagnostics: [...positions.duplicates, describeSyntaxError(source, error)] };
  }
  const problems = [...positions.duplicates];
  if (value === null || value === undefined) return { root: EMPTY_MAP, diagnostics: problems };
  const tree = buildRawTree(value, positions.root, source, problems);
  if (tree === undefined) return { diagnostics: problems };
  if (tree.kind !== "map") return { diagnostics: [wrongRoot(source, tree.kind)] };
  if (countValues(tree) > MAX_VALUES) {
    const message = `\`${source.name}\` stands for more than ${MAX_VALUES} values`;
    const hint = "aliases that refer to aliases multiply; write the values out or split the file";
    return { diagnostics: [createDiagnostic("CF-118", message, { path: source.name, hint })] };
  }
  return { root: tree, diagnostics: problems };
}

function wrongRoot(source: SourceFile, kind: "list" | "scalar"): Diagnostic {
  const colang = looksLikeColang(source);
  if (colang) return colang;
  const start = source.text.search(/\S/);
  const found = kind === "list" ? "a list" : "text";
  return createDiagnostic("CF-104", `a configuration must be keys and values, not ${found}`, {
    span: createSpan(source, start, start + 1),
    hint: "begin with a key such as `models:` or `rails:`",
  });
}
