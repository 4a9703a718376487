import { type Runnable, type RunnableLike, _coerceToRunnable } from "@langchain/core/runnables";
import { checkOptions, type OptionTable } from "../../diagnostics/options.js";
import { ANSWER_OPTIONS, type AnswerOptions } from "../values/answer.js";
import { readAnswer } from "../values/read-answer.js";
import type { GuardedCall } from "../call.js";
import type { HostSource } from "../host.js";
import { type Review, reviewOutputValue, reviewInput } from "../review/review.js";
import { isMessage, isObject } from "../values/message-kinds.js";
import { answerKeyOf, type Side, sideOf } from "../values/side.js";
import { UNSEEN, type UnseenPolicy } from "../values/unseen.js";
import { GuardrailsStep } from "../step.js";
import { readGuardedInput } from "../review/guarded-input.js";
import { checkTrustedKeys } from "../option-tables.js";

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

const OPTIONS: OptionTable<BranchOptions<unknown, unknown>> = {
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
    checkOptions("guardrails.branch", options, OPTIONS);
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
