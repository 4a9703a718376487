// The entry point `langchain-guardrails`. Rails of your own, thread stores and the intent matcher have entries of their own:
// `/rails`, `/threads` and `/matcher`; agents `/middleware`, graphs `/langgraph`; tests `/testing`, evaluation `/eval`.

// Guardrails and their options
export { Guardrails, type ChatModelLike } from "./langchain/guardrails.js";
export type { GuardrailsOptions, PresetOptions } from "./langchain/load.js";
export type { PresetName } from "./library/presets.js";
export type { GuardrailsCallOptions } from "./langchain/call.js";
export type { OnBlocked } from "./langchain/blocked.js";
export type { RawTokens } from "./langchain/callbacks.js";
export type { StreamingOptions } from "./turn/stream-plan.js";
export type { RailSelection } from "./turn/options.js";
export type { EngineFactory, EngineRequest } from "./langchain/models/model-providers.js";
export type {
  VectorStoreFactory,
  VectorStoreOptions,
  VectorStoreSource,
} from "./langchain/retrieval/knowledge-sources.js";
export type { Logger } from "./diagnostics/logger.js";

// Configurations
export { combineConfigs, configJsonSchema, loadConfig } from "./langchain/configs.js";
export type { ConfigContent } from "./config/load/load-options.js";
export type { RailsConfig } from "./config/rails-config.js";

// Wrapped models, chains and tools
export { GuardedChatModel, type WrapModelOptions } from "./langchain/guarded-chat-model.js";
export type { WrapOptions } from "./langchain/guarded-runnable.js";
export { GuardedTool, type ToolLike } from "./langchain/guarded-tool.js";

// Steps
export { inputModeration, outputModeration, type ModerationOptions } from "./langchain/moderation.js";
export type {
  BranchOptions,
  CheckOptions,
  CheckResult,
  InputStepOptions,
  OutputStepOptions,
  RetrievalStepOptions,
} from "./langchain/steps/review-steps.js";
export type { FlowInput, IntentInput } from "./langchain/steps/runtime-steps.js";
export type { RailInput } from "./langchain/steps/runtime-steps.js";
export type { BotUtterance, CanonicalForm, FlowResult, NextStep } from "./runtime/dialect-host.js";

// Verdicts
export { DECISION_EVENT, verdictOf } from "./langchain/verdict.js";
export { formatDecision, type FormatDecisionOptions } from "./turn/format-decision.js";
export type { GuardrailsMetadata, RailDecision, RailStage, RailStatus } from "./turn/decision.js";

// Generation with all details
export type {
  ConversationState,
  ExplainInfo,
  GeneratedMessage,
  GenerationOptions,
  GenerationResult,
} from "./langchain/generation/generation-result.js";
export type { GenerationMessage } from "./langchain/generation/reply.js";
export type { LogOptions } from "./turn/options.js";
export type {
  ActivatedRail,
  ChunkSource,
  ExecutedAction,
  FlowExplanation,
  TurnLog,
  TurnProblem,
  TurnStats,
} from "./turn/result.js";
export type { LlmCallRecord } from "./llm/task/call-model.js";

// Conversations event by event
export type { DroppedEvent, EventSession, SessionOptions } from "./runtime/event-session.js";
export type { GuardrailsEvent } from "./engine/events.js";
export type { Clock } from "./engine/events.js";

// Errors
export { GuardrailViolationError } from "./langchain/blocked.js";
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
export { formatDiagnostic } from "./diagnostics/code-frame.js";
export type { Diagnostic } from "./diagnostics/diagnostic.js";
