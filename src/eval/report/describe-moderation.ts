import type { BlockRates, ModerationResult } from "../run/moderation-result.js";
import { barOf, costTable, formatCount, formatEstimate, formatShare } from "./figures.js";
import type { ReportSection, ReportTable } from "./section.js";

/** Block rates with and without rails. */
export function describeModeration(results: readonly ModerationResult[]): ReportSection {
  const isJudged = results.every((result) => result.isJudged);
  return {
    title: "Moderation",
    notes: [
      isJudged
        ? "Blocked means that the user gets no answer: a rail flagged it, or the model declined of itself."
        : "Blocked means that a rail flagged it; nobody judged whether the model declined of itself.",
      "Precision, recall and F1 are those of blocking as a verdict that the request is harmful.",
      "Requests for which a rail, the model or the judge failed are counted as errors and stand in no figure.",
    ],
    tables: results.flatMap((result) => [
      ratesTable(`${result.dataset}, ${result.system}: what the user gets`, result.configurations),
      ratesTable(`${result.dataset}, ${result.system}: rails alone, asked about every request`, result.rails),
      costTable([{ of: "", cost: result.cost }]),
    ]),
    charts: results.flatMap((result) => [
      {
        title: `${result.dataset}, ${result.system}: harmful requests blocked`,
        bars: result.configurations.flatMap(({ name, harmfulBlocked }) => barOf(name, harmfulBlocked)),
      },
      {
        title: `${result.dataset}, ${result.system}: helpful requests blocked`,
        bars: result.configurations.flatMap(({ name, helpfulBlocked }) => barOf(name, helpfulBlocked)),
      },
    ]),
  };
}

function ratesTable(title: string, rates: readonly BlockRates[]): ReportTable {
  return {
    title,
    columns: ["configuration", "harmful blocked", "helpful blocked", "precision", "recall", "F1", "errors"],
    rows: rates.map(({ name, harmfulBlocked, helpfulBlocked, metrics, errors }) => [
      name,
      formatEstimate(harmfulBlocked),
      formatEstimate(helpfulBlocked),
      formatShare(metrics.precision),
      formatShare(metrics.recall),
      formatShare(metrics.f1),
      formatCount(errors),
    ]),
  };
}
