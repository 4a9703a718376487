export {
  createIndexRanker,
  type CreateIntentRanker,
  evaluateMatcher,
  type IndexRankerOptions,
  type IntentRanker,
  type MatcherOptions,
} from "./run/matcher.js";
export { colangIntent, evaluateTopical, topicalContent, type TopicalOptions } from "./run/topical.js";
export {
  type BlockRates,
  evaluateModeration,
  type ModerationOptions,
  type ModerationResult,
} from "./run/moderation.js";
export { evaluateFactChecking, type FactCheckingOptions, type FactCheckingResult } from "./run/fact-checking.js";
export { evaluateHallucination, type HallucinationOptions, type HallucinationResult } from "./run/hallucination.js";
export { type DetectorsOptions, evaluateDetectors } from "./detectors/evaluate.js";
export {
  type CurvePoint,
  type DetectorBar,
  type DetectorCurve,
  type DetectorMeasure,
  type DetectorRow,
  type DetectorSection,
  type DetectorsResult,
  missedRows,
} from "./detectors/result.js";
export type { TopicalPrediction, TopicalResult } from "./run/topical-result.js";
export type { EvaluationProgress, RunOptions } from "./run/run-samples.js";
export type { IntentExample } from "../retrieval/matcher/examples.js";
export type { RankedIntent } from "../retrieval/matcher/ranker.js";

export { createJudge, type Judge, type JudgeOptions } from "./judge/judge.js";
export type { Judgement } from "./run/ask.js";

export { type DataFolder, findDatasets, memoryDataFolder, openDataFolder } from "./dataset/data-folder.js";
export {
  type FactSample,
  type FalsePremiseQuestion,
  loadFactChecking,
  loadHallucination,
  loadModeration,
  type ModerationSample,
} from "./dataset/labelled-texts.js";
export {
  type LabelledUtterance,
  loadTopical,
  type SplitOptions,
  splitTopical,
  takeExamples,
  type TopicalDataset,
} from "./dataset/topical.js";
export { EvaluationDataError } from "../diagnostics/errors.js";

export {
  type BinaryMetrics,
  type BinaryOutcome,
  computeAuroc,
  computeMacroF1,
  scoreBinary,
} from "./metrics/classification.js";
export { type CostSample, type CostSummary, percentile, summarizeCost } from "./metrics/cost.js";
export { bootstrap, type BootstrapOptions, type Estimate, estimateRate } from "./metrics/estimate.js";

export { formatHtml, type HtmlOptions } from "./report/html.js";
export { formatMarkdown } from "./report/markdown.js";
export { formatJson, formatText } from "./report/text.js";
export type { EvaluationResult } from "./report/report.js";
