import { andThen, isPromise } from "../engine/async.js";
import type { GeneratedAnswer, Generator, GeneratorRequest } from "../turn/answer.js";
import { blockWith, type GuardrailsMetadata, type RailDecision } from "../turn/decision.js";
import type { TurnResult, TurnLog, TurnStats } from "../turn/result.js";
import type { GuardedConversation } from "./guarded-conversation.js";
import { askInSpan } from "./answer-stream.js";
import { PendingInput } from "./pending-input.js";
import { beginAsking, type BegunAnswer, SpeculativeAnswer } from "./speculation/begun-answer.js";
import type { GuardedAnswer, AnswerRequest, AnswerOutcome, Ending, Responder } from "./answer-request.js";
import type { FlowExplanation } from "../engine/explain.js";
import { redactData } from "../turn/redact-data.js";
import type { Redactor } from "../turn/redactor.js";
import { printHistory } from "../llm/print-history.js";
import { redactException } from "../rails/review-utterances.js";
import type { RailServices } from "../rails/services.js";
import { reasoningOf, type Turn } from "../turn/turn.js";
import type { GuardrailsEvent } from "../engine/events.js";
import { readOwn } from "../engine/plain-data.js";

/** Runs one guarded turn: tool results, input rails, flows, the answer, output rails. */
export async function answerInput<Answer extends GuardedAnswer>(
  conversation: GuardedConversation,
  request: AnswerRequest<Answer>,
): Promise<AnswerOutcome<Answer>> {
  const input = new PendingInput(conversation, request);
  const checked = input.checkResults();
  const stopped = isPromise(checked) ? await checked : checked;
  if (stopped !== undefined) return { kind: "blocked", ...stopped, texts: input.texts };
  const { responder } = request;
  // A tool result is content to check rather than an utterance, so a flow answers it only if it requested it.
  const outcome =
    responder !== undefined && !input.hasAwaited && input.endsWithResult
      ? await answerResult(conversation, { ...request, responder }, input)
      : await answerDialog(conversation, request, input);
  const { turn } = outcome;
  const texts = turn?.userMessages === undefined ? input.texts : input.withLeft(turn.userMessages);
  // Mutated in place: spreading an outcome costs more than most steps of a turn.
  return Object.assign(withDecisions(outcome, input.decisions), { texts });
}

function answerDialog<Answer extends GuardedAnswer>(
  conversation: GuardedConversation,
  request: AnswerRequest<Answer>,
  input: PendingInput,
): Promise<Ending<Answer>> {
  const { responder, main, tools = [], writeText, emitText, stream } = request;
  const asked = responder === undefined ? undefined : new AskedAnswer(responder, input, conversation.readsReasoning);
  const generator = asked?.generator(request.asksAhead === true);
  // New keys come before a spread: after it they give each object its own hidden class.
  const { options } = conversation;
  const speaking =
    generator === undefined
      ? writeText === undefined
        ? options
        : { writeText, emitText, stream, ...options }
      : { generator, stream, emitText, ...options };
  const answered = main === undefined ? speaking : { main, ...speaking };
  const turnOptions = tools.length === 0 ? answered : { tools, ...answered };
  // INVARIANT: errors of the responder reach the caller unchanged, and never as an answer.
  const rethrow = (error?: unknown): never => {
    throw asked?.failure === undefined ? error : asked.failure.error;
  };
  return conversation.turn(input.turnMessages(), turnOptions).then((result) => {
    if (asked?.failure !== undefined) return rethrow();
    const answer = asked?.answer;
    const reasoningParts = conversation.readsReasoning ? answer?.reasoning() : undefined;
    const texts = [...input.openTexts, answer?.text, reasoningParts, ...(answer?.parts ?? [])];
    return andThen(conversation.decided(result.decisions, texts), (decisions) =>
      endOf(result, decisions, { answer, reasoningParts }),
    );
  }, rethrow);
}

/** The answer requested by a turn, or its error. */
class AskedAnswer<Answer extends GuardedAnswer> {
  answer: Answer | undefined;
  failure: { readonly error: unknown } | undefined;
  readonly #responder: Responder<Answer>;
  readonly #input: PendingInput;
  readonly #readsReasoning: boolean;

  constructor(responder: Responder<Answer>, input: PendingInput, readsReasoning: boolean) {
    this.#responder = responder;
    this.#input = input;
    this.#readsReasoning = readsReasoning;
  }

  generator(asksAhead: boolean): Generator {
    const fail = (error: unknown): never => {
      this.failure = { error };
      throw error;
    };
    // INVARIANT: an unused speculative call never surfaces: its result is dropped and its rejection handled.
    const generate: Generator = (request) => {
      try {
        return this.#ask(request).then((answer) => this.#take(answer), fail);
      } catch (error) {
        this.failure = { error };
        return Promise.reject(error as Error);
      }
    };
    return asksAhead
      ? Object.assign(generate, { begin: (request: GeneratorRequest) => this.#begin(request) })
      : generate;
  }

  #take(answer: Answer): GeneratedAnswer {
    this.answer = answer;
    const { text, value, relevantChunks, sources } = answer;
    return this.#readsReasoning
      ? { text, value, relevantChunks, sources, reasoning: answer.reasoning() }
      : { text, value, relevantChunks, sources };
  }

  #ask(request: GeneratorRequest): Promise<Answer> {
    const { config, signal, review } = request;
    const begun = request.begun as BegunAnswer<Answer> | undefined;
    if (begun !== undefined && "answer" in begun) return begun.answer;
    const texts = this.#input.textsFor(request);
    return this.#responder.ask(texts, { ...config, signal }, review, review && begun?.stream);
  }

  #begin(request: GeneratorRequest): BegunAnswer<Answer> {
    const { config, signal, streams } = request;
    const how = { config: { ...config, signal }, streams: streams === true };
    return beginAsking(this.#responder, this.#input.textsFor(request), how);
  }
}

/** @param reasoningParts - reasoning of the answer that the output rails should have reviewed */
function endOf<Answer extends GuardedAnswer>(
  result: TurnResult,
  decisions: readonly RailDecision[],
  { answer, reasoningParts = "" }: { readonly answer: Answer | undefined; readonly reasoningParts: string | undefined },
): Ending<Answer> {
  const verdict: GuardrailsMetadata = { ...result.verdict, decisions };
  if (result.status === "blocked" || result.status === "exception") {
    const block = { refusal: result.text, exception: result.exception, verdict: { ...verdict, blocked: true } };
    return { kind: "blocked", turn: result, block, answer };
  }
  const sources = result.sources?.filter(({ title, file }) => title !== "" || file !== "") ?? [];
  const full = sources.length === 0 ? verdict : { ...verdict, sources };
  if (result.generated !== undefined && answer !== undefined && result.generated.value === answer.value) {
    // INVARIANT: if a flow bypassed the output rails, reasoning that they should have reviewed is not released.
    const unseen = reasoningParts !== "" && decisions.some(({ stage }) => stage === "output") ? "" : undefined;
    const reasoning = result.reasoning ?? unseen;
    return { kind: "answer", turn: result, answer, text: result.text, reasoning, verdict: full };
  }
  return { kind: "spoken", turn: result, text: result.text, verdict: full };
}

/** Answers a tool result that no flow requested: rails run only around the responder. */
async function answerResult<Answer extends GuardedAnswer>(
  conversation: GuardedConversation,
  request: AnswerRequest<Answer> & { readonly responder: Responder<Answer> },
  input: PendingInput,
): Promise<Ending<Answer>> {
  const { responder, stream } = request;
  const { config = {} } = conversation.options;
  const mayAsk = request.asksAhead === true && conversation.asksAhead;
  const how = { config, streams: stream !== undefined };
  const ahead = mayAsk
    ? new SpeculativeAnswer(responder, input.texts, how, conversation.cancellation.child())
    : undefined;
  const before = await input.checkOpen().catch((error: unknown) => {
    ahead?.discard();
    throw error;
  });
  if (before.block !== undefined) {
    ahead?.discard();
    return { kind: "blocked", block: before.block, blockedAt: before.blockedAt };
  }
  const session = conversation.openOutput(stream);
  try {
    conversation.countModelCall();
    const review = session?.review;
    const ask = (): Promise<Answer> => ahead?.take(input.texts, review) ?? responder.ask(input.texts, config, review);
    const { span } = conversation;
    const answer = await (span === undefined ? ask() : askInSpan(span, request.main, ask));
    const after = await conversation.output(subjectOf(answer, conversation.readsReasoning), session, answer.parts);
    const decisions = [...before.verdict.decisions, ...after.verdict.decisions];
    if (after.block !== undefined) return { kind: "blocked", block: blockWith(after.block, decisions), answer };
    const { texts, reasoning, verdict } = after;
    span?.answered({ status: "answered", userMessage: "", text: texts[0] ?? "" });
    return { kind: "answer", answer, text: texts[0] ?? "", reasoning, verdict: { ...verdict, decisions } };
  } finally {
    ahead?.release();
    session?.close();
  }
}

/** Returns the subject that output rails read of an answer. */
export function subjectOf(answer: GuardedAnswer, readsReasoning: boolean) {
  const reasoning = readsReasoning ? answer.reasoning() : "";
  const { text: botMessage, userText: userMessage, relevantChunks } = answer;
  return { botMessage, userMessage, relevantChunks, ...(reasoning === "" ? {} : { reasoning }) };
}

function withDecisions<Answer extends GuardedAnswer>(
  outcome: Ending<Answer>,
  decisions: readonly RailDecision[],
): Ending<Answer> {
  if (decisions.length === 0) return outcome;
  const joined = (verdict: GuardrailsMetadata) => [...decisions, ...verdict.decisions];
  if (outcome.kind === "blocked") return { ...outcome, block: blockWith(outcome.block, joined(outcome.block.verdict)) };
  return { ...outcome, verdict: { ...outcome.verdict, decisions: joined(outcome.verdict) } };
}

/** The dialect-specific parts of a turn's result. */
export interface TurnParts extends Pick<TurnResult, "status" | "utterances" | "verdict"> {
  readonly exception: GuardrailsEvent | undefined;
  readonly userMessages: readonly string[];
  /** Response of the wrapped chain or model, if it is the whole answer. */
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
