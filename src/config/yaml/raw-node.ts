import { type Diagnostic, report } from "../../diagnostics/diagnostic.js";
import type { Span } from "../../diagnostics/source-file.js";
import { isPlain } from "../../engine/walk.js";

/**
 * Settings as written: plain data in which every key and value has its location. Files become raw trees, which are
 * merged, and only the merged tree is validated, so diagnostics can point to the original file. INVARIANT: a raw tree
 * never contains itself, and never the key `__proto__`.
 */
export type RawNode = RawMap | RawList | RawScalar;

export interface RawMap {
  readonly kind: "map";
  readonly entries: ReadonlyMap<string, RawEntry>;
  readonly span?: Span | undefined;
}

export interface RawEntry {
  readonly keySpan?: Span | undefined;
  readonly value: RawNode;
}

export interface RawList {
  readonly kind: "list";
  readonly items: readonly RawNode[];
  readonly span?: Span | undefined;
}

/** Text, number, boolean or null; in settings given by a program, also anything that is not plain data. */
interface RawScalar {
  readonly kind: "scalar";
  readonly value: unknown;
  readonly span?: Span | undefined;
  /** Set for a program's `null`, which resets a setting of a file. */
  readonly unsets?: true;
}

export const MAX_VALUES = 200_000;
export const MAX_DEPTH = 100;

export const EMPTY_MAP: RawMap = { kind: "map", entries: new Map() };

export function rawMap(entries: Iterable<readonly [string, RawEntry]>, span?: Span): RawMap {
  return { kind: "map", entries: new Map(entries), span };
}

export function childOf(node: RawNode | undefined, key: string | number): RawNode | undefined {
  if (node?.kind === "map") return node.entries.get(String(key))?.value;
  if (node?.kind === "list" && typeof key === "number") return node.items[key];
  return undefined;
}

export function nodeAt(node: RawNode, path: readonly (string | number)[]): RawNode | undefined {
  return path.reduce<RawNode | undefined>(childOf, node);
}

/** Returns the scalar at a path. */
export function scalarAt(node: RawNode, path: readonly (string | number)[]): unknown {
  const found = nodeAt(node, path);
  return found?.kind === "scalar" ? found.value : undefined;
}

/** Returns the text at a path. */
export function textAt(node: RawNode, path: readonly (string | number)[]): string | undefined {
  const value = scalarAt(node, path);
  return typeof value === "string" ? value : undefined;
}

/** Returns the items of the list at a path; empty if there is no list. */
export function itemsAt(node: RawNode, path: readonly (string | number)[]): readonly RawNode[] {
  const found = nodeAt(node, path);
  return found?.kind === "list" ? found.items : [];
}

/** Returns the key at the end of a path, with its value. */
export function entryAt(node: RawNode, path: readonly (string | number)[]): RawEntry | undefined {
  const parent = nodeAt(node, path.slice(0, -1));
  return parent?.kind === "map" && path.length > 0 ? parent.entries.get(String(path.at(-1))) : undefined;
}

/** Returns the location of the key at the end of a path. */
export function keySpanAt(node: RawNode, path: readonly (string | number)[]): Span | undefined {
  return entryAt(node, path)?.keySpan;
}

/**
 * Counts the values of a tree up to a bound, counting shared parts at every use. With aliases, the written size is no
 * indication, so this runs before anything walks the tree.
 */
export function countValues(root: RawNode, bound: number = MAX_VALUES): number {
  const known = new Map<RawNode, number>();
  const count = (node: RawNode): number => {
    if (node.kind === "scalar") return 1;
    const before = known.get(node);
    if (before !== undefined) return before;
    let total = 1;
    if (node.kind === "list") for (const item of node.items) total = Math.min(bound + 1, total + count(item));
    else for (const { value } of node.entries.values()) total = Math.min(bound + 1, total + count(value));
    known.set(node, total);
    return total;
  };
  return count(root);
}

/** Returns the plain data of a tree. Shared parts stay shared. */
export function toPlain(root: RawNode): unknown {
  const done = new Map<RawNode, unknown>();
  const convert = (node: RawNode): unknown => {
    if (node.kind === "scalar") return node.value;
    const before = done.get(node);
    if (before !== undefined) return before;
    const plain =
      node.kind === "list"
        ? node.items.map(convert)
        : Object.fromEntries(Array.from(node.entries, ([key, entry]) => [key, convert(entry.value)]));
    done.set(node, plain);
    return plain;
  };
  return convert(root);
}

/** Returns true if two trees represent the same data. */
export function sameData(first: RawNode, second: RawNode): boolean {
  if (first === second) return true;
  if (first.kind === "scalar") return second.kind === "scalar" && first.value === second.value;
  if (first.kind === "list") {
    return (
      second.kind === "list" &&
      first.items.length === second.items.length &&
      first.items.every((item, index) => sameData(item, second.items[index] as RawNode))
    );
  }
  if (second.kind !== "map" || first.entries.size !== second.entries.size) return false;
  for (const [key, { value }] of first.entries) {
    const other = second.entries.get(key);
    if (!other || !sameData(value, other.value)) return false;
  }
  return true;
}

/** Converts a program's settings. Class instances and functions are unchanged. */
export function rawFromValue(value: unknown, problems: Diagnostic[]): RawNode {
  const done = new Map<object, RawNode>();
  const open = new Set<object>();
  const path: (string | number)[] = [];
  let values = 0;
  const refuse = (message: string): RawNode => {
    report(problems, "CF-104", message, { path: formatPath(path) });
    return { kind: "scalar", value: null };
  };
  /** A getter may throw, and reading it twice may yield two values. */
  const member = (owner: object, key: string | number): RawNode => {
    path.push(key);
    try {
      let child: unknown;
      try {
        child = (owner as Readonly<Record<string | number, unknown>>)[key];
      } catch {
        return refuse("a getter of the settings threw");
      }
      return convert(child);
    } finally {
      path.pop();
    }
  };
  const convert = (current: unknown): RawNode => {
    if (current === null) return { kind: "scalar", value: null, unsets: true };
    if (!isPlain(current)) return { kind: "scalar", value: current };
    const before = done.get(current);
    if (before) return before;
    if (open.has(current)) return refuse("settings must not contain themselves");
    if (path.length > MAX_DEPTH) return refuse(`settings must not nest deeper than ${MAX_DEPTH} levels`);
    if ((values += 1) > MAX_VALUES) return refuse(`settings must not hold more than ${MAX_VALUES} values`);
    open.add(current);
    const node: RawNode = Array.isArray(current)
      ? { kind: "list", items: Array.from({ length: current.length }, (_, index) => member(current, index)) }
      : rawMap(
          Object.keys(current).flatMap((key) => {
            if (key === "__proto__") refuse(FORBIDDEN_KEY);
            const value = key === "__proto__" ? undefined : member(current, key);
            const isAbsent = value === undefined || (value.kind === "scalar" && value.value === undefined);
            return isAbsent ? [] : [[key, { value }] as const];
          }),
        );
    open.delete(current);
    done.set(current, node);
    return node;
  };
  return convert(value);
}

export const FORBIDDEN_KEY = "the key `__proto__` is not allowed";

/** Formats a path for people: `rails.input.flows[0]`. */
export function formatPath(path: readonly PropertyKey[]): string {
  let text = "";
  for (const part of path) {
    if (typeof part === "number") text += `[${part}]`;
    else text += `${text ? "." : ""}${String(part)}`;
  }
  return text;
}

/** Returns the part of a span on its first line. */
export function firstLineOf(span: Span | undefined): Span | undefined {
  if (!span) return undefined;
  const end = span.source.text.indexOf("\n", span.start);
  if (end === -1 || end >= span.end) return span;
  return { ...span, end: end > span.start && span.source.text.charAt(end - 1) === "\r" ? end - 1 : end };
}

/** Copies a raw tree with an entry changed; raw trees are immutable and share everything else. */
export function withEntry(map: RawMap, key: string, entry: RawEntry): RawMap {
  return { ...map, entries: new Map([...map.entries, [key, entry]]) };
}

export function withoutKey(map: RawMap, key: string): RawMap {
  const entries = new Map(map.entries);
  entries.delete(key);
  return { ...map, entries };
}

/** Replaces the map at a path of keys, creating missing maps. Other kinds of nodes are not changed. */
export function editMap(root: RawMap, path: readonly string[], change: (map: RawMap) => RawMap): RawMap {
  const [key, ...rest] = path;
  if (key === undefined) return change(root);
  const entry = root.entries.get(key);
  const child = isEmpty(entry?.value) ? EMPTY_MAP : entry?.value;
  if (child?.kind !== "map") return root;
  const changed = editMap(child, rest, change);
  return changed === child ? root : withEntry(root, key, { ...entry, value: changed });
}

/** Returns true for a key without a value, which counts as absent. */
export function isEmpty(node: RawNode | undefined): boolean {
  return node === undefined || (node.kind === "scalar" && (node.value === null || node.value === undefined));
}
