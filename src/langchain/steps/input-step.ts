import { checkTrustedKeys } from "../option-tables.js";
import { checkOptions, ON_BLOCKED, type OptionTable } from "../../diagnostics/options.js";
import { applyBlock, type OnBlocked } from "../blocked.js";
import type { GuardedCall } from "../call.js";
import type { Host, HostSource } from "../host.js";
import { reviewInput } from "../review/review.js";
import { GuardrailsStep } from "../step.js";
import { readGuardedInput } from "../review/guarded-input.js";
import { pendingTexts } from "../values/read-user-input.js";
import { UNSEEN, type UnseenPolicy } from "../values/unseen.js";

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

const OPTIONS: OptionTable<InputStepOptions> = {
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
    checkOptions("guardrails.input", options, OPTIONS);
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
