import type * as JsYaml from "js-yaml";

import type { DiagnosticCode } from "../../diagnostics/codes.js";
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
import { type EntryPosition, type Position, readPositions } from "./positions.js";
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

interface Built {
  readonly node: RawNode;
  /** Levels of nesting below and including this node. */
  readonly height: number;
}

const TOO_DEEP = `settings must not nest deeper than ${MAX_DEPTH} levels`;

/**
 * Joins values with their places. Returns nothing when the data has no end (an alias inside its own anchor) or nests too
 * deeply, which aliases of aliases can do in a text that does not.
 * INVARIANT: data that aliases share stays shared, so the tree is no larger than the text it was written in.
 */
function buildRawTree(
  root: unknown,
  position: Position | undefined,
  source: SourceFile,
  problems: Diagnostic[],
): RawNode | undefined {
  let failed = false;
  const done = new Map<object, Built>();
  const open = new Set<object>();
  const fail = (code: DiagnosticCode, message: string, span?: Span): Built => {
    if (!failed) report(problems, code, message, { span: firstLineOf(span) });
    failed = true;
    return { node: { kind: "scalar", value: null }, height: 0 };
  };
  const build = (value: unknown, at: Position | undefined): Built => {
    const span = at && createSpan(source, at.start, at.end);
    if (typeof value !== "object" || value === null) return { node: { kind: "scalar", value, span }, height: 0 };
    const before = done.get(value);
    if (before) return before;
    if (open.has(value)) return fail("CF-102", "an alias inside the value it refers to", span);
    open.add(value);
    const built = Array.isArray(value) ? buildList(value, at, span) : buildMap(value, at, span);
    open.delete(value);
    done.set(value, built);
    return built.height + open.size <= MAX_DEPTH ? built : fail("CF-118", TOO_DEEP, span);
  };
  /** INVARIANT: recursion stops at the depth limit even before any height is known. */
  const child = (value: unknown, at: Position | undefined): Built => {
    return failed || open.size <= MAX_DEPTH ? build(failed ? null : value, at) : fail("CF-118", TOO_DEEP);
  };
  const buildList = (values: readonly unknown[], at: Position | undefined, span: Span | undefined): Built => {
    const items = values.map((item, index) => child(item, at?.items?.[index]));
    const height = 1 + items.reduce((greatest, item) => Math.max(greatest, item.height), 0);
    return { node: { kind: "list", items: items.map(({ node }) => node), span }, height };
  };
  const buildMap = (map: object, at: Position | undefined, span: Span | undefined): Built => {
    const entries: [string, RawEntry][] = [];
    let height = 1;
    for (const [key, value] of Object.entries(map)) {
      const found = at && findEntry(at, key, new Set());
      const keySpan = found?.keySpan;
      if (key === "__proto__") report(problems, "CF-103", FORBIDDEN_KEY, { span: keySpan });
      else {
        const built = child(value, found?.value);
        height = Math.max(height, built.height + 1);
        entries.push([key, { keySpan, value: built.node }]);
      }
    }
    return { node: rawMap(entries, span), height };
  };
  const { node } = build(root, position);
  return failed ? undefined : node;
}

/** A key of the map itself, or of what `<<` brought in. */
function findEntry({ entries, merged = [] }: Position, key: string, seen: Set<Position>): EntryPosition | undefined {
  const own = entries?.get(key);
  if (own) return own;
  for (const source of merged.flatMap((each) => each.items ?? [each])) {
    if (source === undefined || seen.has(source)) continue;
    const found = findEntry(source, key, seen.add(source));
    if (found) return found;
  }
  return undefined;
}
