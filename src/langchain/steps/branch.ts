import { type Runnable, type RunnableLike, _coerceToRunnable } from "@langchain/core/runnables";
import { checkOptions, type OptionTable } from "../../diagnostics/options.js";
import { readAnswer } from "../values/answer.js";
import type { GuardedCall } from "../call.js";
import type { HostSource } from "../host.js";
import { type Review, reviewOutputValue, reviewInput } from "../review/review.js";
import { type Side, sideOf } from "../values/side.js";
import { GuardrailsStep } from "../step.js";
import { readGuardedInput } from "../review/guarded-input.js";

export interface BranchOptions<Input, Output> {
  /** Where a value goes that passed; rewritten where a rail rewrote it. */
  readonly pass: RunnableLike<Input, Output>;
  /** Where a blocked value goes, as it was. */
  readonly blocked: RunnableLike<Input, Output>;
  /** Which rails decide; found by the side rule unless told. */
  readonly stage?: "input" | "output";
}

const OPTIONS: OptionTable<BranchOptions<unknown, unknown>> = {
  pass: "any",
  blocked: "any",
  stage: { oneOf: ["input", "output"] },
};

/**
 * Routes by verdict. LangChain's own branch takes an empty or false result of a branch for "did not match" and runs the
 * default as well (B1.5 T2), so this is a class of its own.
 */
export class GuardrailsBranch<Input, Output> extends GuardrailsStep<Input, Output> {
  static override lc_name(): string {
    return "GuardrailsBranch";
  }

  readonly #pass: Runnable<Input, Output>;
  readonly #blocked: Runnable<Input, Output>;
  readonly #stage: "input" | "output" | undefined;

  constructor(host: HostSource, options: BranchOptions<Input, Output>) {
    super(host, "guardrails:branch");
    checkOptions("guardrails.branch", options, OPTIONS);
    this.#pass = _coerceToRunnable(options.pass) as Runnable<Input, Output>;
    this.#blocked = _coerceToRunnable(options.blocked) as Runnable<Input, Output>;
    this.#stage = options.stage;
  }

  protected override async process(value: Input, call: GuardedCall): Promise<Output> {
    const { review, output } = await reviewValue(value, call, this.#stage);
    // The branches answer the caller, so they keep the caller's listeners.
    return review.block === undefined
      ? this.#pass.invoke(output as Input, call.announce)
      : this.#blocked.invoke(value, call.announce);
  }
}

/** Reviews a value on its side; `output` is the value afterwards, in its own shape. */
export async function reviewValue(
  value: unknown,
  call: GuardedCall,
  stage?: "input" | "output",
): Promise<{ readonly review: Review; readonly output: unknown; readonly side: Side }> {
  const side: Side = stage === undefined ? sideOf(value) : stage === "input" ? "user" : "bot";
  if (side === "user") {
    const input = await readGuardedInput(value, call);
    const review = await reviewInput(input, call);
    return { review, side, output: review.block === undefined ? input.rewrite(review.texts) : undefined };
  }
  const { answer, ...review } = await reviewOutputValue(value, call);
  const output =
    review.block === undefined ? readAnswer(answer.rewrite(review.texts[0] ?? "")).mark(review.verdict) : undefined;
  return { review, side, output };
}
