import { checkTrustedKeys, type GuardedCall } from "../call.js";
import { checkOptions, ON_BLOCKED, type OptionTable } from "../../diagnostics/options.js";
import { applyBlock, type OnBlocked } from "../blocked.js";
import type { Host, HostSource } from "../host.js";
import { reviewInput, reviewOutputValue, reviewEvidence, type Review } from "../review/review.js";
import { GuardrailsStep } from "../step.js";
import { readGuardedInput } from "../review/guarded-turn.js";
import { pendingTexts } from "../values/read-user-input.js";
import { UNSEEN, type UnseenPolicy } from "../values/unseen.js";
import { ANSWER_OPTIONS, type AnswerOptions } from "../values/answer.js";
import { readAnswer } from "../values/read-answer.js";
import { streamThroughRails } from "../streaming/stream-output.js";
import { chunkText } from "../values/evidence.js";
import { isObject, isMessage } from "../values/message-kinds.js";
import { type Runnable, type RunnableLike, _coerceToRunnable } from "@langchain/core/runnables";
import { answerKeyOf, type Side, sideOf } from "../values/side.js";

export interface InputStepOptions {
  /** The key under which an object carries the user's text. */
  readonly inputKey?: string;
  /** Keys of an input object that the application fills itself; no rail reads them. */
  readonly trustedKeys?: readonly string[];
  /** Consequence of parts that no rail can read, instead of the one of the guardrails object. */
  readonly unseen?: UnseenPolicy;
  /** Effect of a block. Default: `throw`. */
  readonly onBlocked?: OnBlocked;
}

const INPUT_OPTIONS: OptionTable<InputStepOptions> = {
  inputKey: "text",
  trustedKeys: "names",
  unseen: UNSEEN,
  onBlocked: ON_BLOCKED,
};

/** Input rails as a step: hands the value on, rewritten where a rail rewrote it, or throws. */
export class InputStep<T> extends GuardrailsStep<T, T> {
  static override lc_name(): string {
    return "GuardrailsInput";
  }

  readonly #options: InputStepOptions;

  constructor(host: HostSource, options: InputStepOptions = {}) {
    super(host, "guardrails:input");
    checkOptions("guardrails.input", options, INPUT_OPTIONS);
    checkTrustedKeys("guardrails.input", options);
    this.#options = options;
  }

  protected override async process(value: T, call: GuardedCall, host: Host): Promise<T> {
    const { inputKey, trustedKeys } = this.#options;
    const given = await readGuardedInput(value, call, { inputKey, trustedKeys });
    const review = await reviewInput(given, call);
    if (review.block === undefined) return given.rewrite(review.texts) as T;
    const onBlocked = this.#options.onBlocked ?? host.onBlocked ?? "throw";
    const silenced = pendingTexts(given).map(() => "");
    return (await applyBlock(review.block, value, onBlocked, (refusal) =>
      given.refuse([...silenced.slice(1), refusal]),
    )) as T;
  }
}

export interface OutputStepOptions extends AnswerOptions {
  /** Consequence of parts that no rail can read, instead of the one of the guardrails object. */
  readonly unseen?: UnseenPolicy;
  /** Effect of a block. Default: `refuse`. */
  readonly onBlocked?: OnBlocked;
}

const OUTPUT_OPTIONS: OptionTable<OutputStepOptions> = { ...ANSWER_OPTIONS, unseen: UNSEEN, onBlocked: ON_BLOCKED };

/** Output rails as a step: the answer in its own shape, or the refusal in the same shape. */
export class OutputStep<T> extends GuardrailsStep<T, T> {
  static override lc_name(): string {
    return "GuardrailsOutput";
  }

  readonly #options: OutputStepOptions;

  constructor(host: HostSource, options: OutputStepOptions = {}) {
    super(host, "guardrails:output");
    checkOptions("guardrails.output", options, OUTPUT_OPTIONS);
    this.#options = options;
  }

  protected override process(value: T, call: GuardedCall, host: Host): Promise<T> {
    return moderateAnswer(value, call, host, this.#options);
  }

  protected override processStream(chunks: AsyncGenerator<T>, call: GuardedCall, host: Host): AsyncGenerator<T> {
    return streamThroughRails<T>(chunks, call, host, this.#options);
  }
}

/** Output rails over one value of any readable shape. */
export async function moderateAnswer<T>(
  value: T,
  call: GuardedCall,
  host: Host,
  options: OutputStepOptions,
): Promise<T> {
  const review = await reviewOutputValue(value, call, options);
  const { block, answer } = review;
  if (block === undefined) {
    const reviewed = readAnswer(answer.rewrite(review.texts[0] ?? answer.text), options);
    return reviewed.mark(review.verdict) as T;
  }
  const onBlocked = options.onBlocked ?? host.onBlocked ?? "refuse";
  return (await applyBlock(block, value, onBlocked, (refusal) => answer.refuse(refusal, block.verdict))) as T;
}

export interface RetrievalStepOptions {
  /** Key of the documents in an object. Default: `context`. */
  readonly contextKey?: string;
  /** Effect of a block. Default: `throw`. `refuse` empties the evidence. */
  readonly onBlocked?: OnBlocked;
}

const RETRIEVAL_OPTIONS: OptionTable<RetrievalStepOptions> = { contextKey: "text", onBlocked: ON_BLOCKED };

const QUESTION_KEYS = ["question", "input", "query"] as const;

/** Retrieval rails as a step: documents in, documents out, rewritten or without those a rail removed. */
export class RetrievalStep<T> extends GuardrailsStep<T, T> {
  static override lc_name(): string {
    return "GuardrailsRetrieval";
  }

  readonly #options: RetrievalStepOptions;

  constructor(host: HostSource, options: RetrievalStepOptions = {}) {
    super(host, "guardrails:retrieval");
    checkOptions("guardrails.retrieval", options, RETRIEVAL_OPTIONS);
    this.#options = options;
  }

  protected override async process(value: T, call: GuardedCall, host: Host): Promise<T> {
    const key = this.#options.contextKey ?? "context";
    const holder = isObject(value) && chunkText(value) === undefined ? value : undefined;
    const given: unknown = holder === undefined ? value : holder[key];
    const question = QUESTION_KEYS.map((name) => holder?.[name]).find((text) => typeof text === "string");
    const { evidence, block } = await reviewEvidence(given, call, question as string | undefined);
    const rebuilt = (holder === undefined ? evidence : { ...holder, [key]: evidence }) as T;
    if (block === undefined) return evidence === given ? value : rebuilt;
    const onBlocked = this.#options.onBlocked ?? host.onBlocked ?? "throw";
    return (await applyBlock(block, value, onBlocked, () => rebuilt)) as T;
  }
}

/** Reading of a value whose side of the conversation is not known. */
interface ValueOptions extends AnswerOptions {
  /** Rails that decide. Default: those of the side of the conversation that the value is on. */
  readonly stage?: "input" | "output" | undefined;
  /** Key under which an input object carries the user's text. */
  readonly inputKey?: string | undefined;
  /** Keys of an input object that the application fills itself; no rail reads them. */
  readonly trustedKeys?: readonly string[] | undefined;
}

export interface BranchOptions<Input, Passed, Blocked = Passed> extends ValueOptions {
  /** Receives a value that passed, rewritten where a rail rewrote it. */
  readonly pass: RunnableLike<Input, Passed>;
  /** Receives a blocked value unchanged. */
  readonly blocked: RunnableLike<Input, Blocked>;
  /** Consequence of parts that no rail can read. Default: that of the guardrails object. */
  readonly unseen?: UnseenPolicy | undefined;
}

const BRANCH_OPTIONS: OptionTable<BranchOptions<unknown, unknown>> = {
  ...ANSWER_OPTIONS,
  pass: "any",
  blocked: "any",
  stage: { oneOf: ["input", "output"] },
  inputKey: "text",
  trustedKeys: "names",
  unseen: UNSEEN,
};

/**
 * Routes by verdict. LangChain's `RunnableBranch` takes an empty or false result of a branch for "did not match" and runs
 * its default as well.
 */
export class GuardrailsBranch<Input, Passed, Blocked> extends GuardrailsStep<Input, Passed | Blocked> {
  static override lc_name(): string {
    return "GuardrailsBranch";
  }

  readonly #pass: Runnable<Input, Passed>;
  readonly #blocked: Runnable<Input, Blocked>;
  readonly #options: ValueOptions;

  constructor(host: HostSource, options: BranchOptions<Input, Passed, Blocked>) {
    super(host, "guardrails:branch");
    checkOptions("guardrails.branch", options, BRANCH_OPTIONS);
    checkTrustedKeys("guardrails.branch", options);
    this.#pass = _coerceToRunnable(options.pass) as Runnable<Input, Passed>;
    this.#blocked = _coerceToRunnable(options.blocked) as Runnable<Input, Blocked>;
    this.#options = options;
  }

  protected override async process(value: Input, call: GuardedCall): Promise<Passed | Blocked> {
    const { review, output } = await reviewValue(value, call, this.#options);
    // The branches respond to the caller, so they keep the caller's handlers.
    return review.block === undefined
      ? this.#pass.invoke(output as Input, call.announce)
      : this.#blocked.invoke(value, call.announce);
  }
}

/** Reviews a value on its side; `output` is the value afterwards, in its own shape. */
export async function reviewValue(
  value: unknown,
  call: GuardedCall,
  options: ValueOptions,
): Promise<{ readonly review: Review; readonly output: unknown }> {
  if (sideOfValue(value, options) === "user") {
    const { inputKey, trustedKeys } = options;
    // INVARIANT: no retrieval rail runs here, so evidence is read with the user's text.
    const input = await readGuardedInput(value, call, { inputKey, trustedKeys });
    const review = await reviewInput(input, call);
    return { review, output: review.block === undefined ? input.rewrite(review.texts) : undefined };
  }
  const { answer, ...review } = await reviewOutputValue(value, call, options);
  if (review.block !== undefined) return { review, output: undefined };
  const reviewed = readAnswer(answer.rewrite(review.texts[0] ?? ""), options);
  return { review, output: reviewed.mark(review.verdict) };
}

function sideOfValue(value: unknown, options: ValueOptions): Side {
  const { stage, inputKey } = options;
  if (stage !== undefined) return stage === "input" ? "user" : "bot";
  const isInput = inputKey !== undefined && isObject(value) && !isMessage(value) && Object.hasOwn(value, inputKey);
  return isInput && answerKeyOf(value, options) === undefined ? "user" : sideOf(value, options);
}
