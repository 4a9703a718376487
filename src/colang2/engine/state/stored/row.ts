import type { DataSize } from "../../../../engine/limits.js";
import type { Packing, StoredRow } from "./pack.js";

/** What was stored of a record. */
export interface WrittenRow {
  readonly row: StoredRow;
  /** Size of its values. */
  readonly size: DataSize;
}

/** The records of a conversation that are still as they were stored, so that they need not be written again. */
export interface WrittenRecords {
  readonly packing: Packing;
  /** Begins an examination; records may change between two of them. */
  begin(): void;
  /** Examines a record. Returns true for one that is unchanged and refers to nothing. */
  isPlain(record: object): boolean;
  /** What was stored of a record that this examination found unchanged. */
  find(record: object): WrittenRow | undefined;
  add(record: object, row: StoredRow, size: DataSize): void;
}
