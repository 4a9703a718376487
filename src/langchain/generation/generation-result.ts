import { omitUndefined } from "../../engine/plain-data.js";
import type { OptionTable } from "../../diagnostics/options.js";
import type { AIMessage, UsageMetadata } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import { InputShapeError } from "../../diagnostics/errors.js";
import type { GuardrailsEvent } from "../../engine/events.js";
import type { LlmCallRecord } from "../../llm/task/call-model.js";
import { ALL_STAGES, type RailStage, type GuardrailsMetadata, sumUsage } from "../../turn/decision.js";
import {
  LOG_OPTIONS,
  type LogOptions,
  RAIL_SELECTION,
  type RailSelection,
  selectOnly,
  type TurnMessage,
  type TurnOptions,
} from "../../turn/options.js";
import type { ChunkSource, FlowExplanation, TurnLog, TurnResult } from "../../turn/result.js";
import type { PseudonymTable } from "../../actions/pseudonym-table.js";
import { isMessage } from "../values/message-kinds.js";
import { runAndClose, type GuardedCall } from "../call.js";
import { announceDelegated } from "../tools/tool-calls.js";
import { reviewRawOutput, withHiddenResponses } from "./raw-output.js";
import { prepareMessages } from "./reply.js";
import { restoreValue } from "../values/restore.js";
import { announceDecisions, withoutForeignVerdicts } from "../verdict.js";

/** Options of `generate`. */
export interface GenerationOptions {
  /** Rails that run: a boolean or a list of names for each stage, or a list of the only stages that run. */
  readonly rails?: RailSelection | readonly RailStage[];
  /** Parameters of the model call that generates the response, such as `temperature`. */
  readonly llmParams?: Readonly<Record<string, unknown>>;
  /** Return the provider's raw output. */
  readonly llmOutput?: boolean;
  /** Context variables to return: their names, or `true` for all. */
  readonly outputVars?: true | readonly string[];
  /** Parts of the log to return. */
  readonly log?: LogOptions;
  /** Variables to set before the turn. */
  readonly context?: Readonly<Record<string, unknown>>;
  /** State of an earlier result, to continue its conversation. `{}` begins one. */
  readonly state?: ConversationState | Readonly<Record<string, never>> | undefined;
}

export const GENERATION_OPTIONS: OptionTable<GenerationOptions> = {
  rails: { ...RAIL_SELECTION, orList: true },
  llmParams: "object",
  llmOutput: "boolean",
  outputVars: "any",
  log: LOG_OPTIONS,
  context: "object",
  state: "any",
};

/** A conversation between two calls: plain, storable JSON, to be passed back unchanged. */
export interface ConversationState {
  readonly version: 1;
  readonly [part: string]: unknown;
}

export type GeneratedMessage =
  | {
      readonly role: "assistant";
      readonly content: string;
      /** Colang 2.x: actions that flows ask the caller to perform; reply to each with a message of the role `tool`. */
      readonly tool_calls?: readonly ToolCall[];
    }
  | { readonly role: "exception"; readonly content: GuardrailsEvent };

/** Human-readable explanation of a turn. */
export interface ExplainInfo {
  readonly llmCalls: readonly LlmCallRecord[];
  /** Token usage of all calls; absent if no provider reported any. */
  readonly usage?: UsageMetadata;
  readonly colangHistory: string;
  /** Returns one line per model call and the totals. */
  summary(): string;
  /**
   * Explains why a flow ran or did not run.
   *
   * @throws DiagnosticError `CO-204` if no flow has that name
   */
  why(flow: string): FlowExplanation;
}

/** Result of `generate`. */
export interface GenerationResult {
  /** A string for a prompt, messages for messages; an exception is always a message. */
  readonly response: string | readonly GeneratedMessage[];
  readonly guardrails: GuardrailsMetadata;
  /** Raw output of the model call that answered, with `llmOutput`; null if no model was called. */
  readonly llmOutput?: unknown;
  /** Reasoning of the model in that message; absent if it has none. */
  readonly reasoningContent?: string;
  /** Tool calls of that message; in Colang 2.x also the actions that flows ask the caller to perform. */
  readonly toolCalls?: readonly ToolCall[];
  /** Colang 2.x: all other events that flows sent to the application. */
  readonly events?: readonly GuardrailsEvent[];
  readonly llmMetadata?: Readonly<Record<string, unknown>>;
  readonly outputData?: Readonly<Record<string, unknown>>;
  /** Sources of the chunks found in the knowledge base, best first; absent if it was not searched. */
  readonly sources?: readonly ChunkSource[];
  readonly log: TurnLog;
  readonly explain: ExplainInfo;
  /** State to pass to the next call; present if the call had a state. */
  readonly state?: ConversationState;
}

/** Runs the turn of `generate` in a call that is closed afterwards. */
export async function generateReply(
  messages: readonly TurnMessage[],
  call: GuardedCall,
  options: GenerationOptions,
  form: "prompt" | "messages",
): Promise<GenerationResult> {
  const turnCall = call.with({ options: await toTurnOptions(options) });
  return runAndClose(turnCall, async () => {
    const result = await turnCall.conversation.turn(await prepareMessages(messages, turnCall));
    await announceDecisions(result.decisions, call.announce);
    await announceDelegated(result, call.announce);
    return toGenerationResult(await reviewRawOutput(result, turnCall), options, form);
  });
}

/** Maps the options of `generate` to those of the runtime; the data of `explain` is always recorded. */
async function toTurnOptions(options: GenerationOptions): Promise<TurnOptions> {
  const { rails: selection, ...rest } = options;
  const rails = Array.isArray(selection) ? await selectStages(selection) : (selection as RailSelection | undefined);
  return { ...rest, ...omitUndefined({ rails }), explain: true };
}

/** Returns the result of `generate`, with the parts that its options ask for. */
function toGenerationResult(
  result: TurnResult,
  options: GenerationOptions,
  form: "prompt" | "messages",
): GenerationResult {
  const { llmCalls = [], colangHistory = "", ...log } = withHiddenResponses(result.log);
  const usage = sumUsage(llmCalls);
  const { events, outputData, sources, state } = result;
  // INVARIANT: a rail's block of a response also removes the model's raw output.
  const raw =
    result.llmOutput === undefined || result.verdict.blocked ? {} : rawOutput(withoutForeignVerdicts(result.llmOutput));
  const calls = (result.toolCalls ?? []).map(({ modality: _modality, ...call }): ToolCall => ({
    ...call,
    args: { ...call.args },
    type: "tool_call",
  }));
  const toolCalls = [...(raw.toolCalls ?? []), ...calls];
  const message: GeneratedMessage =
    result.exception === undefined
      ? { role: "assistant", content: result.text, ...(calls.length === 0 ? {} : { tool_calls: calls }) }
      : { role: "exception", content: result.exception };
  const summary = (): string => summarizeCalls(llmCalls, usage);
  return {
    response: form === "prompt" && message.role === "assistant" ? message.content : [message],
    guardrails: result.verdict,
    ...raw,
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
    ...omitUndefined({ events, outputData, sources }),
    log: {
      ...log,
      ...(options.log?.llmCalls === true ? { llmCalls } : {}),
      ...(options.log?.colangHistory === true ? { colangHistory } : {}),
    },
    explain: { llmCalls, ...omitUndefined({ usage }), colangHistory, summary, why: log.why },
    ...omitUndefined({ state: state as ConversationState | undefined }),
  };
}

/** Returns the result with values restored. INVARIANT: its log and `explain` keep the pseudonyms. */
export function restoreGeneration(result: GenerationResult, table: PseudonymTable | undefined): GenerationResult {
  if (table === undefined) return result;
  const { response, reasoningContent, toolCalls, llmOutput } = result;
  const left = omitUndefined({ response, reasoningContent, toolCalls, llmOutput });
  return { ...result, ...restoreValue(left, table) };
}

type RawOutput = Pick<GenerationResult, "llmOutput" | "reasoningContent" | "toolCalls" | "llmMetadata">;

function rawOutput(llmOutput: unknown): RawOutput {
  if (!isMessage(llmOutput)) return { llmOutput };
  const { tool_calls: toolCalls = [], response_metadata: llmMetadata } = llmOutput as AIMessage;
  const reasoningContent = reasoningOf(llmOutput as AIMessage);
  return {
    llmOutput,
    ...(reasoningContent === "" ? {} : { reasoningContent }),
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
    ...(Object.keys(llmMetadata).length === 0 ? {} : { llmMetadata }),
  };
}

function reasoningOf({ additional_kwargs: extra, contentBlocks }: AIMessage): string {
  const reasoningContent = extra["reasoning_content"];
  if (typeof reasoningContent === "string") return reasoningContent;
  return contentBlocks.map((block) => (block.type === "reasoning" ? String(block["reasoning"]) : "")).join("");
}

/** INVARIANT: an unknown stage is an error; a misspelt one would disable all rails. */
async function selectStages(stages: readonly RailStage[]): Promise<RailSelection> {
  const unknown = stages.find((stage) => !ALL_STAGES.includes(stage));
  if (unknown !== undefined) {
    const { didYouMean } = await import("../../diagnostics/suggestion.js");
    const hint =
      didYouMean(String(unknown), ALL_STAGES) ?? `there are ${ALL_STAGES.map((stage) => `\`${stage}\``).join(", ")}`;
    throw new InputShapeError(`\`${String(unknown)}\` is not a rail stage; ${hint}`);
  }
  return selectOnly(stages);
}

function summarizeCalls(calls: readonly LlmCallRecord[], usage: UsageMetadata | undefined): string {
  const lines = calls.map((call, index) => {
    const about = call.isUsageEstimated === true ? "about " : "";
    const tokens = call.usage === undefined ? "" : `, ${about}${call.usage.total_tokens} tokens`;
    return `${index + 1}. ${call.task}: ${(call.durationMs / 1000).toFixed(2)} s${tokens}`;
  });
  const seconds = calls.reduce((sum, call) => sum + call.durationMs, 0) / 1000;
  const tokens = `${usage?.total_tokens ?? 0} tokens`;
  const parts = usage === undefined ? "" : ` (${usage.input_tokens} in, ${usage.output_tokens} out)`;
  const count = calls.length === 1 ? "1 model call" : `${calls.length} model calls`;
  return [`${count}, ${seconds.toFixed(2)} s, ${tokens}${parts}`, ...lines].join("\n");
}
