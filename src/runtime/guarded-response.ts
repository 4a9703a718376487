import { andThen, isPromise } from "../engine/async.js";
import type { GeneratedResponse, Generator, GeneratorRequest } from "../turn/response.js";
import { ModelError } from "../diagnostics/errors.js";
import { blockWith, type GuardrailsMetadata, type RailDecision } from "../turn/decision.js";
import type { TurnResult, TurnLog, TurnStats } from "../turn/result.js";
import type { GuardedConversation } from "./guarded-conversation.js";
import { callInSpan } from "./response-stream.js";
import { PendingInput } from "./pending-input.js";
import { startResponse, type StartedResponse, SpeculativeResponse } from "./speculation/speculative-response.js";
import type { GuardedResponse, TurnRequest, GuardedTurnOutcome, Ending, Responder } from "./responder.js";
import type { FlowExplanation } from "../engine/explain.js";
import { redactData } from "../turn/redact-data.js";
import type { Redactor } from "../turn/redactor.js";
import { printHistory } from "../llm/print-history.js";
import { redactException } from "../rails/review-utterances.js";
import type { RailServices } from "../rails/services.js";
import { reasoningOf, type Turn } from "../turn/turn.js";
import type { GuardrailsEvent } from "../engine/events.js";
import { readOwn } from "../engine/plain-data.js";

/** Runs one guarded turn: tool results, input rails, flows, the response, output rails. */
export async function respondToInput<BotResponse extends GuardedResponse>(
  conversation: GuardedConversation,
  request: TurnRequest<BotResponse>,
): Promise<GuardedTurnOutcome<BotResponse>> {
  const input = new PendingInput(conversation, request);
  const checked = input.checkResults();
  const stopped = isPromise(checked) ? await checked : checked;
  if (stopped !== undefined) return { kind: "blocked", ...stopped, texts: input.texts };
  const { responder } = request;
  // A tool result is content to check rather than an utterance, so a flow answers it only if it requested it; nor does a flow
  // answer a call without messages, which continues what is behind the rails.
  const isSilent = request.pending.length === 0 || input.endsWithResult;
  const outcome =
    responder !== undefined && !input.hasAwaited && isSilent
      ? await respondToResult(conversation, { ...request, responder }, input)
      : await respondToUser(conversation, request, input);
  const { turn } = outcome;
  const texts = turn?.userMessages === undefined ? input.texts : input.withLeft(turn.userMessages);
  // Mutated in place: spreading an outcome costs more than most steps of a turn.
  return Object.assign(withDecisions(outcome, input.decisions), { texts });
}

function respondToUser<BotResponse extends GuardedResponse>(
  conversation: GuardedConversation,
  request: TurnRequest<BotResponse>,
  input: PendingInput,
): Promise<Ending<BotResponse>> {
  const { responder, main, tools = [], writeText, emitText, stream, saysNothing } = request;
  const asked =
    responder === undefined
      ? undefined
      : new RequestedResponse({ responder, saysNothing }, input, conversation.readsReasoning);
  const generator = asked?.generator(request.isSideEffectFree === true);
  // New keys come before a spread: after it they give each object its own hidden class.
  const { options } = conversation;
  const isAsked = generator !== undefined || writeText !== undefined;
  const turnOptions = {
    main,
    tools: tools.length === 0 ? undefined : tools,
    generator,
    writeText: generator === undefined ? writeText : undefined,
    emitText: isAsked ? emitText : undefined,
    stream: isAsked ? stream : undefined,
    ...options,
  };
  // INVARIANT: errors of the responder reach the caller unchanged, and never as a response.
  const rethrow = (error?: unknown): never => {
    throw asked?.failure === undefined ? error : asked.failure.error;
  };
  return conversation.turn(input.turnMessages(), turnOptions).then((result) => {
    if (asked?.failure !== undefined) return rethrow();
    const response = asked?.response;
    const reasoningParts = conversation.readsReasoning ? response?.reasoning() : undefined;
    const texts = [...input.openTexts, response?.text, reasoningParts, ...(response?.parts ?? [])];
    return andThen(conversation.publish(result.decisions, texts), (decisions) =>
      endOf(result, decisions, { response, reasoningParts }),
    );
  }, rethrow);
}

interface Asked<BotResponse extends GuardedResponse> {
  readonly responder: Responder<BotResponse>;
  readonly saysNothing: TurnRequest<BotResponse>["saysNothing"];
}

/** The response requested by a turn, or its error. */
class RequestedResponse<BotResponse extends GuardedResponse> {
  response: BotResponse | undefined;
  failure: { readonly error: unknown } | undefined;
  readonly #responder: Responder<BotResponse>;
  readonly #input: PendingInput;
  readonly #readsReasoning: boolean;
  readonly #saysNothing: TurnRequest<BotResponse>["saysNothing"];

  constructor({ responder, saysNothing }: Asked<BotResponse>, input: PendingInput, readsReasoning: boolean) {
    this.#saysNothing = saysNothing;
    this.#responder = responder;
    this.#input = input;
    this.#readsReasoning = readsReasoning;
  }

  generator(isSideEffectFree: boolean): Generator {
    // Ends the turn without a log entry: the caller gets the error, which may also be an interrupt or a block.
    const fail = (error: unknown): never => {
      this.failure = { error };
      const failed = new ModelError("the wrapped model or chain failed", { cause: error });
      // Spans name the error that the caller gets.
      if (error instanceof Error) failed.name = error.name;
      throw failed;
    };
    // INVARIANT: an unused speculative call never surfaces: its result is dropped and its rejection handled.
    const generate: Generator = (request) => {
      try {
        return this.#ask(request).then((response) => this.#take(response), fail);
      } catch (error) {
        return Promise.reject(error as Error).catch(fail);
      }
    };
    return isSideEffectFree
      ? Object.assign(generate, { begin: (request: GeneratorRequest) => this.#begin(request) })
      : generate;
  }

  #take(response: BotResponse): GeneratedResponse {
    this.response = response;
    const { text, value, relevantChunks, sources } = response;
    const taken: GeneratedResponse = this.#readsReasoning
      ? { text, value, relevantChunks, sources, reasoning: response.reasoning() }
      : { text, value, relevantChunks, sources };
    return this.#saysNothing?.(response) === true ? { ...taken, saysNothing: true } : taken;
  }

  #ask(request: GeneratorRequest): Promise<BotResponse> {
    const { config, signal, review } = request;
    const started = request.started as StartedResponse<BotResponse> | undefined;
    if (started !== undefined && "response" in started) return started.response;
    const texts = this.#input.textsFor(request);
    const own = config.signal === signal ? config : { ...config, signal };
    return this.#responder.ask(texts, own, review, review && started?.stream);
  }

  #begin(request: GeneratorRequest): StartedResponse<BotResponse> {
    const { config, signal, streams } = request;
    const how = { config: { ...config, signal }, streams: streams === true };
    return startResponse(this.#responder, this.#input.textsFor(request), how);
  }
}

/** @param reasoningParts - reasoning of the response that the output rails should have reviewed */
function endOf<BotResponse extends GuardedResponse>(
  result: TurnResult,
  decisions: readonly RailDecision[],
  {
    response,
    reasoningParts = "",
  }: { readonly response: BotResponse | undefined; readonly reasoningParts: string | undefined },
): Ending<BotResponse> {
  const verdict: GuardrailsMetadata = { ...result.verdict, decisions };
  if (result.status === "blocked" || result.status === "exception") {
    const block = { refusal: result.text, exception: result.exception, verdict: { ...verdict, blocked: true } };
    return { kind: "blocked", turn: result, block, response };
  }
  const sources = result.sources?.filter(({ title, file }) => title !== "" || file !== "") ?? [];
  const full = sources.length === 0 ? verdict : { ...verdict, sources };
  if (result.generated !== undefined && response !== undefined && result.generated.value === response.value) {
    // INVARIANT: if a flow bypassed the output rails, reasoning that they should have reviewed is not released.
    const unseen = reasoningParts !== "" && decisions.some(({ stage }) => stage === "output") ? "" : undefined;
    const reasoning = result.reasoning ?? unseen;
    return { kind: "response", turn: result, response, text: result.text, reasoning, verdict: full };
  }
  return { kind: "utterance", turn: result, text: result.text, verdict: full };
}

/** Answers a tool result that no flow requested: rails run only around the responder. */
async function respondToResult<BotResponse extends GuardedResponse>(
  conversation: GuardedConversation,
  request: TurnRequest<BotResponse> & { readonly responder: Responder<BotResponse> },
  input: PendingInput,
): Promise<Ending<BotResponse>> {
  const { responder, stream } = request;
  const { config = {} } = conversation.options;
  const mayAsk = request.isSideEffectFree === true && conversation.allowsSpeculation;
  const how = { config, streams: stream !== undefined };
  const speculative = mayAsk
    ? new SpeculativeResponse(responder, input.texts, how, conversation.cancellation.child())
    : undefined;
  const before = await input.checkOpen().catch((error: unknown) => {
    speculative?.discard();
    throw error;
  });
  if (before.block !== undefined) {
    speculative?.discard();
    return { kind: "blocked", block: before.block, blockedAt: before.blockedAt };
  }
  const session = conversation.openOutput(stream);
  try {
    conversation.countModelCall();
    const review = session?.review;
    const ask = (): Promise<BotResponse> =>
      speculative?.take(input.texts, review) ?? responder.ask(input.texts, config, review);
    const { span } = conversation;
    const response = await (span === undefined ? ask() : callInSpan(span, request.main, ask));
    const after = await conversation.output(subjectOf(response, conversation.readsReasoning), session, response.parts);
    const decisions = [...before.verdict.decisions, ...after.verdict.decisions];
    if (after.block !== undefined) return { kind: "blocked", block: blockWith(after.block, decisions), response };
    const { texts, reasoning, verdict } = after;
    span?.answered({ status: "answered", userMessage: "", text: texts[0] ?? "" });
    return { kind: "response", response, text: texts[0] ?? "", reasoning, verdict: { ...verdict, decisions } };
  } finally {
    speculative?.release();
    session?.close();
  }
}

/** Returns the subject that output rails read of a response. */
export function subjectOf(response: GuardedResponse, readsReasoning: boolean) {
  const reasoning = readsReasoning ? response.reasoning() : "";
  const { text: botMessage, userText: userMessage, relevantChunks } = response;
  return { botMessage, userMessage, relevantChunks, ...(reasoning === "" ? {} : { reasoning }) };
}

function withDecisions<BotResponse extends GuardedResponse>(
  outcome: Ending<BotResponse>,
  decisions: readonly RailDecision[],
): Ending<BotResponse> {
  if (decisions.length === 0) return outcome;
  const joined = (verdict: GuardrailsMetadata) => [...decisions, ...verdict.decisions];
  if (outcome.kind === "blocked") return { ...outcome, block: blockWith(outcome.block, joined(outcome.block.verdict)) };
  return { ...outcome, verdict: { ...outcome.verdict, decisions: joined(outcome.verdict) } };
}

/** The dialect-specific parts of a turn's result. */
export interface TurnParts extends Pick<TurnResult, "status" | "utterances" | "verdict"> {
  readonly exception: GuardrailsEvent | undefined;
  readonly userMessages: readonly string[];
  /** Response of the wrapped chain or model, if it is the whole response. */
  readonly generated: TurnResult["generated"] | undefined;
  /** Context variables at the end. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** Further fields of the result. */
  readonly more: Pick<TurnResult, "sources" | "actions" | "toolCalls" | "events">;
  readonly events: readonly GuardrailsEvent[];
  /** Returns all events that a printed history shows. */
  readonly history: () => readonly GuardrailsEvent[];
  /** Returns the reason why the bot emitted nothing. */
  readonly emptyReason: () => string;
  readonly why: (flow: string) => FlowExplanation;
  readonly redactor: Redactor | undefined;
  /** Set if the caller stores the conversation. */
  readonly state: unknown;
}

/** Builds the result of a turn for the caller. */
export function turnResult(services: RailServices, turn: Turn, parts: TurnParts): TurnResult {
  const { status, utterances, exception, verdict, userMessages, generated, redactor, state } = parts;
  const text = utterances.join("\n");
  return {
    status,
    text,
    utterances,
    ...(exception === undefined ? {} : { exception: redactException(exception, services.rails, redactor) }),
    decisions: turn.decisions,
    verdict,
    userMessage: turn.userTexts.at(-1) ?? "",
    userMessages,
    ...(generated === undefined ? {} : { generated }),
    ...reasoningOf(turn),
    ...outputData(turn, parts.variables),
    ...(turn.options.llmOutput === true ? { llmOutput: turn.llmOutput } : {}),
    ...parts.more,
    log: turnLog(turn, parts, text),
    trace: () => (redactor === undefined ? turn.trace : (redactData(turn.trace, redactor, "mark") as Turn["trace"])),
    ...(state === undefined ? {} : { state }),
  };
}

/** Builds the log of a turn. INVARIANT: it never quotes a text that a rail of the turn blocked or rewrote. */
function turnLog(turn: Turn, { events, history, emptyReason, why, redactor }: TurnParts, text: string): TurnLog {
  const { log, explain } = turn.options;
  const finishedAt = turn.now();
  const built: TurnLog = {
    stats: turnStats(turn, finishedAt),
    errors: turn.problems,
    warnings: warningsOf(turn),
    ...(text === "" ? { reason: emptyReason() } : {}),
    ...(turn.activity === undefined ? {} : { activatedRails: turn.activity.rails(finishedAt) }),
    why,
    ...(log?.llmCalls === true || explain === true ? { llmCalls: turn.llmCalls } : {}),
    ...(log?.internalEvents === true ? { internalEvents: events } : {}),
    ...(log?.colangHistory === true || explain === true ? { colangHistory: printHistory(history()) } : {}),
  };
  if (redactor === undefined) return built;
  const redact = <Data>(data: Data): Data => redactData(data, redactor, "mark") as Data;
  const { stats, why: _why, ...rest } = built;
  return { stats, ...redact(rest), why: (flow) => redact(why(flow)) };
}

/** Returns the context variables requested by the caller. */
function outputData(
  { options }: Turn,
  context: Readonly<Record<string, unknown>>,
): { outputData?: Readonly<Record<string, unknown>> } {
  const { outputVars: wanted } = options;
  if (wanted === undefined) return {};
  const entries =
    wanted === true
      ? Object.entries(context).filter(([name]) => !name.startsWith("_"))
      : wanted.map((name) => [name, readOwn(context, name) ?? null] as const);
  return { outputData: Object.fromEntries(entries) };
}

function warningsOf({ trace }: Turn): TurnLog["warnings"] {
  const warnings: TurnLog["warnings"][number][] = [];
  for (const entry of trace) {
    if (entry.type !== "warning") continue;
    const { type: _type, ...warning } = entry;
    warnings.push(warning);
  }
  return warnings;
}

/** Durations per stage and costs of model calls, from the turn's own records. */
function turnStats(turn: Turn, finishedAt: number): TurnStats {
  const total = finishedAt - turn.startedAt;
  const { input, output } = turn.spent;
  const tokens = { prompt: 0, completion: 0, total: 0 };
  let calls = 0;
  let generation = 0;
  for (const { durationMs, usage, rail, task } of turn.llmCalls) {
    calls += durationMs;
    // Rails may run the same tasks for comparison samples; those calls count as rails.
    if (rail === undefined && GENERATION_TASKS.has(task)) generation += durationMs;
    tokens.prompt += usage?.input_tokens ?? 0;
    tokens.completion += usage?.output_tokens ?? 0;
    tokens.total += usage?.total_tokens ?? 0;
  }
  return {
    inputRailsDurationMs: input,
    dialogRailsDurationMs: Math.max(0, total - input - output - generation),
    generationRailsDurationMs: generation,
    outputRailsDurationMs: output,
    totalDurationMs: total,
    llmCallsDurationMs: calls,
    llmCallsCount: turn.llmCalls.length,
    llmCallsTotalPromptTokens: tokens.prompt,
    llmCallsTotalCompletionTokens: tokens.completion,
    llmCallsTotalTokens: tokens.total,
  };
}

const GENERATION_TASKS = new Set(["general", "generate_bot_message", "passthrough"]);
