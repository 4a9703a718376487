import { describeFactChecking } from "./describe-fact-checking.js";
import { describeHallucination } from "./describe-hallucination.js";
import { describeModeration } from "./describe-moderation.js";
import { describeTopical } from "./describe-topical.js";
import type { EvaluationResult, ReportSection } from "./section.js";

type Kind = EvaluationResult["kind"];
type ResultOf<K extends Kind> = Extract<EvaluationResult, { readonly kind: K }>;

const DESCRIBERS: { readonly [K in Kind]: (results: readonly ResultOf<K>[]) => ReportSection } = {
  topical: describeTopical,
  moderation: describeModeration,
  "fact-checking": describeFactChecking,
  hallucination: describeHallucination,
};

/** One section for every kind of evaluation among the results. */
export function describeResults(results: readonly EvaluationResult[]): readonly ReportSection[] {
  const describe = <K extends Kind>(kind: K): readonly ReportSection[] => {
    const own = results.filter((result): result is ResultOf<K> => result.kind === kind);
    return own.length === 0 ? [] : [DESCRIBERS[kind](own)];
  };
  return (Object.keys(DESCRIBERS) as Kind[]).flatMap(describe);
}
