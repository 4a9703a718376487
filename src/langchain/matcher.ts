// The entry point `langchain-guardrails/matcher`.
export {
  createIntentMatcher,
  type IntentExample,
  type IntentMatcher,
  type IntentMatcherOptions,
} from "../retrieval/matcher/intent-matcher.js";
export type { NearExample, RankedIntent } from "../retrieval/matcher/ranker.js";
export type { MatcherProgress } from "../retrieval/matcher/build-model.js";
export type { MatcherCache } from "../retrieval/matcher/matcher-cache.js";
export { openFileMatcherCache } from "../retrieval/file-matcher-cache.js";
export { MatcherEmbeddings } from "./retrieval/matcher-embeddings.js";
