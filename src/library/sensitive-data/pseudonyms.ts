import type { PseudonymTable } from "../../actions/pseudonym-table.js";
import { Pseudonyms, type PseudonymState } from "../../detectors/apply/pseudonyms.js";

/**
 * Returns the table of a stored conversation.
 *
 * @throws InputShapeError for a state that was not made by `toJSON`
 */
export function openPseudonyms(state: unknown): PseudonymTable {
  // The constructor validates what a store returned.
  return new Pseudonyms(state as PseudonymState);
}
