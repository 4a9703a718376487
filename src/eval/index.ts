export { evaluateMatcher, type MatcherOptions } from "./run/matcher.js";
export { evaluateTopical, type TopicalOptions } from "./run/topical.js";
export { evaluateModeration, type ModerationOptions } from "./run/moderation.js";
export { evaluateFactChecking, type FactCheckingOptions, type FactCheckingResult } from "./run/fact-checking.js";
export { evaluateHallucination, type HallucinationOptions, type HallucinationResult } from "./run/hallucination.js";
export type { BlockRates, ModerationResult } from "./run/moderation.js";
export type { TopicalPrediction, TopicalResult } from "./run/topical-result.js";
export type { EvaluationProgress, RunOptions } from "./run/run-samples.js";
export {
  createIndexRanker,
  type CreateIntentRanker,
  type IndexRankerOptions,
  type IntentRanker,
} from "./run/matcher.js";
export type { IntentExample, RankedIntent } from "../retrieval/matcher/intent-matcher.js";
export { colangIntent, topicalContent } from "./run/topical.js";

export { createJudge, type Judge, type Judgement, type JudgeOptions } from "./judge/judge.js";

export { type DataFolder, memoryDataFolder, openDataFolder } from "./dataset/data-folder.js";
export { findDatasets } from "./dataset/data-folder.js";
export { type FactSample, loadFactChecking } from "./dataset/labelled-texts.js";
export { type FalsePremiseQuestion, loadHallucination } from "./dataset/labelled-texts.js";
export { loadModeration, type ModerationSample } from "./dataset/labelled-texts.js";
export {
  type LabelledUtterance,
  loadTopical,
  type SplitOptions,
  splitTopical,
  takeExamples,
  type TopicalDataset,
} from "./dataset/topical.js";
export { EvaluationDataError } from "../diagnostics/errors.js";

export { computeAuroc } from "./metrics/classification.js";
export { type BinaryMetrics, type BinaryOutcome, computeMacroF1, scoreBinary } from "./metrics/classification.js";
export { type CostSample, type CostSummary, percentile, summarizeCost } from "./metrics/cost.js";
export { bootstrap, type BootstrapOptions, type Estimate, estimateRate } from "./metrics/estimate.js";

export { formatHtml, type HtmlOptions } from "./report/html.js";
export { formatJson } from "./report/text.js";
export { formatText } from "./report/text.js";
export type { EvaluationResult } from "./report/report.js";
