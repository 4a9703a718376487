import { BACKGROUND_TABLE } from "./background-table.js";
import { hashText } from "./hash.js";

/** Seed of the places in the table; the script that builds it uses the same. */
const SEED = 0x51ab;

let table: Uint8Array | undefined;

/**
 * How much a stem says about what a text is about, from 0 to 1: next to nothing for `the`, everything for a word that
 * everyday requests do not have.
 */
export function backgroundWeight(stem: string): number {
  table ??= decode(atob(BACKGROUND_TABLE));
  return (table[hashText(stem, SEED) & (table.length - 1)] as number) / 255;
}

function decode(binary: string): Uint8Array {
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = binary.charCodeAt(at);
  return bytes;
}
