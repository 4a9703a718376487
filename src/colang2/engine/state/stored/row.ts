import type { DataSize } from "../../../../engine/limits.js";
import type { Packing, StoredRow } from "./pack.js";
import type { WrittenLogs } from "./stored-log.js";

/** The stored form of a record. */
export interface WrittenRow {
  readonly row: StoredRow;
  /** Size of its values. */
  readonly size: DataSize;
}

/** The tables of records. */
export const TABLE_NAMES = ["flows", "ended", "activations", "actions"] as const;
export type TableName = (typeof TABLE_NAMES)[number];

/** Records that are still as stored, and need not be written again. */
export interface WrittenRecords {
  readonly packing: Packing;
  readonly logs: WrittenLogs;
  /** Adopts the rows of a table that was read, in record order. */
  restore(table: TableName, records: Iterable<object>, rows: readonly StoredRow[]): void;
  /** Starts a check; records may change between two of them. */
  begin(): void;
  /** Returns a function that checks records in order, and returns true for unchanged ones without references. */
  examine(table: TableName): (record: object) => boolean;
  /**
   * The rows of a table.
   *
   * @param write - writes a record that has changed or holds values that may be shared
   * @param onKept - receives the size of each unchanged row
   */
  rows(
    table: TableName,
    records: Iterable<object>,
    write: (record: object) => WrittenRow,
    onKept: (size: DataSize) => void,
  ): StoredRow[];
}
