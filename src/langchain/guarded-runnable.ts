import type { Runnable } from "@langchain/core/runnables";
import { type Answer, type AnswerOptions, readAnswer } from "./answer.js";
import { settleBlock } from "./blocked.js";
import type { GuardedCall, OnBlocked } from "./call.js";
import { askInner } from "./ask-inner.js";
import { takeTurnWithTools } from "./guarded-calls.js";
import type { Ask, GuardedTurn } from "./guarded-turn.js";
import type { Host } from "./host.js";
import { speakInShape } from "./result-shape.js";
import { GuardrailsStep } from "./step.js";
import { pendingTexts, readUserInput, type UserInput } from "./user-input.js";

export interface WrapOptions extends AnswerOptions {
  /** The key under which an input object carries the user's text. */
  readonly inputKey?: string;
  /**
   * Lets the chain start beside the input rails where the configuration asks for speculation. Only for a chain whose run
   * changes nothing: it is broken off at a block, but what it has done by then is done.
   */
  readonly speculative?: boolean;
  /** What a block does; a guarded runnable returns the refusal in its own shape unless told otherwise. */
  readonly onBlocked?: OnBlocked;
}

/** A chain whose every call goes through the rails: input rails, flows, the chain, output rails. */
export class GuardedRunnable<Input, Output> extends GuardrailsStep<Input, Output> {
  static override lc_name(): string {
    return "GuardedRunnable";
  }

  readonly #inner: Runnable<Input, Output>;
  readonly #options: WrapOptions;

  constructor(host: Host, inner: Runnable<Input, Output>, options: WrapOptions = {}) {
    super(host, "GuardedRunnable");
    this.#inner = inner;
    this.#options = options;
  }

  protected override async process(value: Input, call: GuardedCall, host: Host): Promise<Output> {
    const options = this.#options;
    const given = readUserInput(value, options);
    const turn = (input: UserInput): GuardedTurn => {
      const ask: Ask = async (texts, config) => {
        const asked = [...pendingTexts(given), ...texts];
        return readAnswer(await askInner(this.#inner, input.rewrite(texts) as Input, config), { ...options, asked });
      };
      return { host, input, call, ask, asksAhead: options.speculative === true };
    };
    const outcome = await takeTurnWithTools(turn, given);
    const speak = (text: string, verdict: Parameters<typeof speakInShape>[1]): unknown =>
      speakInShape(text, verdict, { runnable: this.#inner, input: value, options });
    if (outcome.kind === "spoken") return speak(outcome.text, outcome.verdict) as Output;
    if (outcome.kind === "answer") return this.#rewrite(outcome.answer, outcome.text).mark(outcome.verdict) as Output;
    const { block, answer } = outcome;
    const onBlocked = options.onBlocked ?? host.onBlocked ?? "refuse";
    return (await settleBlock(block, answer?.value ?? value, onBlocked, (refusal) =>
      answer === undefined ? speak(refusal, block.verdict) : answer.refuse(refusal, block.verdict),
    )) as Output;
  }

  #rewrite(answer: Answer, text: string): Answer {
    const rewritten = answer.rewrite(text);
    return rewritten === answer.value ? answer : readAnswer(rewritten, this.#options);
  }
}
