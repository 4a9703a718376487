import type { MaybePromise } from "../engine/async.js";
import { type ExtraText, joinLines } from "../turn/extra-text.js";
import { type Block, blockWith, type RailDecision } from "../turn/decision.js";
import type { GeneratorRequest } from "../turn/response.js";
import type { ToolTurnMessage, TurnMessage } from "../turn/options.js";
import type { ToolSubject } from "../rails/tools/tool-subject.js";
import type { TurnRequest, GuardedResponse } from "./responder.js";
import type { GuardedConversation } from "./guarded-conversation.js";
import type { PendingText, Review } from "./review.js";

type Stopped = { readonly block: Block } & Pick<Review, "blockedAt">;

/** The user's side of a call during review: the checked messages, and their texts so far. */
export class PendingInput {
  /** Decisions so far. */
  readonly decisions: RailDecision[];
  /** True if a flow of the stored conversation waits for one of the results. */
  hasAwaited = false;
  readonly #conversation: GuardedConversation;
  readonly #request: TurnRequest<GuardedResponse>;
  readonly #texts: Map<number, string>;
  readonly #checked = new Set<number>();
  /** Indexes of pending messages that no rail has checked yet. */
  #open: readonly number[];

  constructor(conversation: GuardedConversation, request: TurnRequest<GuardedResponse>) {
    this.#conversation = conversation;
    this.decisions = conversation.takeHistory();
    this.#request = request;
    this.#open = request.pending;
    this.#texts = new Map(request.pending.map((index) => [index, contentOf(request.messages[index])]));
  }

  /** One text per pending message with its extra lines, as the rails have left them so far. */
  get texts(): readonly string[] {
    return this.#request.pending.map((index) => this.#readText(index));
  }

  /** Texts that the input rails still have to check. */
  get openTexts(): readonly string[] {
    return this.#open.map((index) => this.#readText(index));
  }

  /** A text as rails read it; a checked text already contains its extra lines. */
  #readText(index: number): string {
    const text = this.#texts.get(index) ?? "";
    const extra = this.#checked.has(index) ? undefined : this.#extraOf(index);
    return extra === undefined ? text : joinLines(text, extra.text);
  }

  #extraOf(index: number): ExtraText | undefined {
    const message = this.#request.messages[index];
    return message?.role === "user" ? message.extra : undefined;
  }

  get endsWithResult(): boolean {
    return this.#request.messages.findLast(({ role }) => role !== "system")?.role === "tool";
  }

  #markChecked(index: number): void {
    this.#checked.add(index);
    this.#open = this.#open.filter((openIndex) => openIndex !== index);
  }

  /**
   * Checks tool results by their own rails, then finds those that flows wait for. If there are any, only messages after
   * the tool calls are new to the flows; earlier user messages are checked again, since a model may read them again.
   */
  checkResults(): MaybePromise<Stopped | undefined> {
    // Most input has no tool results, so there is nothing to wait for.
    const { messages, pending } = this.#request;
    const results = pending.filter((index) => messages[index]?.role === "tool");
    return results.length === 0 ? undefined : this.#checkAll(results);
  }

  async #checkAll(results: readonly number[]): Promise<Stopped | undefined> {
    if (this.#request.knowsResults !== true) {
      for (const index of results) {
        const stopped = await this.#checkResult(index);
        if (stopped !== undefined) return stopped;
      }
    }
    return this.#findAwaited(results);
  }

  async #checkResult(index: number): Promise<Stopped | undefined> {
    const subject = this.#subjectOf(index);
    if (subject === undefined || !this.#conversation.guardsTool("tool_input", subject.tool)) return undefined;
    const { check, decisions, block } = await this.#conversation.toolResult(subject);
    this.decisions.push(...decisions);
    if (block !== undefined) {
      return { block: blockWith(block, this.decisions.splice(0)), blockedAt: this.#request.pending.indexOf(index) };
    }
    this.#texts.set(index, check.result);
    this.#markChecked(index);
    return undefined;
  }

  async #findAwaited(results: readonly number[]): Promise<Stopped | undefined> {
    const { messages, pending, knowsResults } = this.#request;
    const ids = results.flatMap((index) => (messages[index] as ToolTurnMessage).toolCallId ?? []);
    if (!(await this.#conversation.awaitsResult(ids))) return undefined;
    this.hasAwaited = true;
    if (knowsResults === true) for (const index of results) this.#markChecked(index);
    const answered = messages.findLastIndex(({ role }) => role === "assistant");
    const earlier = this.#open.filter((index) => index < answered);
    if (earlier.length === 0) return undefined;
    const review = await this.#check(earlier);
    if (review.block === undefined) {
      this.decisions.push(...review.verdict.decisions);
      return undefined;
    }
    const blockedAt = pending.indexOf(earlier[review.blockedAt ?? 0] ?? 0);
    const decisions = [...this.decisions.splice(0), ...review.block.verdict.decisions];
    return { block: blockWith(review.block, decisions), blockedAt };
  }

  /** Runs the input rails over every unchecked text. */
  async checkOpen(): Promise<Review> {
    const open = this.#open;
    const review = await this.#check(open);
    if (review.blockedAt === undefined) return review;
    return { ...review, blockedAt: this.#request.pending.indexOf(open[review.blockedAt] ?? 0) };
  }

  async #check(indexes: readonly number[]): Promise<Review> {
    const pending = indexes.map((index): PendingText => {
      return { text: this.#texts.get(index) ?? "", extra: this.#extraOf(index) };
    });
    const review = await this.#conversation.input(pending, this.#history);
    if (review.block === undefined) {
      for (const [at, index] of indexes.entries()) {
        this.#texts.set(index, review.texts[at] ?? "");
        this.#markChecked(index);
      }
    }
    return review;
  }

  /** One text per pending message, for a responder called by a dialog turn. */
  textsFor(request: GeneratorRequest): readonly string[] {
    const open = this.#open;
    const { userMessages, userMessage, rewritten } = request;
    if (userMessages?.length === open.length) return this.withLeft(userMessages);
    return this.#withOpen(rewritten ? [...this.openTexts.slice(0, -1), userMessage] : this.openTexts);
  }

  /**
   * One text per pending message, with its extra lines.
   *
   * @param left - the texts as the dialog turn left them
   */
  withLeft(left: readonly string[]): readonly string[] {
    const open = this.#open;
    if (left.length !== open.length || this.#conversation.extraReader !== undefined) return this.#withOpen(left);
    return this.#withOpen(left.map((text, at) => joinLines(text, this.#extraOf(open[at] ?? -1)?.text ?? "")));
  }

  /**
   * One text per pending message.
   *
   * @param left - the texts of messages that were unchecked before the dialog turn
   */
  #withOpen(left: readonly string[]): readonly string[] {
    return this.#request.pending.map((index) => left[this.#open.indexOf(index)] ?? this.#readText(index));
  }

  /** The conversation for a dialog turn: finished exchanges, then the pending messages. */
  turnMessages(): readonly TurnMessage[] {
    const { messages, pending } = this.#request;
    const first = this.#open[0] ?? messages.length;
    const turns: TurnMessage[] = [];
    for (const [index, message] of messages.entries()) {
      const content = this.#texts.get(index) ?? contentOf(message);
      if (this.#checked.has(index)) {
        // A flow may wait for a result that its own rails have checked.
        if (message.role === "tool" && this.hasAwaited)
          turns.push({ ...message, content, extra: undefined, reviewed: true });
      } else if (pending.includes(index)) {
        const isAwaited = this.hasAwaited && message.role === "tool";
        turns.push(isAwaited ? { ...message, content, extra: undefined } : this.#userTurn(index, content));
      } else if (message.role === "context" || message.role === "event") turns.push(message);
      else if (content !== "" && !(index > first && message.role === "assistant")) turns.push(message);
    }
    return turns;
  }

  /** INVARIANT: extra lines stay separate only if the input rails of the call read them with the text. */
  #userTurn(index: number, content: string): TurnMessage {
    const extra = this.#extraOf(index);
    const { extraReader } = this.#conversation;
    if (extra === undefined || extraReader === undefined) return { role: "user", content };
    if (extraReader === "flow") return { role: "user", content: joinLines(content, extra.text) };
    return { role: "user", content, extra };
  }

  get #history(): readonly { readonly role: "user" | "assistant"; readonly content: string }[] {
    const { messages, pending } = this.#request;
    return messages
      .slice(0, pending[0] ?? messages.length)
      .flatMap((message) =>
        message.role === "user" || message.role === "assistant"
          ? [{ role: message.role, content: message.content }]
          : [],
      );
  }

  #subjectOf(index: number): ToolSubject | undefined {
    const message = this.#request.messages[index];
    if (message?.role !== "tool") return undefined;
    const { call, content, extra, toolCallId, failed } = message;
    const userMessage = this.#request.messages.findLast(({ role }) => role === "user");
    return {
      tool: call?.tool ?? "",
      args: call?.args ?? {},
      callId: call?.callId ?? toolCallId,
      result: content,
      extra,
      failed,
      userMessage: contentOf(userMessage),
    };
  }
}

function contentOf(message: TurnMessage | undefined): string {
  if (message === undefined || message.role === "context" || message.role === "event") return "";
  if (message.role !== "tool" || message.extra === undefined) return message.content;
  return joinLines(message.content, message.extra);
}
