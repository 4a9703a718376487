import type { DataSize } from "../../../../engine/limits.js";
import { ComparisonValue } from "../../../../expressions/values/number-text.js";
import { PatternValue } from "../../../../expressions/values/pattern.js";
import { VALUE_TABLES } from "../records.js";
import { ActionReference, FlowReference } from "../references.js";
import { Packing, type StoredRow } from "./pack.js";
import type { TableName, WrittenRecords, WrittenRow } from "./row.js";
import { WrittenLogs } from "./stored-log.js";

/** A record and its last stored form. */
interface WrittenRecord extends WrittenRow {
  /** Undefined if the record's content may change elsewhere. */
  readonly content: Content | undefined;
  /** True if it refers to no flow or action, and so keeps none alive. */
  readonly isPlain: boolean;
  /** Number of the last check that found it unchanged. */
  examined: number;
}

/** INVARIANT: a record is compared with everything it held when it was stored, so no change is missed. */
export class ComparedRecords implements WrittenRecords {
  readonly packing: Packing;
  readonly logs = new WrittenLogs();
  readonly #tables = new Map<TableName, ComparedTable>();
  #examination = 0;

  /** @param prefix - of the identifiers of the conversation */
  constructor(prefix: string) {
    this.packing = new Packing(prefix);
  }

  restore(name: TableName, records: Iterable<object>, rows: readonly StoredRow[]): void {
    const table: ComparedTable = { records: [...records], written: [] };
    for (const [at, record] of table.records.entries()) {
      const row = rows[at];
      if (row === undefined) continue;
      const written = newRecord(record, row);
      // References are resolved while they are read, so they may differ from the row.
      table.written.push(written.isPlain ? written : { ...written, content: undefined });
    }
    this.#tables.set(name, table);
  }

  begin(): void {
    this.#examination += 1;
  }

  examine(name: TableName): (record: object) => boolean {
    const find = this.#find(name);
    return (record) => {
      const written = find(record);
      if (written === undefined || !isSameRecord(record, written.content)) return false;
      written.examined = this.#examination;
      return written.isPlain;
    };
  }

  rows(...[name, records, write, onKept]: Parameters<WrittenRecords["rows"]>): StoredRow[] {
    const find = this.#find(name);
    const table: ComparedTable = { records: [], written: [] };
    const rows: StoredRow[] = [];
    for (const record of records) {
      let written = find(record);
      const isSame =
        written !== undefined && (written.examined === this.#examination || isSameRecord(record, written.content));
      if (written !== undefined && isSame) onKept(written.size);
      else {
        const { row, size } = write(record);
        written = newRecord(record, row, size);
      }
      table.records.push(record);
      table.written.push(written);
      rows.push(written.row);
    }
    this.#tables.set(name, table);
    return rows;
  }

  /** Finds records in order: tables keep insertion order. */
  #find(name: TableName): (record: object) => WrittenRecord | undefined {
    const { records, written } = this.#tables.get(name) ?? EMPTY;
    let at = -1;
    return (record) => {
      do at += 1;
      while (at < records.length && records[at] !== record);
      return written[at];
    };
  }
}

/** Records of a table as last stored. */
interface ComparedTable {
  readonly records: object[];
  readonly written: WrittenRecord[];
}

const EMPTY: ComparedTable = { records: [], written: [] };

/** @param given - size of its values; counted by default */
function newRecord(record: object, row: StoredRow, given?: DataSize): WrittenRecord {
  const reader = new ContentReader();
  const content = reader.record(record);
  const { isPlain, values, characters } = reader;
  return { row, size: given ?? { values, characters }, content, isPlain, examined: 0 };
}

/** Items of an object at one time, in order, with the content of mutable ones. */
interface Content {
  /** Set for a map of values; records have constant field names. */
  readonly names: readonly string[] | undefined;
  readonly items: readonly unknown[];
  readonly inside: readonly { readonly at: number; readonly content: Content }[];
}

function isSameRecord(record: object, content: Content | undefined): boolean {
  if (content === undefined) return false;
  const { items, inside } = content;
  let at = 0;
  // Runs for every waiting record: engines read fields in a for-in loop as fast as fixed fields.
  for (const name in record) {
    if ((record as Readonly<Record<string, unknown>>)[name] !== items[at]) return false;
    at += 1;
  }
  return at === items.length && areSame(items, inside);
}

function areSame(items: readonly unknown[], inside: Content["inside"]): boolean {
  for (const { at, content } of inside) {
    const part = items[at] as object;
    if (content === EMPTY_LIST) {
      if ((part as readonly unknown[]).length > 0) return false;
      continue;
    }
    const isSame = Array.isArray(part) ? isSameList : content.names === undefined ? isSameRecord : isSameMap;
    if (!isSame(part as never, content)) return false;
  }
  return true;
}

function isSameList(list: readonly unknown[], { items, inside }: Content): boolean {
  if (list.length !== items.length) return false;
  for (let at = 0; at < items.length; at += 1) if (list[at] !== items[at]) return false;
  return areSame(items, inside);
}

function isSameMap(map: Readonly<Record<string, unknown>>, { names = [], items, inside }: Content): boolean {
  const now = Object.keys(map);
  if (now.length !== names.length) return false;
  for (let at = 0; at < now.length; at += 1) {
    const name = now[at] ?? "";
    if (name !== names[at] || map[name] !== items[at]) return false;
  }
  return areSame(items, inside);
}

/** Fields that are only replaced as a whole. */
const REPLACED: ReadonlySet<string> = new Set(["hierarchy", "bound", "startArguments", "pattern"]);

/** Transient fields, and fields shared with other parts of the conversation. */
const PASSING: ReadonlySet<string> = new Set(["act", "pause", "pausesWhenStarted"]);

/** Reads the content of a record. Undefined if lists, maps or events among its values may be shared. */
class ContentReader {
  isPlain = true;
  /** Size of the values. */
  values = 0;
  characters = 0;

  record(record: object): Content | undefined {
    const items: unknown[] = [];
    const inside: { at: number; content: Content }[] = [];
    for (const [name, item] of Object.entries(record) as [string, unknown][]) {
      items.push(item);
      if (typeof item !== "object" || item === null) {
        if (name === "returnValue" && item !== null && item !== false) this.#count(item);
        continue;
      }
      if (PASSING.has(name)) return undefined;
      const content = this.#part(name, item);
      if (content === undefined) return undefined;
      if (content !== UNCHANGING && !REPLACED.has(name)) inside.push({ at: items.length - 1, content });
    }
    return { names: undefined, items, inside };
  }

  #part(name: string, item: object): Content | undefined {
    if (name === "returnValue") {
      this.#count(item);
      return this.#value(item);
    }
    if (name === "ownerships" && (item as readonly unknown[]).length > 0) this.isPlain = false;
    // `collect` tidies up the scopes of an instance.
    if (name === "scopes" && typeof (item as readonly unknown[])[0] === "object") return undefined;
    const isTable = VALUE_TABLES.has(name);
    if (isTable && !Array.isArray(item)) return this.#map(item as Readonly<Record<string, unknown>>);
    if (!Array.isArray(item)) return this.record(item);
    if (item.length === 0) return EMPTY_LIST;
    const inside: { at: number; content: Content }[] = [];
    for (const [at, entry] of (item as unknown[]).entries()) {
      if (typeof entry !== "object" || entry === null) continue;
      // A constraint is a name and a value.
      const content = isTable ? this.#constraint(entry as readonly unknown[]) : this.record(entry);
      if (content === undefined) return undefined;
      if (content !== UNCHANGING) inside.push({ at, content });
    }
    return { names: undefined, items: [...(item as unknown[])], inside };
  }

  #count(value: unknown): void {
    this.values += 1;
    if (typeof value === "string") this.characters += value.length;
  }

  #constraint([, value]: readonly unknown[]): Content | undefined {
    this.#count(value);
    return typeof value === "object" && value !== null ? this.#value(value) : UNCHANGING;
  }

  #map(map: Readonly<Record<string, unknown>>): Content | undefined {
    const names = Object.keys(map);
    const items = names.map((name) => map[name]);
    const inside: { at: number; content: Content }[] = [];
    for (const [at, item] of items.entries()) {
      this.characters += names[at]?.length ?? 0;
      this.#count(item);
      const content = typeof item === "object" && item !== null ? this.#value(item) : UNCHANGING;
      if (content === undefined) return undefined;
      if (content !== UNCHANGING) inside.push({ at, content });
    }
    return { names, items, inside };
  }

  #value(value: object): Content | undefined {
    if (value instanceof PatternValue || value instanceof ComparisonValue) return UNCHANGING;
    if (!(value instanceof ActionReference || value instanceof FlowReference)) return undefined;
    this.isPlain = false;
    return this.record(value);
  }
}

const UNCHANGING: Content = { names: undefined, items: [], inside: [] };
/** Most lists of a record are empty. */
const EMPTY_LIST: Content = { names: undefined, items: [], inside: [] };
