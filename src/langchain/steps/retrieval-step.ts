import { checkOptions, ON_BLOCKED, type OptionTable } from "../../diagnostics/options.js";
import { applyBlock, type OnBlocked } from "../blocked.js";
import type { GuardedCall } from "../call.js";
import { chunkText } from "../values/evidence.js";
import type { Host, HostSource } from "../host.js";
import { isObject } from "../values/message-kinds.js";
import { reviewEvidence } from "../review/review.js";
import { GuardrailsStep } from "../step.js";

export interface RetrievalStepOptions {
  /** Key of the documents in an object. Default: `context`. */
  readonly contextKey?: string;
  /** Effect of a block. Default: `throw`. `refuse` empties the evidence. */
  readonly onBlocked?: OnBlocked;
}

const OPTIONS: OptionTable<RetrievalStepOptions> = { contextKey: "text", onBlocked: ON_BLOCKED };

const QUESTION_KEYS = ["question", "input", "query"] as const;

/** Retrieval rails as a step: documents in, documents out, rewritten or without those a rail removed. */
export class RetrievalStep<T> extends GuardrailsStep<T, T> {
  static override lc_name(): string {
    return "GuardrailsRetrieval";
  }

  readonly #options: RetrievalStepOptions;

  constructor(host: HostSource, options: RetrievalStepOptions = {}) {
    super(host, "guardrails:retrieval");
    checkOptions("guardrails.retrieval", options, OPTIONS);
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
