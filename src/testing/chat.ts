import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { checkOptions, type OptionTable } from "../diagnostics/options.js";
import { extractText } from "../langchain/values/content.js";
import type { Guardrails } from "../langchain/guardrails.js";
import { shapeError } from "../langchain/shape-error.js";
import { isObject } from "../langchain/values/message-kinds.js";
import { verdictOf } from "../langchain/verdict.js";
import type { GuardrailsMetadata, RailDecision } from "../turn/decision.js";
import type { Runnable } from "@langchain/core/runnables";

/** A conversation with a guarded runnable, in its own thread. */
export interface Chat {
  /** Says something and waits for the reply. */
  user(text: string): Promise<string>;
  /** Asserts the last bot message. */
  bot(expected: string | RegExp): void;
  /** Asserts which rail blocked the last message. */
  blockedBy(rail: string): void;
  readonly reply: string;
  readonly decisions: readonly RailDecision[];
  readonly verdict: GuardrailsMetadata | undefined;
  /** Transcript: `>` the user, `<` the bot, `!` a rail that blocked. */
  readonly transcript: string;
}

export interface ChatOptions {
  /** Id of the conversation. Default: a new one. */
  readonly threadId?: string;
}

const OPTIONS: OptionTable<ChatOptions> = { threadId: "text" };

let opened = 0;

/**
 * A dialogue that reads like one.
 *
 * @example
 * ```ts
 * const talk = chat(guardrails);
 * await talk.user("hi");
 * talk.bot("Hello there!");
 * ```
 */
export function chat(guarded: Guardrails | Runnable, options: ChatOptions = {}): Chat {
  checkOptions("chat", options, OPTIONS);
  if (!isObject(guarded) || typeof guarded.invoke !== "function") {
    throw shapeError("expected a guarded runnable", guarded, "pass a guardrails object or a wrapped model");
  }
  return new Dialogue(guarded as Runnable, options.threadId ?? `chat-${(opened += 1)}`);
}

class Dialogue implements Chat {
  readonly #guarded: Runnable;
  readonly #threadId: string;
  readonly #lines: string[] = [];
  #reply: BaseMessage | undefined;

  constructor(guarded: Runnable, threadId: string) {
    this.#guarded = guarded;
    this.#threadId = threadId;
  }

  async user(text: string): Promise<string> {
    this.#lines.push(`> ${text}`);
    const output: unknown = await this.#guarded.invoke([new HumanMessage(text)], {
      configurable: { thread_id: this.#threadId },
    });
    this.#reply = typeof output === "string" ? new AIMessage(output) : (output as BaseMessage);
    if (this.verdict?.blocked) this.#lines.push(`! ${this.verdict.rail ?? "blocked"}`);
    this.#lines.push(`< ${this.reply.replaceAll("\n", "\n< ")}`);
    return this.reply;
  }

  bot(expected: string | RegExp): void {
    const fits = typeof expected === "string" ? this.reply === expected : expected.test(this.reply);
    if (!fits)
      throw new Error(`expected the bot to say ${String(expected)}, but the dialogue went\n${this.transcript}`);
  }

  blockedBy(rail: string): void {
    if (this.verdict?.blocked && this.verdict.rail === rail) return;
    throw new Error(`expected the rail \`${rail}\` to block, but the dialogue went\n${this.transcript}`);
  }

  get reply(): string {
    if (this.#reply === undefined) throw new Error("no message has been sent yet");
    return extractText(this.#reply);
  }

  get verdict(): GuardrailsMetadata | undefined {
    return this.#reply === undefined ? undefined : verdictOf(this.#reply);
  }

  get decisions(): readonly RailDecision[] {
    return this.verdict?.decisions ?? [];
  }

  get transcript(): string {
    return this.#lines.join("\n");
  }
}
