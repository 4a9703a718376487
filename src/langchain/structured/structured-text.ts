import { splitLines } from "../../turn/lines.js";
import type { HiddenText } from "../../turn/redactor.js";
import { shapeError } from "../shape-error.js";
import { chunkText } from "../values/evidence.js";

/** Lines of text for rails, and the value again with rewritten lines. */
export interface ValueText {
  readonly text: string;
  /** The value with these lines in place of its own; undefined when they do not fit it. */
  rewrite(text: string): ChangedValue | undefined;
}

interface ChangedValue {
  readonly value: unknown;
  /** Its texts that changed, with what they are now. */
  readonly changes?: readonly HiddenText[];
}

const MAX_DEPTH = 64;
const MAX_LEAVES = 10_000;
const REMEDY = "use a schema of plain data: objects, lists, strings, numbers and booleans";

/** Values that are read as one text, such as messages. */
export interface Atoms {
  is(value: unknown): boolean;
  /** Empty for one that says nothing. */
  text(value: unknown): string;
  rewrite(value: unknown, text: string): unknown;
}

interface Leaf {
  /** Its path with a colon. */
  readonly label: string;
  /** What it says; empty where only the path could say something. */
  readonly text: string;
  readonly value: unknown;
  /** Makes the value of another text; absent for numbers, dates and the like. */
  readonly rewrite?: ((text: string) => unknown) | undefined;
}

/** Gives the value to put in place of a leaf's. */
type LeafVisitor = (leaf: Leaf) => unknown;

/** Decides by its path and its text whether a leaf becomes a line; all do by default. */
export type LeafFilter = (path: readonly string[], text: string) => boolean;

interface Walk {
  readonly visit: LeafVisitor;
  readonly isRead: LeafFilter | undefined;
  readonly atoms: Atoms | undefined;
  left: number;
}

/**
 * A structured value as text for rails: a line `path.of.keys: text` for every string, number and date in it. Rails see
 * the values and not their JSON, in which escapes could hide a word. INVARIANT: a value that cannot be read is an error
 * and never skipped.
 *
 * @throws InputShapeError for values nested beyond any use, with too many parts, or of classes that tell nothing
 *
 * @example
 * ```ts
 * readValue({ dish: "bread", steps: ["mix", "bake"] }).text; // "dish: bread\nsteps: mix\nsteps: bake"
 * ```
 */
export function readValue(value: unknown, isRead?: LeafFilter, atoms?: Atoms): ValueText {
  const lines: string[] = [];
  const collect: LeafVisitor = (leaf) => {
    lines.push(lineOf(leaf));
    return leaf.value;
  };
  walkValue(value, [], { visit: collect, isRead, atoms, left: MAX_LEAVES }, 0);
  const text = lines.join("\n");
  return {
    text,
    rewrite: (changed) => (changed === text ? { value } : putBack(value, lines, changed, { isRead, atoms })),
  };
}

/** INVARIANT: lines are only put back where each stands under its own label; a rail that adds or drops lines misfits. */
function putBack(
  value: unknown,
  before: readonly string[],
  text: string,
  how: Pick<Walk, "isRead" | "atoms">,
): ChangedValue | undefined {
  const parts = splitLines(before, text);
  if (parts === undefined) return undefined;
  let index = 0;
  let misfits = false;
  const changes: HiddenText[] = [];
  const replace: LeafVisitor = (leaf) => {
    const part = parts[index++] ?? "";
    if (part === lineOf(leaf)) return leaf.value;
    const head = leaf.label === "" ? "" : `${leaf.label} `;
    // The number or date that a rewritten text stands for cannot be told.
    if (!(part === leaf.label || part.startsWith(head)) || leaf.rewrite === undefined) misfits = true;
    const replacement = part.slice(head.length);
    changes.push({ text: leaf.text, replacement });
    return leaf.rewrite?.(replacement);
  };
  const changed = walkValue(value, [], { visit: replace, ...how, left: MAX_LEAVES }, 0);
  return misfits ? undefined : { value: changed, changes };
}

function lineOf({ label, text }: Leaf): string {
  return label === "" || text === "" ? label + text : `${label} ${text}`;
}

function walkValue(value: unknown, path: readonly string[], walk: Walk, depth: number): unknown {
  walk.left -= 1;
  if (depth > MAX_DEPTH || walk.left < 0) throw unreadable(value);
  // Free keys are words of the model too, so an empty value still shows its path.
  if (isEmpty(value)) return visitLeaf(value, "", path, walk);
  if (typeof value !== "object" || value === null) {
    if (typeof value === "function" || typeof value === "symbol") throw unreadable(value);
    return visitLeaf(value, String(value), path, walk);
  }
  const { atoms } = walk;
  if (atoms?.is(value) === true) {
    return visitLeaf(value, atoms.text(value), path, walk, (text) => atoms.rewrite(value, text));
  }
  if (Array.isArray(value)) return changedList(value, (item) => walkValue(item, path, walk, depth + 1));
  if (value instanceof Map || value instanceof Set) return walkCollection(value, path, walk, depth);
  if (isPlainObject(value)) return walkEntries(value, path, walk, depth);
  // Dates, addresses and the like say what they hold; what does not cannot be checked.
  const { toString } = value as { toString?: unknown };
  if (typeof toString !== "function" || toString === Object.prototype.toString) throw unreadable(value);
  return visitLeaf(value, String(value), path, walk);
}

function visitLeaf(
  value: unknown,
  text: string,
  path: readonly string[],
  walk: Walk,
  rewrite: Leaf["rewrite"] = typeof value === "string" ? (changed) => changed : undefined,
): unknown {
  if ((path.length === 0 && text === "") || walk.isRead?.(path, text) === false) return value;
  return walk.visit({ label: path.length === 0 ? "" : `${path.join(".")}:`, text, value, rewrite });
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === "") return true;
  if (typeof value !== "object") return false;
  if (value instanceof Map || value instanceof Set) return value.size === 0;
  return (Array.isArray(value) || isPlainObject(value)) && Object.keys(value).length === 0;
}

function walkEntries(value: object, path: readonly string[], walk: Walk, depth: number): object {
  const entries = Object.entries(value) as [string, unknown][];
  const changed = entries.map(([key, inner]) => [key, walkValue(inner, [...path, key], walk, depth + 1)] as const);
  if (changed.every(([, inner], index) => inner === entries[index]?.[1])) return value;
  const copy = Object.create(Object.getPrototypeOf(value) as object | null) as object;
  for (const [key, inner] of changed) {
    Object.defineProperty(copy, key, { value: inner, enumerable: true, configurable: true, writable: true });
  }
  return copy;
}

function walkCollection(
  value: ReadonlyMap<unknown, unknown> | ReadonlySet<unknown>,
  path: readonly string[],
  walk: Walk,
  depth: number,
): unknown {
  const items: readonly unknown[] = [...value];
  const changed = changedList(items, (item) => walkValue(item, path, walk, depth + 1));
  if (changed === items) return value;
  return value instanceof Map ? new Map(changed as [unknown, unknown][]) : new Set(changed);
}

function changedList(items: readonly unknown[], fn: (item: unknown) => unknown): readonly unknown[] {
  const changed = items.map(fn);
  return changed.every((item, index) => item === items[index]) ? items : changed;
}

/** Plain data, and the documents of LangChain, which are as much. */
function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || chunkText(value) !== undefined;
}

function unreadable(value: unknown): Error {
  return shapeError("this structured answer cannot be read, so it cannot be checked", value, REMEDY);
}
