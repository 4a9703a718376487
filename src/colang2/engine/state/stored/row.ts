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

/** The records of a conversation that are still as they were stored, so that they need not be written again. */
export interface WrittenRecords {
  readonly packing: Packing;
  readonly logs: WrittenLogs;
  /** Takes over the rows of a table that was read, in the order of its records. */
  restore(table: TableName, records: Iterable<object>, rows: readonly StoredRow[]): void;
  /** Begins an examination; records may change between two of them. */
  begin(): void;
  /** Returns a function that examines records in their order. It returns true for those that are unchanged and refer to nothing. */
  examine(table: TableName): (record: object) => boolean;
  /**
   * The rows of a table.
   *
   * @param write - writes a record that has changed, or holds values that others may share
   * @param onKept - receives the size of each row that stays
   */
  rows(
    table: TableName,
    records: Iterable<object>,
    write: (record: object) => WrittenRow,
    onKept: (size: DataSize) => void,
  ): StoredRow[];
}
