import { STATE_LIMITS } from "../../../../engine/limits.js";
import { isMap, writeOwn } from "../../../../engine/plain-data.js";
import { count, damaged, list, record, recordOf, type StoredRecord } from "../../../../engine/stored-shape.js";
import { idText, type KnownGroup, type Scalar } from "./pack.js";

/** Maximum total of items in all groups of a stored conversation, so that a short text cannot exhaust memory. */
const MAX_ITEMS = STATE_LIMITS.dataValues;

/** Reads tables written by `Packing` and rejects everything else. */
export class Unpacking {
  readonly #idPrefix: string;
  #items = 0;
  /** The groups of each table. */
  readonly groups = new Map<string, readonly KnownGroup[]>();

  /** @param prefix - of the identifiers of the conversation */
  constructor(prefix: string) {
    this.#idPrefix = `${prefix}-`;
  }

  /**
   * Rows of a packed table, which may share parts and are read-only.
   *
   * @throws InputShapeError for a table that was not packed this way, or is too large
   */
  table(stored: unknown, name: string): readonly unknown[] {
    const { groups, rows } = PACKED(stored, name, undefined);
    const counts = groups.map(() => 0);
    for (const item of rows) {
      if (!Array.isArray(item)) continue;
      const [group, number] = placeOf(item, name);
      if (counts[group] === undefined) throw damaged(`a group of \`${name}\` is missing`);
      counts[group] += number;
    }
    const unpacked = groups.map((group, at) => this.#group(group, counts[at] ?? 0, name));
    // INVARIANT: each has the shape and the columns that were just read.
    const known = unpacked.map((members, at) => ({ rows: members, packed: groups[at] }) as KnownGroup);
    this.groups.set(name, known);
    const members = unpacked.map((group) => group[Symbol.iterator]());
    return rows.flatMap((item) => {
      if (!Array.isArray(item)) return [item];
      const [group, number] = placeOf(item, name);
      return Array.from({ length: number }, () => members[group]?.next().value);
    });
  }

  #group(stored: unknown, length: number, name: string): readonly unknown[] {
    const { shape, columns } = GROUP(stored, name, undefined);
    const plan: Column[] = [];
    const part = this.#plan(shape, plan, columns, { name, length, depth: 0 });
    if (columns.length !== plan.length) throw damaged(`a group of \`${name}\` has too many columns`);
    return Array.from({ length }, (_, at) => part(at));
  }

  /** Returns a function that builds part of a row by its index. Parts equal in all rows are built once. */
  #plan(shape: unknown, plan: Column[], columns: readonly unknown[], group: GroupPlace): (row: number) => unknown {
    this.#items += group.length;
    if (this.#items > MAX_ITEMS || group.depth > STATE_LIMITS.dataDepth) throw damaged("it has too many parts");
    if (shape === 0 || shape === 1) {
      const column = this.#column(columns[plan.length], shape === 1, group);
      plan.push(column);
      return column.isSame ? () => column.items[0] : (row) => column.items[row];
    }
    const from = plan.length;
    const isList = Array.isArray(shape);
    const inside = { ...group, depth: group.depth + 1 };
    const parts = Object.entries(isList ? shape : record(shape, group.name)).map(
      ([name, inner]) => [name, this.#plan(inner, plan, columns, inside)] as const,
    );
    const make = (row: number): unknown => {
      if (isList) return parts.map(([, part]) => part(row));
      const made: Record<string, unknown> = {};
      for (const [name, part] of parts) writeOwn(made, name, part(row));
      return made;
    };
    if (group.length === 0 || !plan.slice(from).every(({ isSame }) => isSame)) return make;
    const same = make(0);
    return () => same;
  }

  #column(stored: unknown, isId: boolean, { name, length }: GroupPlace): Column {
    const items: Scalar[] = [];
    const runs = list(stored, name);
    for (const run of runs) {
      if (!Array.isArray(run)) {
        items.push(scalar(run, name));
        continue;
      }
      const [first, number, step = 0, ...others] = run as readonly unknown[];
      const times = count(number, name);
      if (items.length + times > length || others.length > 0) throw damaged(`a column of \`${name}\` is too long`);
      if (step !== 0 && !(Number.isSafeInteger(step) && Number.isSafeInteger(first))) {
        throw damaged(`a column of \`${name}\` has a wrong step`);
      }
      const start = scalar(first, name);
      for (let at = 0; at < times; at += 1) items.push(step === 0 ? start : (start as number) + at * (step as number));
    }
    if (items.length !== length) throw damaged(`a column of \`${name}\` is too short`);
    const isSame = runs.length === 1 && items.every((item) => item === items[0]);
    return { isSame, items: isId ? items.map((item) => this.#idPrefix + idText(count(item, name))) : items };
  }
}

interface Column {
  readonly items: readonly unknown[];
  /** The same item in all rows. */
  readonly isSame: boolean;
}

interface GroupPlace {
  /** The table. */
  readonly name: string;
  /** Rows of the group. */
  readonly length: number;
  readonly depth: number;
}

const PACKED = recordOf({ groups: list, rows: list });
const GROUP = recordOf({ shape: (stored) => stored, columns: list });

/** Returns true for a table that is packed. */
export function isPackedTable(stored: unknown): stored is StoredRecord {
  return isMap(stored);
}

function placeOf(item: readonly unknown[], name: string): readonly [group: number, count: number] {
  if (item.length !== 2) throw damaged(`a place of \`${name}\` is of a wrong kind`);
  return [count(item[0], name), count(item[1], name)];
}

function scalar(stored: unknown, name: string): Scalar {
  if (typeof stored === "object" && stored !== null) throw damaged(`a column of \`${name}\` holds a list`);
  return stored as Scalar;
}
