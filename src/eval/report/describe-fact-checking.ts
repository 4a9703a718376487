import type { FactCheckingResult } from "../run/fact-checking.js";
import { barOf, costTable, formatCount, formatEstimate, formatShare } from "./figures.js";
import type { ReportSection } from "./section.js";

/** Grounded against ungrounded answers, and what counting letters and words would tell. */
export function describeFactChecking(results: readonly FactCheckingResult[]): ReportSection {
  return {
    title: "Fact-checking",
    notes: [
      "Precision, recall and F1 are those of flagging as a verdict that the answer is not grounded.",
      "Where the baselines are high, answer length or shared words give the classes away, and a high accuracy is no evidence of fact-checking.",
    ],
    tables: [
      {
        title: "Accuracy",
        columns: [
          "data set",
          "grounded passed",
          "ungrounded flagged",
          "overall",
          "precision",
          "recall",
          "F1",
          "errors",
        ],
        rows: results.map((result) => [
          nameOf(result),
          formatEstimate(result.positiveAccuracy),
          formatEstimate(result.negativeAccuracy),
          formatEstimate(result.accuracy),
          formatShare(result.metrics.precision),
          formatShare(result.metrics.recall),
          formatShare(result.metrics.f1),
          formatCount(result.errors),
        ]),
      },
      {
        title: "Baselines without checking (AUROC)",
        columns: ["data set", "answer length", "words not in the evidence"],
        rows: results.map((result) => [
          nameOf(result),
          formatEstimate(result.baselines.answerLength),
          formatEstimate(result.baselines.wordOverlap),
        ]),
      },
      costTable(results.map((result) => ({ of: nameOf(result), cost: result.cost }))),
    ],
    charts: results.map((result) => ({
      title: `${nameOf(result)}: accuracy`,
      bars: [
        ...barOf("grounded passed", result.positiveAccuracy),
        ...barOf("ungrounded flagged", result.negativeAccuracy),
        ...barOf("overall", result.accuracy),
      ],
    })),
  };
}

function nameOf({ dataset, system }: FactCheckingResult): string {
  return `${dataset}, ${system}`;
}
