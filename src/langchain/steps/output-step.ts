import { checkOptions, ON_BLOCKED, type OptionTable } from "../../diagnostics/options.js";
import { ANSWER_OPTIONS, type AnswerOptions } from "../values/answer.js";
import { readAnswer } from "../values/read-answer.js";
import { applyBlock, type OnBlocked } from "../blocked.js";
import type { GuardedCall } from "../call.js";
import type { Host, HostSource } from "../host.js";
import { reviewOutputValue } from "../review/review.js";
import { streamThroughRails } from "../streaming/stream-output.js";
import { GuardrailsStep } from "../step.js";
import { UNSEEN, type UnseenPolicy } from "../values/unseen.js";

export interface OutputStepOptions extends AnswerOptions {
  /** Consequence of parts that no rail can read, instead of the one of the guardrails object. */
  readonly unseen?: UnseenPolicy;
  /** Effect of a block. Default: `refuse`. */
  readonly onBlocked?: OnBlocked;
}

const OPTIONS: OptionTable<OutputStepOptions> = { ...ANSWER_OPTIONS, unseen: UNSEEN, onBlocked: ON_BLOCKED };

/** Output rails as a step: the answer in its own shape, or the refusal in the same shape. */
export class OutputStep<T> extends GuardrailsStep<T, T> {
  static override lc_name(): string {
    return "GuardrailsOutput";
  }

  readonly #options: OutputStepOptions;

  constructor(host: HostSource, options: OutputStepOptions = {}) {
    super(host, "guardrails:output");
    checkOptions("guardrails.output", options, OPTIONS);
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
