import type { Runnable, RunnableConfig } from "@langchain/core/runnables";
import { ON_BLOCKED, type OptionTable } from "../diagnostics/options.js";
import type { LanguageModel } from "../llm/model.js";
import type { GuardrailsMetadata } from "../turn/decision.js";
import { RESPONSE_OPTIONS, type BotResponse, type ResponseOptions, withEvidence } from "./values/response.js";
import { readResponse, releaseResponse } from "./values/read-response.js";
import { applyBlock, type OnBlocked } from "./blocked.js";
import { runAndClose, type GuardedCall } from "./call.js";
import { askInner } from "./callbacks.js";
import { EvidenceBlocked, mayHoldEvidence, reviewEvidenceIn } from "./review/evidence-review.js";
import { MessagesOfCall } from "./review/known-messages.js";
import { reviewThrownResult } from "./review/thrown-results.js";
import { openInput, sentValue, takeGuardedTurn, type TurnOutcome } from "./review/review.js";
import { withDelegatedCalls } from "./tools/tool-calls.js";
import type { Host } from "./host.js";
import { lazily } from "../engine/async.js";
import { withoutCheckpoints } from "./isolation/graph-channels.js";
import { quarantineModel } from "./isolation/quarantine-model.js";
import { missingEvidence, warnOnce } from "./one-time-warning.js";
import { shapeUtterance } from "./review/result-shape.js";
import { GuardrailsStep, joinStream } from "./step.js";
import { streamFrom, unreadMsOf } from "./streaming/sink.js";

import { responderOver } from "./streaming/responder.js";
import type { StreamedResponse } from "./streaming/streamed-response.js";
import type { Upstream } from "./streaming/upstream.js";
import { isMessage, isObject } from "./values/message-kinds.js";
import { evidenceTexts } from "./values/evidence.js";
import { mainTexts, pendingTexts, readUserInput } from "./values/read-user-input.js";
import { INPUT_OPTIONS, type InputOptions, type UserInput, type UserInputOptions } from "./values/input-object.js";
import { type GraphInput, openGraphInput } from "./graph/graph-input.js";
import { INTERRUPT_KEY } from "./values/extra-keys.js";

const streaming = lazily(async () => ({
  ...(await import("./streaming/value-format.js")),
  ...(await import("./streaming/streamed-response.js")),
  ...(await import("./streaming/upstream.js")),
}));

/** A stream of the response, and the function that opens it. */
interface OpenedStream {
  readonly response: StreamedResponse;
  readonly open: typeof Upstream.open;
}

export interface WrapOptions extends ResponseOptions, InputOptions {
  /**
   * Lets the chain start while the input rails still run, if the configuration enables speculation. Set it only for a chain
   * without side effects: a block cancels the chain, but cannot undo anything.
   */
  readonly speculative?: boolean;
  /** Effect of a block. Default: `refuse`, which returns the refusal in the shape of the result. */
  readonly onBlocked?: OnBlocked;
}

export const WRAP_OPTIONS: OptionTable<WrapOptions> = {
  ...RESPONSE_OPTIONS,
  ...INPUT_OPTIONS,
  speculative: "boolean",
  onBlocked: ON_BLOCKED,
};

/** A chain whose every call goes through the rails: input rails, flows, the chain, output rails. */
export class GuardedRunnable<Input, Output> extends GuardrailsStep<Input, Output> {
  static override lc_name(): string {
    return "GuardedRunnable";
  }

  readonly #inner: Runnable<Input, Output>;
  readonly #options: WrapOptions;
  readonly #main: LanguageModel | undefined;

  /** @param main - replaces the configured main model if the runnable itself is a model */
  constructor(host: Host, inner: Runnable<Input, Output>, options: WrapOptions = {}, main?: LanguageModel) {
    super(host, "GuardedRunnable");
    this.#inner = quarantineModel(inner, host);
    this.#options = { ...options, trustedKeys: options.trustedKeys ?? host.trustedKeys };
    this.#main = main;
  }

  protected override get pseudonymUse(): "turn" {
    return "turn";
  }

  protected override async process(value: Input, call: GuardedCall): Promise<Output> {
    const known = new MessagesOfCall(call);
    const graphInput = openGraphInput(value, this.#inner, call.config);
    const outcome = await this.#turn(graphInput, call, known);
    known.note(outcome);
    return this.#finish(outcome, graphInput, call.host, { known });
  }

  protected override async *processStream(chunks: AsyncGenerator<Input>, call: GuardedCall): AsyncGenerator<Output> {
    const { host } = call;
    const value = await joinStream(chunks);
    const { formatOfValue, StreamedResponse, streamsItsResult, Upstream } = await streaming();
    if (!streamsItsResult(this.#inner)) {
      yield await this.process(value, call);
      return;
    }
    const graphInput = openGraphInput(value, this.#inner, call.config);
    yield* streamFrom<Output>(call.config.signal, unreadMsOf(host, call.config), (sink, signal) =>
      runAndClose(call.with({ signal }), async (streamCall) => {
        const known = new MessagesOfCall(streamCall);
        const response = new StreamedResponse({
          plan: host.streaming,
          sink,
          formatOf: (chunk, review) =>
            mayHoldEvidence(chunk, streamCall) ? undefined : formatOfValue(chunk, review, this.#options),
          read: (whole) => this.#read(whole, streamCall, graphInput.value, known),
          prepare: (whole) => {
            this.#expectEvidence(graphInput.value, whole, host);
            return reviewEvidenceIn(whole, streamCall, { ...this.#options, question: this.#asked(graphInput).at(-1) });
          },
          stallMs: host.stallMs,
        });
        const opened = { response, open: (...source: Parameters<typeof Upstream.open>) => Upstream.open(...source) };
        const outcome = await this.#turn(graphInput, streamCall, known, opened);
        known.note(outcome);
        if (outcome.kind !== "blocked" && response.continuesWith(outcome)) return response.end(outcome);
        await sink.put([await this.#finish(outcome, graphInput, host, { known, streamed: response })]);
      }),
    );
  }

  #read(value: unknown, { conversation }: GuardedCall, input: unknown, known: MessagesOfCall): BotResponse {
    const about = { asked: known.asked, known, input, evidence: conversation.evidenceReader };
    return readResponse(value, { ...this.#options, ...about });
  }

  /** Warns of a misspelt key: without evidence, rails that read it pass everything. */
  #expectEvidence(input: unknown, result: unknown, { logger }: Host): void {
    const { contextKey } = this.#options;
    if (contextKey === undefined || logger === undefined || !isObject(result) || isMessage(result)) return;
    if (Object.hasOwn(result, INTERRUPT_KEY)) return;
    const isGiven = [input, result].some((value) => isObject(value) && Object.hasOwn(value, contextKey));
    if (!isGiven) warnOnce(`missing-evidence:${contextKey}`, missingEvidence(contextKey), logger);
  }

  #asked(graphInput: GraphInput): readonly string[] {
    return pendingTexts(this.#input(graphInput));
  }

  #input({ value, silent }: GraphInput, options: UserInputOptions = this.#options): UserInput {
    return silent ?? readUserInput(value, options);
  }

  /** The value for the chain, whose messages are the caller's own when they come back. */
  #sent(
    graphInput: GraphInput,
    texts: readonly string[],
    { input, call, known }: { readonly input: UserInput; readonly call: GuardedCall; readonly known: MessagesOfCall },
  ): Input {
    const value = sentValue(input.rewrite(texts), call);
    known.send([...pendingTexts(input), ...mainTexts(input, texts)], () => {
      const { messages, histories } = this.#input({ ...graphInput, value });
      return [...messages, ...histories.flat()];
    });
    return graphInput.send(value) as Input;
  }

  async #turn(
    graphInput: GraphInput,
    call: GuardedCall,
    known: MessagesOfCall,
    opened?: OpenedStream,
  ): Promise<TurnOutcome> {
    const options = this.#options;
    const { contextKey } = options;
    const { host, conversation } = call;
    try {
      const { silent } = graphInput;
      const isReviewed = contextKey === undefined || silent !== undefined;
      const value = isReviewed ? graphInput.value : await reviewEvidenceIn(graphInput.value, call, { contextKey });
      const read = this.#input({ ...graphInput, value }, { ...options, evidence: conversation.evidenceReader });
      const input = await openInput(read, call);
      const evidence = contextKey !== undefined && isObject(value) ? evidenceTexts(value[contextKey]) : undefined;
      opened?.response.compareWith(evidence);
      const sending = { input, call, known };
      const source = { runnable: this.#inner, stallMs: host.stallMs };
      const streamed = opened && {
        response: opened.response,
        open: (texts: readonly string[], config: RunnableConfig): Promise<Upstream> =>
          opened.open(source, this.#sent(graphInput, texts, sending), withoutCheckpoints(this.#inner, config)),
      };
      const ask = async (texts: readonly string[], config: RunnableConfig): Promise<BotResponse> => {
        const mains = mainTexts(input, texts);
        const result = await askInner(this.#inner, this.#sent(graphInput, texts, sending), config);
        this.#expectEvidence(graphInput.value, result, host);
        const reviewed = await reviewEvidenceIn(result, call, { ...options, question: mains.at(-1) });
        return withEvidence(this.#read(reviewed, call, value, known), evidence);
      };
      const stream = streamed === undefined ? undefined : host.streaming;
      const responder = responderOver(ask, streamed);
      const isSpeculative = options.speculative === true;
      return await takeGuardedTurn({
        call,
        input,
        responder,
        main: this.#main,
        isSideEffectFree: isSpeculative,
        stream,
      });
    } catch (error) {
      const texts = this.#asked(graphInput);
      if (error instanceof EvidenceBlocked) return { kind: "blocked", block: error.block, texts };
      const { block } = await reviewThrownResult(error, call, texts.at(-1));
      return { kind: "blocked", block, texts };
    }
  }

  async #finish(
    outcome: TurnOutcome,
    graphInput: GraphInput,
    host: Host,
    { known, streamed }: { readonly known: MessagesOfCall; readonly streamed?: StreamedResponse },
  ): Promise<Output> {
    const options = this.#options;
    const emit = (text: string, verdict: GuardrailsMetadata, input: unknown, blocked: readonly number[]): unknown =>
      shapeUtterance(text, verdict, { runnable: this.#inner, input, options, blocked, calls: outcome.calls });
    if (outcome.kind === "utterance") {
      return emit(outcome.text, outcome.verdict, this.#input(graphInput).rewrite(outcome.texts), []) as Output;
    }
    if (outcome.kind === "response") {
      const about = { ...options, asked: known.asked, known };
      const released = releaseResponse(outcome.response, outcome.text, outcome.verdict, about);
      return withDelegatedCalls(released, outcome.calls ?? []) as Output;
    }
    const { block, response } = outcome;
    const onBlocked = options.onBlocked ?? host.onBlocked ?? "refuse";
    const started = streamed?.hasStarted === true && response !== undefined ? streamed : undefined;
    return (await applyBlock(block, started?.whole() ?? response?.value ?? graphInput.value, onBlocked, (refusal) => {
      if (started !== undefined) return started.refuse(refusal, block.verdict);
      if (response !== undefined) return response.refuse(refusal, block.verdict);
      const atInput = block.verdict.stage === "input" || block.verdict.stage === "execution";
      const input = this.#input(graphInput);
      if (!atInput) return emit(refusal, block.verdict, input.rewrite(outcome.texts), []);
      return emit(refusal, block.verdict, input.refuse(pendingTexts(input)), input.pending);
    })) as Output;
  }
}
