export { Guardrails, type ChatModelLike, type CheckResult } from "./langchain/guardrails.js";
export type { GuardrailsOptions } from "./langchain/load.js";
export type { StreamingOptions } from "./turn/stream-plan.js";
export type { VectorStoreFactory, VectorStoreOptions, VectorStoreSource } from "./langchain/retrieval/vector-stores.js";
export type { ConfigContent } from "./config/load/load.js";
export type { GuardrailsCallOptions, OnBlocked } from "./langchain/call.js";
export type { RawTokens } from "./langchain/callbacks.js";
export { combineConfigs, configJsonSchema, loadConfig } from "./langchain/configs.js";
export { MatcherEmbeddings } from "./langchain/retrieval/matcher-embeddings.js";
export {
  createIntentMatcher,
  type IntentExample,
  type IntentMatcher,
  type IntentMatcherOptions,
  type MatcherProgress,
  type NearExample,
  type RankedIntent,
} from "./retrieval/matcher/intent-matcher.js";
export type { MatcherCache } from "./retrieval/matcher/matcher-cache.js";
export { openFileMatcherCache } from "./retrieval/file-matcher-cache.js";
export { inputModeration, outputModeration, type ModerationOptions } from "./langchain/moderation.js";
export { GuardedChatModel, type WrapModelOptions } from "./langchain/guarded-chat-model.js";
export { GuardedTool, type ToolLike } from "./langchain/guarded-tool.js";
export type { WrapOptions } from "./langchain/guarded-runnable.js";
export type { InputStepOptions } from "./langchain/steps/input-step.js";
export type { OutputStepOptions } from "./langchain/steps/output-step.js";
export type { RetrievalStepOptions } from "./langchain/steps/retrieval-step.js";
export type { FlowInput } from "./langchain/steps/flow-step.js";
export type { IntentInput } from "./langchain/steps/stage-steps.js";
export type { RailInput } from "./langchain/steps/subject.js";
export type { BranchOptions } from "./langchain/steps/branch.js";
export {
  fromKeyValueStore,
  fromLangGraphStore,
  type GraphStore,
  type KeyValueStore,
  type KeyValueThreadsOptions,
  type SharedOptions,
  type StoredForms,
} from "./langchain/threads/thread-stores.js";
export { GuardrailViolationError } from "./langchain/violation-error.js";
export { DECISION_EVENT, verdictOf } from "./langchain/verdict.js";
export {
  extractSegments,
  extractText,
  mapText,
  type TextKind,
  type TextSelection,
} from "./langchain/values/content.js";
export type { EngineFactory, EngineRequest } from "./langchain/models/model-providers.js";
export type {
  ConversationState,
  ExplainInfo,
  GeneratedMessage,
  GenerationOptions,
  GenerationResult,
} from "./langchain/generation/generation-result.js";
export type { GenerationMessage } from "./langchain/generation/generation-messages.js";

export type { GuardrailsMetadata, RailDecision, RailStage, RailStatus } from "./turn/decision.js";
export type { DroppedEvent, EventSession, SessionOptions } from "./runtime/event-session.js";
export type { LogOptions, RailSelection } from "./turn/options.js";
export type {
  ActivatedRail,
  ChunkSource,
  ExecutedAction,
  FlowExplanation,
  TurnLog,
  TurnProblem,
  TurnStats,
} from "./turn/result.js";
export type { BotUtterance, CanonicalForm, FlowResult, NextStep } from "./runtime/port.js";
export { ThreadStoreError } from "./threads/thread-store-error.js";
export {
  MemoryThreadStore,
  type MemoryThreadStoreOptions,
  type StoredThread,
  type ThreadStore,
} from "./threads/thread-store.js";
export type { Clock } from "./engine/clock.js";
export type { GuardrailsApp } from "./runtime/create/app.js";
export type { RailsConfig } from "./config/rails-config.js";
export type { ToolRule, ToolRules, ValueSchema } from "./library/tool-rules.js";
export { actionResult } from "./actions/action-result.js";
export { defineAction, type ActionOptions } from "./actions/define-action.js";
export type { ActionContext, ActionDefinition, ActionResult, VerdictDetails } from "./actions/action.js";
export type { LlmCallRecord } from "./llm/task/record.js";
export type { GuardrailsEvent } from "./engine/events.js";
export { formatDiagnostic } from "./diagnostics/code-frame.js";
export type { Logger } from "./diagnostics/logger.js";
export type { Diagnostic } from "./diagnostics/diagnostic.js";

export {
  ActionError,
  ColangRuntimeError,
  ColangSyntaxError,
  ColangValidationError,
  ConfigError,
  DiagnosticError,
  ExpressionError,
  GuardrailsError,
  InputShapeError,
  LimitError,
  ModelError,
  OutputParseError,
} from "./diagnostics/errors.js";
