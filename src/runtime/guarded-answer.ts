import type { RunnableConfig } from "@langchain/core/runnables";
import type { LanguageModel } from "../llm/model.js";
import type { AnswerReview, ChunkSource, Generator, GeneratorRequest } from "../turn/answer.js";
import { type Block, blockWith, type GuardrailsMetadata, type RailDecision } from "../turn/decision.js";
import type { WriteReviewedText, TurnMessage, TurnOptions } from "../turn/options.js";
import type { TurnResult } from "../turn/result.js";
import type { StreamPlan } from "../turn/stream-plan.js";
import type { GuardedConversation } from "./guarded-conversation.js";
import { PendingInput } from "./pending-input.js";
import { beginAsking, type BegunAnswer, speculate } from "./speculation/begun-answer.js";

/** An answer of any shape, as far as rails read it. */
export interface GuardedAnswer {
  readonly value: unknown;
  readonly text: string;
  readonly userText?: string | undefined;
  readonly relevantChunks?: readonly string[] | undefined;
  readonly sources?: readonly ChunkSource[] | undefined;
  /** Parts that rails reviewed, when they reviewed it part by part. */
  readonly parts?: readonly string[] | undefined;
  reasoning(): string;
}

/** A stream that was opened before the input verdict. */
export interface OpenedStream {
  leave(): void;
}

/** Access to whatever answers the user: a wrapped model, chain or node. */
export interface Responder<Answer extends GuardedAnswer> {
  /**
   * Asks for the answer.
   *
   * @param texts - one text per pending message, as the rails left them
   * @param review - set when the answer may be released part by part
   * @param opened - the stream that `open` returned for the same texts; only used with a review
   */
  ask(
    texts: readonly string[],
    config: RunnableConfig,
    review?: AnswerReview,
    opened?: Promise<OpenedStream>,
  ): Promise<Answer>;
  /** Opens the stream of an answer; absent where the caller reads none. */
  open?(texts: readonly string[], config: RunnableConfig): Promise<OpenedStream>;
}

export interface AnswerRequest<Answer extends GuardedAnswer> {
  /** The whole conversation: one entry per message of the caller. */
  readonly messages: readonly TurnMessage[];
  /** Indexes of the messages without an answer so far: the user's and the tools'. */
  readonly pending: readonly number[];
  /** Absent when the configuration's own prompts answer. */
  readonly responder?: Responder<Answer> | undefined;
  readonly main?: LanguageModel | undefined;
  /** True if asking has no side effects, so that it may begin before the input verdict. */
  readonly asksAhead?: boolean | undefined;
  /** Set when the caller reads a stream. */
  readonly stream?: StreamPlan | undefined;
  readonly writeText?: WriteReviewedText | undefined;
  readonly emitText?: TurnOptions["emitText"];
  /** Names of the tools that the caller can run. */
  readonly tools?: readonly string[] | undefined;
  /** True if rails have checked the results of tools where the tools ran. */
  readonly knowsResults?: boolean | undefined;
}

/** End of a guarded turn: the responder's answer, a text of a flow, or a block. */
export type AnswerOutcome<Answer extends GuardedAnswer> = Ending<Answer> & {
  /** One text per pending message, as the rails left them. */
  readonly texts: readonly string[];
};

/** The end alone, without the texts that led to it. */
export type Ending<Answer extends GuardedAnswer> = {
  /** Result of the dialog turn; absent where the result of a tool was answered without flows. */
  readonly turn?: TurnResult | undefined;
} & (
  | {
      readonly kind: "answer";
      readonly answer: Answer;
      readonly text: string;
      /** The reasoning to release; absent where it stays as it is. */
      readonly reasoning?: string | undefined;
      readonly verdict: GuardrailsMetadata;
    }
  | { readonly kind: "spoken"; readonly text: string; readonly verdict: GuardrailsMetadata }
  | {
      readonly kind: "blocked";
      readonly block: Block;
      readonly answer?: Answer | undefined;
      /** Index among the pending messages of the one that was blocked. */
      readonly blockedAt?: number | undefined;
    }
);

/** Redacts decisions and passes them to the observer of the call. */
export type Decided = (
  decisions: readonly RailDecision[],
  texts: readonly (string | undefined)[],
) => Promise<readonly RailDecision[]>;

/** Takes one guarded turn: results of tools, input rails, flows, the answer, output rails. */
export async function answerInput<Answer extends GuardedAnswer>(
  conversation: GuardedConversation,
  request: AnswerRequest<Answer>,
  decided: Decided,
): Promise<AnswerOutcome<Answer>> {
  const input = new PendingInput(conversation, request);
  const stopped = await input.checkResults();
  if (stopped !== undefined) return { kind: "blocked", ...stopped, texts: input.texts };
  const { responder } = request;
  // The result of a tool is content to check but no utterance, so a flow answers it only if it has asked for it.
  const outcome =
    responder !== undefined && !input.hasAwaited && input.endsWithResult
      ? await answerResult(conversation, { ...request, responder }, input)
      : await answerDialog(conversation, request, { input, decided });
  const { turn } = outcome;
  const texts = turn?.userMessages === undefined ? input.texts : input.withLeft(turn.userMessages);
  return withTexts(withDecisions(outcome, input.decisions), texts);
}

/** Written out: a spread of an outcome costs more than most steps of a turn. */
function withTexts<Answer extends GuardedAnswer>(
  outcome: Ending<Answer>,
  texts: readonly string[],
): AnswerOutcome<Answer> {
  const { turn } = outcome;
  switch (outcome.kind) {
    case "answer": {
      const { answer, text, reasoning, verdict } = outcome;
      return { kind: "answer", turn, texts, answer, text, reasoning, verdict };
    }
    case "spoken":
      return { kind: "spoken", turn, texts, text: outcome.text, verdict: outcome.verdict };
    case "blocked": {
      const { block, answer, blockedAt } = outcome;
      return { kind: "blocked", turn, texts, block, answer, blockedAt };
    }
  }
}

async function answerDialog<Answer extends GuardedAnswer>(
  conversation: GuardedConversation,
  request: AnswerRequest<Answer>,
  { input, decided }: { readonly input: PendingInput; readonly decided: Decided },
): Promise<Ending<Answer>> {
  const { responder, main, tools = [], writeText, emitText, stream } = request;
  const asked = responder === undefined ? undefined : new AskedAnswer(responder, input, conversation.readsReasoning);
  const generator = asked?.generator(request.asksAhead === true);
  // New keys go first: behind a spread they give each object a hidden class of its own.
  const { options } = conversation;
  const speaking =
    generator === undefined
      ? writeText === undefined
        ? options
        : { writeText, emitText, stream, ...options }
      : { generator, stream, emitText, ...options };
  const answered = main === undefined ? speaking : { main, ...speaking };
  const turnOptions = tools.length === 0 ? answered : { tools, ...answered };
  const result = await resolved(conversation.turn(input.turnMessages(), turnOptions), () => asked?.failure);
  const answer = asked?.answer;
  const reasoningParts = conversation.readsReasoning ? answer?.reasoning() : undefined;
  const texts = [...input.openTexts, answer?.text, reasoningParts, ...(answer?.parts ?? [])];
  const decisions = await decided(result.decisions, texts);
  return endOf(result, decisions, { answer, reasoningParts });
}

/** The answer that a turn asks for, and what it failed with. */
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
    const generate: Generator = async (request) => {
      try {
        // INVARIANT: an unused speculative call never surfaces: its result is dropped and its rejection handled.
        const answer = await this.#ask(request);
        this.answer = answer;
        const { text, value, relevantChunks, sources } = answer;
        const reasoning = this.#readsReasoning ? { reasoning: answer.reasoning() } : {};
        return { text, value, relevantChunks, sources, ...reasoning };
      } catch (error) {
        this.failure = { error };
        throw error;
      }
    };
    return asksAhead
      ? Object.assign(generate, { begin: (request: GeneratorRequest) => this.#begin(request) })
      : generate;
  }

  #ask(request: GeneratorRequest): Promise<Answer> {
    const { config, signal, review } = request;
    const begun = request.begun as BegunAnswer<Answer> | undefined;
    if (begun !== undefined && "answer" in begun) return begun.answer;
    return this.#responder.ask(this.#texts(request), { ...config, signal }, review, review && begun?.stream);
  }

  #begin(request: GeneratorRequest): BegunAnswer<Answer> {
    const { config, signal, streams } = request;
    return beginAsking(this.#responder, this.#texts(request), {
      config: { ...config, signal },
      streams: streams === true,
    });
  }

  #texts(request: GeneratorRequest): readonly string[] {
    return this.#input.textsFor(request);
  }
}

/** INVARIANT: what the responder threw reaches the caller as it is, and never as an answer. */
async function resolved<Result>(
  running: Promise<Result>,
  failure: () => { readonly error: unknown } | undefined,
): Promise<Result> {
  try {
    const result = await running;
    const failed = failure();
    if (failed !== undefined) throw failed.error;
    return result;
  } catch (error) {
    const failed = failure();
    throw failed === undefined ? error : failed.error;
  }
}

/** @param reasoningParts - reasoning of the answer, where the output rails should have reviewed it */
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
    // INVARIANT: where a flow has led the answer past its rails, no reasoning leaves that they should have reviewed.
    const unseen = reasoningParts !== "" && decisions.some(({ stage }) => stage === "output") ? "" : undefined;
    const reasoning = result.reasoning ?? unseen;
    return { kind: "answer", turn: result, answer, text: result.text, reasoning, verdict: full };
  }
  return { kind: "spoken", turn: result, text: result.text, verdict: full };
}

/** The answer to the result of a tool: no flow has asked for it, so rails stand around the responder alone. */
async function answerResult<Answer extends GuardedAnswer>(
  conversation: GuardedConversation,
  request: AnswerRequest<Answer> & { readonly responder: Responder<Answer> },
  input: PendingInput,
): Promise<Ending<Answer>> {
  const { responder, stream } = request;
  const { config = {} } = conversation.options;
  const ahead =
    request.asksAhead === true && conversation.asksAhead
      ? speculate(responder, input.texts, {
          config,
          streams: stream !== undefined,
          cancellation: conversation.branch(),
        })
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
    const answer = await (ahead?.take(input.texts, review) ?? responder.ask(input.texts, config, review));
    const after = await conversation.output(subjectOf(answer, conversation.readsReasoning), session, answer.parts);
    const decisions = [...before.verdict.decisions, ...after.verdict.decisions];
    if (after.block !== undefined) return { kind: "blocked", block: blockWith(after.block, decisions), answer };
    const { texts, reasoning, verdict } = after;
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
