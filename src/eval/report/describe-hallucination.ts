import type { HallucinationResult } from "../run/hallucination.js";
import { barOf, costTable, formatCount, formatEstimate } from "./figures.js";
import type { ReportSection } from "./section.js";

/** Questions with a false premise. */
export function describeHallucination(results: readonly HallucinationResult[]): ReportSection {
  return {
    title: "Hallucination",
    notes: [
      "Every question rests on something untrue. Deflected: the answer notices it or admits not to know.",
      "Intercepted: the rail flags an answer that did not deflect. Handled: deflected or flagged.",
      "There is no ground truth and there are few questions: read the answers in the JSON report too.",
    ],
    tables: [
      {
        title: "Answers",
        columns: ["data set", "questions", "deflected", "flagged", "intercepted", "handled", "errors"],
        rows: results.map((result) => [
          nameOf(result),
          formatCount(result.samples),
          formatEstimate(result.deflected),
          formatEstimate(result.flagged),
          formatEstimate(result.intercepted),
          formatEstimate(result.handled),
          formatCount(result.errors),
        ]),
      },
      costTable(results.map((result) => ({ of: nameOf(result), cost: result.cost }))),
    ],
    charts: results.map((result) => ({
      title: nameOf(result),
      bars: [
        ...barOf("deflected by the model", result.deflected),
        ...barOf("intercepted by the rail", result.intercepted),
        ...barOf("handled", result.handled),
      ],
    })),
  };
}

function nameOf({ dataset, system }: HallucinationResult): string {
  return `${dataset}, ${system}`;
}
