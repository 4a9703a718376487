import type * as JsYaml from "js-yaml";
import type { Event, MappingEvent, ScalarEvent, SequenceEvent } from "js-yaml";

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
  isEmpty,
  type RawEntry,
  type RawNode,
} from "./raw-node.js";
import { EVENT_ID, type ParsedYaml, readPlainYaml, SCALAR_STYLE } from "./plain-yaml.js";

interface YamlResult {
  /** Absent if the text cannot be parsed. */
  readonly root?: RawMap;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Reads a YAML file of a configuration: YAML 1.2 with merge keys, one document with a map at its root. An empty file is
 * an empty configuration.
 *
 * @example
 * ```ts
 * const { root, diagnostics } = await readYaml(createSourceFile("config.yml", "models: []"));
 * ```
 */
export async function readYaml(source: SourceFile): Promise<YamlResult> {
  let parsed = readPlainYaml(source.text);
  if (parsed === undefined) {
    const yaml = await import("js-yaml");
    try {
      parsed = parseYaml(yaml, source.text);
    } catch (error) {
      const { describeSyntaxError } = await import("./syntax-error.js");
      return { diagnostics: [describeSyntaxError(source, error)] };
    }
  }
  const reader = new TreeReader(source, parsed.values);
  for (const event of parsed.events) reader.read(event);
  const { root, problems, failed } = reader;
  if (failed) return { diagnostics: problems };
  if (root === undefined || isEmpty(root)) return { root: EMPTY_MAP, diagnostics: problems };
  if (root.kind !== "map") return { diagnostics: [wrongRoot(source, root.kind)] };
  if (countValues(root) > MAX_VALUES) {
    const message = `\`${source.name}\` stands for more than ${MAX_VALUES} values`;
    const hint = "aliases that refer to aliases multiply; write the values out or split the file";
    return { diagnostics: [createDiagnostic("CF-118", message, { path: source.name, hint })] };
  }
  return { root, diagnostics: problems };
}

/**
 * Events of a text, the plain values of all scalars, and empty values of tagged collections.
 *
 * @throws YAMLException of `js-yaml`
 */
export function parseYaml(yaml: typeof JsYaml, source: string): ParsedYaml {
  const events = yaml.parseEvents(source, { maxDepth: MAX_DEPTH });
  const [document] = events;
  if (document === undefined) return { events, values: [] };
  const pop = { type: EVENT_ID.POP } as const;
  const inside = events.flatMap((event): Event[] => {
    if (event.type === EVENT_ID.SCALAR) return [event];
    return "tagStart" in event && event.tagStart >= 0 ? [event, pop] : [];
  });
  const none = { start: 0, anchorStart: -1, anchorEnd: -1, tagStart: -1, tagEnd: -1 };
  const list = { ...none, type: EVENT_ID.SEQUENCE, style: yaml.COLLECTION_STYLE.FLOW };
  const [values] = yaml.constructFromEvents([document, list, ...inside, pop, pop], { source });
  return { events, values: values as readonly unknown[] };
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

/** A value being read, or the target of an anchor. */
interface Value {
  readonly start: number;
  /** Entries of a map. */
  readonly entries?: Map<string, RawEntry>;
  /** Items of a list. */
  readonly items?: RawNode[];
  /** Key of a map that has no value yet. */
  key?: { readonly text: string; readonly span: Span; readonly isMerge: boolean } | undefined;
  /** Nesting depth of the value, including aliased parts. */
  height: number;
  /** Absent until the value ends. */
  node?: RawNode;
}

/** Maximum number of reported duplicates. */
const MAX_DUPLICATES = 50;

const MAX_MERGED_KEYS = 10_000;

/**
 * Builds a raw tree from the parser's events. INVARIANT: aliased data stays shared, so the tree is no larger than its
 * text.
 */
class TreeReader {
  root: RawNode | undefined;
  /** True after a problem that prevents a tree. */
  failed = false;
  readonly problems: Diagnostic[] = [];
  readonly #source: SourceFile;
  /** Open values; the first one represents the document. */
  readonly #open: Value[] = [];
  readonly #anchors = new Map<string, Value>();
  /** Entries merged into a map by `<<`, which the map may override. */
  readonly #merged = new WeakSet<RawEntry>();
  readonly #values: Iterator<unknown>;
  #documents = 0;
  #duplicates = 0;
  #mergedKeys = 0;
  #last = 0;

  /** @param values - values of the scalars and tagged collections, in order */
  constructor(source: SourceFile, values: readonly unknown[]) {
    this.#source = source;
    this.#values = values.values();
  }

  read(event: Event): void {
    switch (event.type) {
      case EVENT_ID.DOCUMENT:
        this.#openDocument();
        break;
      case EVENT_ID.MAPPING:
        this.#begin(event, { start: event.start, entries: new Map(), height: 1 });
        break;
      case EVENT_ID.SEQUENCE:
        this.#begin(event, { start: event.start, items: [], height: 1 });
        break;
      case EVENT_ID.SCALAR:
        this.#scalar(event);
        break;
      case EVENT_ID.ALIAS:
        this.#alias(event.anchorStart, event.anchorEnd);
        break;
      case EVENT_ID.POP:
        this.#end();
        break;
    }
  }

  #openDocument(): void {
    this.#open.push({ start: 0, items: [], height: 0 });
    this.#anchors.clear();
    if ((this.#documents += 1) !== 2) return;
    const at = this.#source.text.indexOf("\n---", Math.max(0, this.#last - 1)) + 1;
    const span = createSpan(this.#source, at, at + 3);
    const hint = "a configuration is one document; remove the line `---` or use two files";
    this.#fail("CF-102", "a second document in one file", { span, hint });
  }

  #begin(event: MappingEvent | SequenceEvent, value: Value): void {
    if (event.tagStart >= 0) this.#values.next();
    this.#anchor(event, value);
    this.#open.push(value);
    this.#last = Math.max(this.#last, event.start);
  }

  #end(): void {
    const value = this.#open.pop();
    if (value === undefined) return;
    if (this.#open.length === 0) {
      this.root ??= value.items?.[0];
      return;
    }
    const span = createSpan(this.#source, value.start, Math.max(value.start, this.#last));
    const { entries, items = [] } = value;
    value.node = entries ? { kind: "map", entries, span } : { kind: "list", items, span };
    this.#add(value, createSpan(this.#source, value.start, value.start + 1));
  }

  #scalar(event: ScalarEvent): void {
    const { SINGLE_QUOTED, DOUBLE_QUOTED } = SCALAR_STYLE;
    const isPresent = event.valueStart >= 0;
    const isQuoted = event.style === SINGLE_QUOTED || event.style === DOUBLE_QUOTED;
    const margin = isQuoted ? 1 : 0;
    const start = isPresent ? event.valueStart - margin : this.#last;
    const end = isPresent ? event.valueEnd + margin : this.#last;
    this.#last = Math.max(this.#last, end);
    const place = createSpan(this.#source, start, end);
    const content: unknown = this.#values.next().value;
    const node: RawNode = { kind: "scalar", value: content, span: isPresent ? place : undefined };
    const value = { start, height: 0, node };
    this.#anchor(event, value);
    this.#add(value, place, !isQuoted && content === "<<");
  }

  #alias(start: number, end: number): void {
    const name = this.#source.text.slice(start, end);
    const span = createSpan(this.#source, start - 1, end);
    const value = this.#anchors.get(name);
    this.#last = end;
    if (value === undefined) {
      const hint = "put a value that begins with `*` in quotes";
      this.#fail("CF-102", `no anchor is named \`${name}\``, { span, hint });
    } else if (value.node === undefined && this.#open.at(-1)?.key?.isMerge !== true) {
      this.#fail("CF-102", "an alias inside the value it refers to", { span });
    }
    this.#add(value ?? { start, height: 0 }, span);
  }

  #anchor(event: MappingEvent | SequenceEvent | ScalarEvent, value: Value): void {
    if (event.anchorStart < 0) return;
    this.#anchors.set(this.#source.text.slice(event.anchorStart, event.anchorEnd), value);
  }

  /** Adds a value, or a key, to the enclosing collection. */
  #add(value: Value, place: Span, isMerge = false): void {
    const parent = this.#open.at(-1);
    if (parent === undefined) return;
    const { node = { kind: "scalar", value: null } } = value;
    if (this.#open.length - 1 + value.height > MAX_DEPTH) {
      this.#fail("CF-118", `settings must not nest deeper than ${MAX_DEPTH} levels`, { span: firstLineOf(node.span) });
    }
    parent.height = Math.max(parent.height, value.height + 1);
    parent.items?.push(node);
    const { key, entries } = parent;
    if (!entries) return;
    parent.key = undefined;
    if (key === undefined) {
      if (node.kind !== "scalar") this.#fail("CF-102", "a key cannot be a list or keys and values", { span: place });
      parent.key = { text: node.kind === "scalar" ? String(node.value) : "", span: place, isMerge };
    } else if (key.isMerge) this.#merge(entries, value, key.span);
    else this.#addEntry(entries, key.text, { keySpan: key.span, value: node });
  }

  #addEntry(entries: Map<string, RawEntry>, key: string, entry: RawEntry): void {
    const span = entry.keySpan;
    if (key === "__proto__") {
      report(this.problems, "CF-103", FORBIDDEN_KEY, { span });
      return;
    }
    const earlier = entries.get(key);
    if (earlier && !this.#merged.has(earlier) && (this.#duplicates += 1) <= MAX_DUPLICATES) {
      report(this.problems, "CF-102", `the key \`${key}\` is written twice`, {
        span,
        labels: [{ span: earlier.keySpan, text: "first written here" }],
        hint: "remove one of the two, or join what they contain",
      });
    }
    entries.set(key, entry);
  }

  /** Adds the entries that a map lacks. Among several maps, the first with a key wins. */
  #merge(entries: Map<string, RawEntry>, { items, entries: own }: Value, span: Span): void {
    const sources = items ? items.map((item) => (item.kind === "map" ? item.entries : undefined)) : [own];
    for (const source of sources) {
      if (source === undefined) this.#fail("CF-102", "`<<` takes keys and values, or a list of them", { span });
      for (const [key, entry] of source ?? []) {
        if ((this.#mergedKeys += 1) > MAX_MERGED_KEYS) {
          this.#fail("CF-102", `\`<<\` merges more than ${MAX_MERGED_KEYS} keys`, { span });
          return;
        }
        if (entries.has(key)) continue;
        const merged = { ...entry };
        this.#merged.add(merged);
        entries.set(key, merged);
      }
    }
  }

  /** Reports a problem that prevents a tree, once. */
  #fail(...problem: Parameters<typeof createDiagnostic>): void {
    if (!this.failed) report(this.problems, ...problem);
    this.failed = true;
  }
}
