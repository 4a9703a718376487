import type { TopicalResult } from "../run/topical-result.js";
import { barOf, costTable, formatCount, formatDuration, formatEstimate, formatShare } from "./figures.js";
import type { ReportSection, ReportTable } from "./section.js";

/** Intents, next steps and messages of all topical runs. */
export function describeTopical(results: readonly TopicalResult[]): ReportSection {
  const outOfScope = results.filter((result) => result.outOfScope !== undefined);
  const hasSteps = results.some(({ botIntent }) => botIntent !== undefined);
  return {
    title: "Topical rails",
    notes: [
      "An utterance counts as right when its user intent is the expected one to the letter.",
      "k is how many examples of each intent were known, the first ones in file order.",
      ...(hasSteps
        ? ["Bot intents and messages count only where flows and predefined messages say what is right."]
        : []),
    ],
    tables: [
      understoodTable(results),
      ...(hasSteps ? [stepsTable(results)] : []),
      ...(outOfScope.length > 0 ? [outOfScopeTable(outOfScope)] : []),
      costTable(results.map((result) => ({ of: nameOf(result), cost: result.cost }))),
    ],
    charts: [
      { title: "User intent", bars: results.flatMap((result) => barOf(nameOf(result), result.userIntent)) },
      ...(outOfScope.length > 0
        ? [
            {
              title: "Out of scope, AUROC",
              bars: outOfScope.flatMap((result) => barOf(nameOf(result), result.outOfScope?.auroc)),
            },
          ]
        : []),
    ],
  };
}

function nameOf({ dataset, system, examplesPerIntent }: TopicalResult): string {
  return `${dataset}, ${system}, k=${examplesPerIntent}`;
}

function understoodTable(results: readonly TopicalResult[]): ReportTable {
  return {
    title: "User intents",
    columns: ["data set", "intents", "examples", "tests", "user intent", "macro F1", "abstained", "errors", "build"],
    rows: results.map((result) => [
      nameOf(result),
      formatCount(result.intents),
      formatCount(result.examples),
      formatCount(result.userIntent?.samples),
      formatEstimate(result.userIntent),
      formatShare(result.macroF1),
      formatShare(result.abstained?.value),
      formatCount(result.errors),
      formatDuration(result.buildMs),
    ]),
  };
}

function stepsTable(results: readonly TopicalResult[]): ReportTable {
  return {
    title: "Next steps and messages",
    columns: ["data set", "bot intent", "bot message"],
    rows: results.map((result) => [
      nameOf(result),
      formatEstimate(result.botIntent),
      formatEstimate(result.botMessage),
    ]),
  };
}

function outOfScopeTable(results: readonly TopicalResult[]): ReportTable {
  return {
    title: "Out of scope",
    columns: ["data set", "tests", "AUROC", "precision", "recall", "F1"],
    rows: results.map((result) => [
      nameOf(result),
      formatCount(result.outOfScope?.samples),
      formatEstimate(result.outOfScope?.auroc),
      formatShare(result.outOfScope?.verdicts.precision),
      formatShare(result.outOfScope?.verdicts.recall),
      formatShare(result.outOfScope?.verdicts.f1),
    ]),
  };
}
