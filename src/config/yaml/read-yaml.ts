import type * as JsYaml from "js-yaml";

import { createDiagnostic, type Diagnostic, report } from "../../diagnostics/diagnostic.js";
import { type SourceFile, createSpan, type Span } from "../../diagnostics/source-file.js";
import { looksLikeColang } from "./file-kind.js";
import {
  countValues,
  EMPTY_MAP,
  MAX_DEPTH,
  MAX_VALUES,
  type RawMap,
  firstLineOf,
  FORBIDDEN_KEY,
  type RawEntry,
  type RawNode,
  rawMap,
} from "./raw-node.js";
import { readPositions, type MapPosition, type Position } from "./positions.js";
import { describeSyntaxError } from "./syntax-error.js";

type Yaml = typeof JsYaml;

interface YamlResult {
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

/**
 * Joins values with their places. Returns nothing when the data has no end (an alias inside its own anchor) or nests too
 * deeply, which aliases of aliases can do in a text that does not.
 * INVARIANT: data that aliases share stays shared, so the tree is no larger than the text it was written in.
 */
function buildRawTree(
  value: unknown,
  position: Position | undefined,
  source: SourceFile,
  problems: Diagnostic[],
): RawNode | undefined {
  const builder = new TreeBuilder(source, problems);
  const tree = builder.build(value, position).node;
  return builder.failed ? undefined : tree;
}

interface Built {
  readonly node: RawNode;
  /** Levels of nesting below and including this node. */
  readonly height: number;
}

class TreeBuilder {
  failed = false;
  readonly #source: SourceFile;
  readonly #problems: Diagnostic[];
  readonly #done = new Map<object, Built>();
  readonly #open = new Set<object>();

  constructor(source: SourceFile, problems: Diagnostic[]) {
    this.#source = source;
    this.#problems = problems;
  }

  build(value: unknown, at: Position | undefined): Built {
    const span = at && createSpan(this.#source, at.start, at.end);
    if (typeof value !== "object" || value === null) return { node: { kind: "scalar", value, span }, height: 0 };
    const before = this.#done.get(value);
    if (before) return before;
    if (this.#open.has(value)) {
      return this.#fail(
        createDiagnostic("CF-102", "an alias inside the value it refers to", { span: firstLineOf(span) }),
      );
    }
    this.#open.add(value);
    const built = Array.isArray(value) ? this.#list(value, at, span) : this.#map(value, at, span);
    this.#open.delete(value);
    this.#done.set(value, built);
    if (built.height + this.#open.size <= MAX_DEPTH) return built;
    return this.#fail(
      createDiagnostic("CF-118", `settings must not nest deeper than ${MAX_DEPTH} levels`, { span: firstLineOf(span) }),
    );
  }

  #fail(problem: Diagnostic): Built {
    if (!this.failed) this.#problems.push(problem);
    this.failed = true;
    return { node: { kind: "scalar", value: null }, height: 0 };
  }

  /** INVARIANT: recursion stops at the depth limit even before any height is known. */
  #child(value: unknown, at: Position | undefined): Built {
    if (this.failed || this.#open.size <= MAX_DEPTH) return this.build(this.failed ? null : value, at);
    return this.#fail(createDiagnostic("CF-118", `settings must not nest deeper than ${MAX_DEPTH} levels`));
  }

  #list(items: readonly unknown[], at: Position | undefined, span: Span | undefined): Built {
    let height = 0;
    const nodes = items.map((item, index) => {
      const built = this.#child(item, at?.kind === "list" ? at.items[index] : undefined);
      height = Math.max(height, built.height);
      return built.node;
    });
    return { node: { kind: "list", items: nodes, span }, height: height + 1 };
  }

  #map(map: object, at: Position | undefined, span: Span | undefined): Built {
    const entries: [string, RawEntry][] = [];
    let height = 0;
    for (const [key, child] of Object.entries(map)) {
      const found = at?.kind === "map" ? findEntry(at, key, new Set()) : undefined;
      const keySpan = found?.keySpan;
      if (key === "__proto__") {
        report(this.#problems, "CF-103", FORBIDDEN_KEY, { span: keySpan });
      } else {
        const built = this.#child(child, found?.value);
        height = Math.max(height, built.height);
        entries.push([key, { keySpan, value: built.node }]);
      }
    }
    return { node: rawMap(entries, span), height: height + 1 };
  }
}

/** A key of the map itself, or of what `<<` brought in. */
function findEntry(map: MapPosition, key: string, seen: Set<MapPosition>): ReturnType<MapPosition["entries"]["get"]> {
  const own = map.entries.get(key);
  if (own || seen.has(map)) return own;
  seen.add(map);
  for (const merged of map.merged) {
    for (const source of merged.kind === "list" ? merged.items : [merged]) {
      const found = source?.kind === "map" ? findEntry(source, key, seen) : undefined;
      if (found) return found;
    }
  }
  return undefined;
}
