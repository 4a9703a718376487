import { isPlain, mapEntries, mapItems, WALK_LIMITS, WalkBounds } from "../../engine/walk.js";
import { splitLines } from "../../turn/extra-text.js";
import type { HiddenText } from "../../turn/redactor.js";
import { shapeError } from "../shape-error.js";
import { chunkText } from "../values/evidence.js";

/** Lines of text for rails, and a function that puts rewritten lines back. */
export interface ValueText {
  readonly text: string;
  /** Returns the value with these lines; undefined if they do not match its structure. */
  rewrite(text: string): ChangedValue | undefined;
}

interface ChangedValue {
  readonly value: unknown;
  /** Changed texts, with their replacements. */
  readonly changes?: readonly HiddenText[];
}

/** Every value may become a line with its path. */
const LIMITS = { ...WALK_LIMITS, values: 10_000 };
const HINT = "use a schema of plain data: objects, lists, strings, numbers and booleans";

/** Values that are read as a single text, such as messages. */
export interface Atoms {
  is(value: unknown): boolean;
  /** Returns the text; empty if there is none. */
  text(value: unknown): string;
  rewrite(value: unknown, text: string): unknown;
}

interface Leaf {
  /** The path followed by a colon. */
  readonly label: string;
  /** The text; empty if only the path has text. */
  readonly text: string;
  readonly value: unknown;
  /** Builds the value from another text; absent for numbers, dates and the like. */
  readonly rewrite?: ((text: string) => unknown) | undefined;
}

/** Returns the replacement for the value of a leaf. */
type LeafVisitor = (leaf: Leaf) => unknown;

/** Returns true if a leaf becomes a line. Default: all leaves. */
export type LeafFilter = (path: readonly string[], text: string) => boolean;

interface Walk {
  readonly visit: LeafVisitor;
  readonly isRead: LeafFilter | undefined;
  readonly atoms: Atoms | undefined;
  readonly bounds: WalkBounds;
}

/**
 * A structured value as text for rails: a line `path.of.keys: text` for every string, number and date. Rails see values
 * rather than JSON, in which escapes could hide a word. INVARIANT: an unreadable value is an error and never skipped.
 *
 * @throws InputShapeError for values that are nested too deeply, have too many parts, or are of classes without
 *   readable data
 *
 * @example
 * ```ts
 * readValue({ dish: "bread", steps: ["mix", "bake"] }).text; // "dish: bread\nsteps: mix\nsteps: bake"
 * ```
 */
export function readValue(value: unknown, isRead?: LeafFilter, atoms?: Atoms): ValueText {
  const walk = (visit: LeafVisitor): unknown =>
    walkValue(value, [], { visit, isRead, atoms, bounds: new WalkBounds(LIMITS) });
  const lines: string[] = [];
  walk((leaf) => (lines.push(lineOf(leaf)), leaf.value));
  const text = lines.join("\n");
  /** INVARIANT: lines return only to their own labels; if a rail adds or drops lines, the value does not match. */
  const rewrite = (rewritten: string): ChangedValue | undefined => {
    if (rewritten === text) return { value };
    const parts = splitLines(lines, rewritten);
    if (parts === undefined) return undefined;
    let index = 0;
    let mismatches = false;
    const changes: HiddenText[] = [];
    const changed = walk((leaf) => {
      const part = parts[index++] ?? "";
      if (part === lineOf(leaf)) return leaf.value;
      const head = leaf.label === "" ? "" : `${leaf.label} `;
      // A rewritten text cannot become a number or a date.
      if (!(part === leaf.label || part.startsWith(head)) || leaf.rewrite === undefined) mismatches = true;
      const replacement = part.slice(head.length);
      changes.push({ text: leaf.text, replacement });
      return leaf.rewrite?.(replacement);
    });
    return mismatches ? undefined : { value: changed, changes };
  };
  return { text, rewrite };
}

function lineOf({ label, text }: Leaf): string {
  return label === "" || text === "" ? label + text : `${label} ${text}`;
}

function walkValue(value: unknown, path: readonly string[], walk: Walk): unknown {
  // Free-form keys are model text too, so an empty value still shows its path.
  if (isEmpty(value)) return visitLeaf({ value, text: "" }, path, walk);
  if (typeof value !== "object" || value === null) {
    if (typeof value === "function" || typeof value === "symbol") return unreadable(value);
    return visitLeaf({ value, text: String(value) }, path, walk);
  }
  const { atoms } = walk;
  if (atoms?.is(value) === true) {
    return visitLeaf({ value, text: atoms.text(value), rewrite: (text) => atoms.rewrite(value, text) }, path, walk);
  }
  const mapParts = mapInside(value, path, walk);
  if (mapParts !== undefined) return walk.bounds.inside(value, mapParts, unreadable);
  // Dates, addresses and the like have a readable form; anything else cannot be checked.
  const { toString } = value as { toString?: unknown };
  if (typeof toString !== "function" || toString === Object.prototype.toString) return unreadable(value);
  return visitLeaf({ value, text: String(value) }, path, walk);
}

/** Maps the parts of a list, a collection or plain data; undefined for other objects. */
function mapInside(value: object, path: readonly string[], walk: Walk): (() => unknown) | undefined {
  const mapItem = (item: unknown): unknown => walkValue(item, path, walk);
  if (Array.isArray(value)) return () => mapItems(value, mapItem);
  if (value instanceof Map || value instanceof Set) {
    return () => {
      const items: readonly unknown[] = [...value];
      const changed = mapItems(items, mapItem);
      if (changed === items) return value;
      return value instanceof Map ? new Map(changed as [unknown, unknown][]) : new Set(changed);
    };
  }
  if (!isPlainObject(value)) return undefined;
  return () => mapEntries(value, (inner, key) => [key, walkValue(inner, [...path, key], walk)]);
}

function visitLeaf(leaf: Omit<Leaf, "label">, path: readonly string[], walk: Walk): unknown {
  const { value, text, rewrite = typeof value === "string" ? (changed: string) => changed : undefined } = leaf;
  if (!walk.bounds.count()) return unreadable(value);
  if ((path.length === 0 && text === "") || walk.isRead?.(path, text) === false) return value;
  return walk.visit({ label: path.length === 0 ? "" : `${path.join(".")}:`, text, value, rewrite });
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === "") return true;
  if (typeof value !== "object") return false;
  if (value instanceof Map || value instanceof Set) return value.size === 0;
  return (Array.isArray(value) || isPlainObject(value)) && Object.keys(value).length === 0;
}

/** Returns true for plain data and for LangChain's documents, which are equivalent. */
function isPlainObject(value: object): boolean {
  return (isPlain(value) && !Array.isArray(value)) || chunkText(value) !== undefined;
}

function unreadable(value: unknown): never {
  throw shapeError("expected a structured answer of plain data", value, HINT);
}
