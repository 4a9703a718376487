import type { PlainData } from "../../../../engine/plain-data.js";

/** A stored record. */
export type StoredRow = Readonly<Record<string, PlainData>>;

/**
 * Shape of the rows of a group: fields and lists of a row, with a number in place of each text, number or boolean. 0
 * means the item itself, 1 the number of an identifier of the conversation.
 */
type Shape = 0 | 1 | readonly Shape[] | { readonly [field: string]: Shape };

export type Scalar = string | number | boolean | null;

/**
 * Runs of items in a column: one item; a repeated item, `[item, count]`; or whole numbers with equal steps, `[first,
 * count, step]`.
 */
export type Run =
  | Scalar
  | readonly [item: Scalar, count: number]
  | readonly [first: number, count: number, step: number];

/** Rows of one shape, as columns: one per number of the shape, in order. */
interface PackedGroup {
  readonly shape: Shape;
  readonly columns: readonly (readonly Run[])[];
}

/** A table with similar rows. */
export interface PackedTable {
  readonly groups: readonly PackedGroup[];
  /** The rows in order: a row, or the next rows of a group. */
  readonly rows: readonly (StoredRow | readonly [group: number, count: number])[];
}

/** Minimum number of rows of one shape for a group. */
const MIN_ROWS = 8;

/** Number of remembered shapes per kind of row. */
const MAX_SHAPES = 32;

/** A row as its shape and its items. */
interface FittedRow {
  readonly shape: KnownShape;
  /** Undefined until they are needed. */
  cells: readonly Scalar[] | undefined;
}

interface KnownShape {
  readonly shape: Shape;
}

export interface KnownGroup {
  readonly rows: readonly StoredRow[];
  readonly packed: PackedGroup;
}

/**
 * Packs the rows of tables: thousands of flows waiting for the same kind of event take as little space as a few.
 * Unchanged groups keep their objects.
 */
export class Packing {
  readonly #idPrefix: string;
  readonly #shapes = new Map<string, KnownShape[]>();
  readonly #fitted = new WeakMap<StoredRow, FittedRow>();
  readonly #groups = new Map<string, ReadonlyMap<KnownShape, KnownGroup>>();

  /** @param prefix - of the identifiers of the conversation */
  constructor(prefix: string) {
    this.#idPrefix = `${prefix}-`;
  }

  /** Adopts the groups of a table that was read. */
  restore(table: string, groups: readonly KnownGroup[]): void {
    const known = new Map<KnownShape, KnownGroup>();
    for (const group of groups) {
      const shape = { shape: group.packed.shape };
      known.set(shape, group);
      for (const row of group.rows) this.#fitted.set(row, { shape, cells: undefined });
      const [first] = group.rows;
      if (first !== undefined) this.#remember(kindOf(first), shape);
    }
    this.#groups.set(table, known);
  }

  /** @returns the rows unchanged if none are similar */
  pack(table: string, rows: readonly StoredRow[]): readonly StoredRow[] | PackedTable {
    const fitted = this.#fitAll(rows);
    const members = new Map<KnownShape, StoredRow[]>();
    for (const [at, row] of rows.entries()) {
      const shape = fitted[at]?.shape;
      const others = shape === undefined ? undefined : members.get(shape);
      if (others !== undefined) others.push(row);
      else if (shape !== undefined) members.set(shape, [row]);
    }
    const before = this.#groups.get(table);
    const groups = new Map<KnownShape, KnownGroup>();
    const numbers = new Map<KnownShape, number>();
    for (const [shape, group] of members) {
      if (group.length < MIN_ROWS) continue;
      numbers.set(shape, groups.size);
      groups.set(shape, this.#group(shape, group, before?.get(shape)));
    }
    this.#groups.set(table, groups);
    if (groups.size === 0) return rows;
    const packed = {
      groups: [...groups.values()].map((group) => group.packed),
      rows: [] as PackedTable["rows"][number][],
    };
    for (let at = 0; at < rows.length;) {
      const shape = fitted[at]?.shape;
      const number = shape === undefined ? undefined : numbers.get(shape);
      const from = at;
      at += 1;
      if (number !== undefined) while (fitted[at]?.shape === shape) at += 1;
      packed.rows.push(number === undefined ? (rows[from] as StoredRow) : [number, at - from]);
    }
    return packed;
  }

  /** Rows that may be numerous enough to be packed. */
  #fitAll(rows: readonly StoredRow[]): readonly (FittedRow | undefined)[] {
    if (rows.length < MIN_ROWS) return [];
    const counts = new Map<string, number>();
    const kinds = rows.map(kindOf);
    for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    return rows.map((row, at) => {
      const kind = kinds[at] ?? "";
      if ((counts.get(kind) ?? 0) < MIN_ROWS) return undefined;
      let fitted = this.#fitted.get(row);
      if (fitted === undefined) this.#fitted.set(row, (fitted = this.#fit(kind, row)));
      return fitted;
    });
  }

  #fit(kind: string, row: StoredRow): FittedRow {
    const known = this.#shapes.get(kind) ?? [];
    for (const shape of known) {
      const cells: Scalar[] = [];
      if (readCells(row, shape.shape, this.#idPrefix, cells)) return { shape, cells };
    }
    const shape = { shape: shapeOf(row, this.#idPrefix) };
    this.#remember(kind, shape);
    const cells: Scalar[] = [];
    readCells(row, shape.shape, this.#idPrefix, cells);
    return { shape, cells };
  }

  #remember(kind: string, shape: KnownShape): void {
    this.#shapes.set(kind, [...(this.#shapes.get(kind) ?? []).slice(1 - MAX_SHAPES), shape]);
  }

  #cellsOf(row: StoredRow): readonly Scalar[] {
    const fitted = this.#fitted.get(row);
    if (fitted === undefined) return [];
    if (fitted.cells !== undefined) return fitted.cells;
    const cells: Scalar[] = [];
    readCells(row, fitted.shape.shape, this.#idPrefix, cells);
    return (fitted.cells = cells);
  }

  #group(shape: KnownShape, rows: readonly StoredRow[], before: KnownGroup | undefined): KnownGroup {
    const isSame = rows.length === before?.rows.length && rows.every((row, at) => row === before.rows[at]);
    if (isSame && before !== undefined) return before;
    const cells = rows.map((row) => this.#cellsOf(row));
    const columns = (cells[0] ?? []).map((_, place) => writeRuns(cells.map((row) => row[place] ?? null)));
    return { rows, packed: { shape: shape.shape, columns } };
  }
}

/** The flow or action of a row: rows of different ones are rarely similar. */
function kindOf({ flow, name }: StoredRow): string {
  return typeof flow === "string" ? flow : typeof name === "string" ? name : "";
}

function shapeOf(part: PlainData, idPrefix: string): Shape {
  if (typeof part === "string") return idNumber(part, idPrefix) === undefined ? 0 : 1;
  if (typeof part !== "object" || part === null) return 0;
  if (Array.isArray(part)) return (part as readonly PlainData[]).map((item) => shapeOf(item, idPrefix));
  const shape = Object.create(null) as Record<string, Shape>;
  for (const [name, item] of Object.entries(part)) shape[name] = shapeOf(item, idPrefix);
  return shape;
}

/** Adds the items of a part in order. Returns false if its shape differs. */
function readCells(part: PlainData | undefined, shape: Shape, idPrefix: string, cells: Scalar[]): boolean {
  if (part === undefined) return false;
  if (typeof shape === "number") {
    const isPlain = typeof part !== "object" || part === null;
    const cell = shape === 0 && isPlain ? part : typeof part === "string" ? idNumber(part, idPrefix) : undefined;
    if (cell === undefined) return false;
    cells.push(cell);
    return true;
  }
  if (typeof part !== "object" || part === null || Array.isArray(part) !== Array.isArray(shape)) return false;
  const names = Object.keys(part);
  const expected = Object.keys(shape);
  if (names.length !== expected.length) return false;
  const shapes = shape as Readonly<Record<string, Shape>>;
  return names.every((name, at) => {
    // INVARIANT: rows of one group have their fields in the same order, in which they are read again.
    const inner = expected[at] === name ? shapes[name] : undefined;
    return inner !== undefined && readCells((part as StoredRow)[name], inner, idPrefix, cells);
  });
}

/** The number of an identifier of this conversation; undefined for any other text. */
function idNumber(text: string, idPrefix: string): number | undefined {
  if (text.length > idPrefix.length + MAX_DIGITS || !text.startsWith(idPrefix)) return undefined;
  const digits = text.slice(idPrefix.length);
  const number = Number.parseInt(digits, RADIX);
  return idText(number) === digits ? number : undefined;
}

const RADIX = 36;
const MAX_DIGITS = 10;

/** Returns the suffix of the identifier with this number. */
export function idText(number: number): string {
  return number.toString(RADIX);
}

/** Writes the items of a column as runs. */
export function writeRuns(items: readonly Scalar[]): readonly Run[] {
  const runs: Run[] = [];
  for (let at = 0; at < items.length;) {
    const first = items[at] as Scalar;
    const step = stepBetween(first, items[at + 1]);
    let end = at + 1;
    if (step !== undefined) while (end < items.length && stepBetween(items[end - 1], items[end]) === step) end += 1;
    const count = end - at;
    const isRun = step === 0 ? count > 1 : count > 2;
    if (!isRun) runs.push(first);
    else runs.push(step === 0 ? [first, count] : [first as number, count, step ?? 0]);
    at = isRun ? end : at + 1;
  }
  return runs;
}

/** Returns 0 for equal items, the difference of whole numbers, undefined for all others. */
function stepBetween(item: Scalar | undefined, next: Scalar | undefined): number | undefined {
  if (next === undefined) return undefined;
  if (item === next) return 0;
  if (!Number.isSafeInteger(item) || !Number.isSafeInteger(next)) return undefined;
  const step = (next as number) - (item as number);
  return Number.isSafeInteger(step) ? step : undefined;
}
