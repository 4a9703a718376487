import type { FactCheckingResult } from "../run/fact-checking.js";
import type { HallucinationResult } from "../run/hallucination.js";
import type { BlockRates, ModerationResult } from "../run/moderation.js";
import type { TopicalResult } from "../run/topical-result.js";
import type { CostSummary } from "../metrics/cost.js";
import type { Estimate } from "../metrics/estimate.js";
import { type Columns, formatCount, formatDuration, formatEstimate, formatShare, tableOf } from "./cells.js";
import { describeDetectors } from "./describe-detectors.js";
import type { EvaluationResult, ReportBar, ReportSection, ReportTable } from "./report.js";

type Kind = EvaluationResult["kind"];
type ResultOf<K extends Kind> = Extract<EvaluationResult, { readonly kind: K }>;

const DESCRIBERS: { readonly [K in Kind]: (results: readonly ResultOf<K>[]) => ReportSection } = {
  topical: describeTopical,
  moderation: describeModeration,
  "fact-checking": describeFactChecking,
  hallucination: describeHallucination,
  detectors: describeDetectors,
};

/** One section for every kind of evaluation among the results. */
export function describeResults(results: readonly EvaluationResult[]): readonly ReportSection[] {
  const describe = <K extends Kind>(kind: K): readonly ReportSection[] => {
    const ofKind = results.filter((result): result is ResultOf<K> => result.kind === kind);
    return ofKind.length === 0 ? [] : [DESCRIBERS[kind](ofKind)];
  };
  return (Object.keys(DESCRIBERS) as Kind[]).flatMap(describe);
}

/** Name of a result in tables and charts. */
function nameOf(result: EvaluationResult): string {
  const name = `${result.dataset}, ${result.system}`;
  return result.kind === "topical" ? `${name}, k=${result.examplesPerIntent}` : name;
}

/** Runs, tokens and latency of everything that was measured. */
function costsOf(
  results: readonly EvaluationResult[],
  prefixOf = (result: EvaluationResult): string => `${nameOf(result)}: `,
): ReportTable {
  const rows = results.flatMap((result) =>
    result.cost.map((cost) => ({ ...cost, name: prefixOf(result) + cost.name })),
  );
  return tableOf("Cost", rows, COSTS);
}

const COSTS: Columns<CostSummary> = {
  what: ({ name }) => name,
  runs: ({ runs }) => formatCount(runs),
  "tokens in": ({ inputTokens }) => formatCount(inputTokens),
  "tokens out": ({ outputTokens }) => formatCount(outputTokens),
  p50: ({ p50Ms }) => formatDuration(p50Ms),
  p95: ({ p95Ms }) => formatDuration(p95Ms),
};

/** Draws a bar for an estimate; empty without a value. */
function barOf(label: string, estimate: Estimate | undefined): readonly ReportBar[] {
  if (estimate === undefined) return [];
  const { value, low, high } = estimate;
  return [{ label, value, low, high }];
}

function describeTopical(results: readonly TopicalResult[]): ReportSection {
  const outOfScope = results.filter((result) => result.outOfScope !== undefined);
  const hasSteps = results.some(({ botIntent }) => botIntent !== undefined);
  const bars = outOfScope.flatMap((result) => barOf(nameOf(result), result.outOfScope?.auroc));
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
      tableOf("User intents", results, USER_INTENTS),
      ...(hasSteps ? [tableOf("Next steps and messages", results, NEXT_STEPS)] : []),
      ...(outOfScope.length > 0 ? [tableOf("Out of scope", outOfScope, OUT_OF_SCOPE)] : []),
      costsOf(results),
    ],
    charts: [
      { title: "User intent", bars: results.flatMap((result) => barOf(nameOf(result), result.userIntent)) },
      ...(outOfScope.length > 0 ? [{ title: "Out of scope, AUROC", bars }] : []),
    ],
  };
}

const USER_INTENTS: Columns<TopicalResult> = {
  "data set": nameOf,
  intents: ({ intents }) => formatCount(intents),
  examples: ({ examples }) => formatCount(examples),
  tests: ({ userIntent }) => formatCount(userIntent?.samples),
  "user intent": ({ userIntent }) => formatEstimate(userIntent),
  "macro F1": ({ macroF1 }) => formatShare(macroF1),
  abstained: ({ abstained }) => formatShare(abstained?.value),
  errors: ({ errors }) => formatCount(errors),
  build: ({ buildMs }) => formatDuration(buildMs),
};

const NEXT_STEPS: Columns<TopicalResult> = {
  "data set": nameOf,
  "bot intent": ({ botIntent }) => formatEstimate(botIntent),
  "bot message": ({ botMessage }) => formatEstimate(botMessage),
};

const OUT_OF_SCOPE: Columns<TopicalResult> = {
  "data set": nameOf,
  tests: ({ outOfScope }) => formatCount(outOfScope?.samples),
  AUROC: ({ outOfScope }) => formatEstimate(outOfScope?.auroc),
  precision: ({ outOfScope }) => formatShare(outOfScope?.verdicts.precision),
  recall: ({ outOfScope }) => formatShare(outOfScope?.verdicts.recall),
  F1: ({ outOfScope }) => formatShare(outOfScope?.verdicts.f1),
};

function describeModeration(results: readonly ModerationResult[]): ReportSection {
  const isJudged = results.every((result) => result.isJudged);
  return {
    title: "Moderation",
    notes: [
      isJudged
        ? "Blocked means that the user gets no response: a rail flagged it, or the model declined of itself."
        : "Blocked means that a rail flagged it; refusals of the model itself were not judged.",
      "Precision, recall and F1 are those of blocking as a verdict that the request is harmful.",
      "Requests for which a rail, the model or the judge failed are counted as errors and stand in no figure.",
    ],
    tables: results.flatMap((result) => [
      tableOf(`${nameOf(result)}: what the user gets`, result.configurations, BLOCK_RATES),
      tableOf(`${nameOf(result)}: rails alone, asked about every request`, result.rails, BLOCK_RATES),
      costsOf([result], () => ""),
    ]),
    charts: results.flatMap((result) =>
      (["harmful", "helpful"] as const).map((label) => ({
        title: `${nameOf(result)}: ${label} requests blocked`,
        bars: result.configurations.flatMap((rates) => barOf(rates.name, rates[`${label}Blocked`])),
      })),
    ),
  };
}

const BLOCK_RATES: Columns<BlockRates> = {
  configuration: ({ name }) => name,
  "harmful blocked": ({ harmfulBlocked }) => formatEstimate(harmfulBlocked),
  "helpful blocked": ({ helpfulBlocked }) => formatEstimate(helpfulBlocked),
  precision: ({ metrics }) => formatShare(metrics.precision),
  recall: ({ metrics }) => formatShare(metrics.recall),
  F1: ({ metrics }) => formatShare(metrics.f1),
  errors: ({ errors }) => formatCount(errors),
};

function describeFactChecking(results: readonly FactCheckingResult[]): ReportSection {
  return {
    title: "Fact-checking",
    notes: [
      "Precision, recall and F1 are those of flagging as a verdict that the answer is not grounded.",
      "Where the baselines are high, answer length or shared words give the classes away, and a high accuracy does not show fact-checking.",
    ],
    tables: [
      tableOf("Accuracy", results, {
        "data set": nameOf,
        "grounded passed": ({ positiveAccuracy }) => formatEstimate(positiveAccuracy),
        "ungrounded flagged": ({ negativeAccuracy }) => formatEstimate(negativeAccuracy),
        overall: ({ accuracy }) => formatEstimate(accuracy),
        precision: ({ metrics }) => formatShare(metrics.precision),
        recall: ({ metrics }) => formatShare(metrics.recall),
        F1: ({ metrics }) => formatShare(metrics.f1),
        errors: ({ errors }) => formatCount(errors),
      }),
      tableOf("Baselines without checking (AUROC)", results, {
        "data set": nameOf,
        "answer length": ({ baselines }) => formatEstimate(baselines.answerLength),
        "words not in the evidence": ({ baselines }) => formatEstimate(baselines.wordOverlap),
      }),
      costsOf(results),
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

function describeHallucination(results: readonly HallucinationResult[]): ReportSection {
  return {
    title: "Hallucination",
    notes: [
      "Every question rests on something untrue. Deflected: the response notices it or admits not to know.",
      "Intercepted: the rail flags a response that did not deflect. Handled: deflected or flagged.",
      "There is no ground truth and there are few questions: read the responses in the JSON report too.",
    ],
    tables: [
      tableOf("Answers", results, {
        "data set": nameOf,
        questions: ({ samples }) => formatCount(samples),
        deflected: ({ deflected }) => formatEstimate(deflected),
        flagged: ({ flagged }) => formatEstimate(flagged),
        intercepted: ({ intercepted }) => formatEstimate(intercepted),
        handled: ({ handled }) => formatEstimate(handled),
        errors: ({ errors }) => formatCount(errors),
      }),
      costsOf(results),
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
