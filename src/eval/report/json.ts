import type { EvaluationResult } from "./section.js";

/** The form of the JSON report; it changes when a reader of an older report would stumble. */
export const REPORT_VERSION = 1;

/** The results with all predictions, as JSON text. Data is named by file line; its texts are not repeated. */
export function formatJson(results: readonly EvaluationResult[]): string {
  return `${JSON.stringify({ version: REPORT_VERSION, results }, undefined, 2)}\n`;
}
