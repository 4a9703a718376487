import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import type { GuardrailsEvent } from "../../engine/events.js";
import { Guardrails } from "../../langchain/guardrails.js";
import { hostOf } from "../../langchain/host.js";
import { extractText } from "../../langchain/values/content.js";
import { verdictOf } from "../../langchain/verdict.js";
import type { GuardrailsMetadata } from "../../turn/decision.js";
import type { FlowExplanation, TurnResult } from "../../turn/result.js";
import type { StoredThread, ThreadStore } from "../../threads/thread-store.js";
import type { Printer } from "../command-line.js";
import { printNotes } from "../print-turn.js";
import type { Conversation } from "./conversation.js";

const THREAD = "chat";

/** Thread store that holds the one conversation of a chat. */
export class ChatThread implements ThreadStore {
  #thread: StoredThread | undefined;

  /** Continues with the state of an earlier chat. */
  restore(state: unknown): void {
    this.#thread = { version: 1, state };
  }

  get(): StoredThread | undefined {
    return this.#thread;
  }

  set(_id: string, thread: StoredThread): boolean {
    this.#thread = thread;
    return true;
  }

  delete(): void {
    this.#thread = undefined;
  }
}

/** A chat turn by turn: prints each reply while it is generated, then its decisions. */
export class TurnConversation implements Conversation {
  readonly #guardrails: Guardrails;
  readonly #thread: ChatThread;
  readonly #printer: Printer;
  /** The last turn, if any. */
  readonly #turns: TurnResult[] = [];

  constructor(guardrails: Guardrails, thread: ChatThread, printer: Printer) {
    this.#guardrails = new Guardrails({ ...hostOf(guardrails), onTurn: (result) => this.#turns.push(result) });
    this.#thread = thread;
    this.#printer = printer;
  }

  async say(text: string, signal: AbortSignal): Promise<void> {
    this.#turns.length = 0;
    const config = { configurable: { thread_id: THREAD }, signal };
    let verdict: GuardrailsMetadata = { blocked: false, decisions: [] };
    let hasText = false;
    for await (const chunk of await this.#guardrails.stream([new HumanMessage(text)], config)) {
      // The response to a user message is a message.
      const message = chunk as BaseMessage;
      verdict = verdictOf(message) ?? verdict;
      const piece = extractText(message);
      if (verdict.replaces === true && hasText) this.#printer.line("\n[a rail has withdrawn the text above]", "yellow");
      this.#printer.write(piece);
      hasText ||= piece !== "";
    }
    this.#printer.line(hasText ? "" : "(no reply)");
    const { errors = [], warnings = [], reason, llmCalls = [] } = this.#turns.at(-1)?.log ?? {};
    printNotes(this.#printer, { decisions: verdict.decisions, errors, warnings, reason, calls: llmCalls });
  }

  why(flow: string): FlowExplanation | undefined {
    return this.#turns.at(-1)?.log.why(flow);
  }

  get events(): readonly GuardrailsEvent[] {
    return this.#turns.at(-1)?.log.internalEvents ?? [];
  }

  state(): Promise<unknown> {
    return Promise.resolve(this.#thread.get()?.state);
  }

  close(): void {
    // Nothing runs between turns.
  }
}
