import { type DataFile, readJsonLines } from "../json-lines.js";

/** An instruction that is planted in documents. */
export interface PlantedInstruction {
  readonly text: string;
  readonly category: string;
}

/**
 * Reads instructions to plant: `text` and `category`.
 *
 * @throws EvaluationDataError
 */
export function readPlantedInstructions(file: DataFile): readonly PlantedInstruction[] {
  return readJsonLines(file, (row) => ({ text: row.text("text"), category: row.text("category") }));
}

/**
 * Reads documents to plant instructions in: `context`.
 *
 * @throws EvaluationDataError
 */
export function readHostDocuments(file: DataFile): readonly string[] {
  return readJsonLines(file, (row) => row.text("context"));
}
