// The entry point `langchain-guardrails/matcher`.
export {
  createIntentMatcher,
  type IntentMatcher,
  type IntentMatcherOptions,
} from "../retrieval/matcher/intent-matcher.js";
export type { IntentExample } from "../retrieval/matcher/examples.js";
export type { HybridIntentMatcher, HybridMatcherOptions } from "../retrieval/matcher/hybrid/hybrid-matcher.js";
export type { NearExample, RankedIntent } from "../retrieval/matcher/ranker.js";
export type { MatcherProgress } from "../retrieval/matcher/build-job.js";
export type { MatcherCache } from "../retrieval/matcher/matcher-cache.js";
export { openFileMatcherCache } from "../retrieval/file-matcher-cache.js";
export { MatcherEmbeddings } from "./retrieval/matcher-embeddings.js";
