import type { BaseMessage } from "@langchain/core/messages";
import { LRUCache } from "lru-cache";
import { type Block, type GuardrailsMetadata, hasStatus } from "../../turn/decision.js";
import type { Runtime } from "../../runtime/runtime.js";
import { refusalOf } from "../blocked.js";
import type { GuardedCall } from "../call.js";
import { jsonText } from "../shape-error.js";
import { readToolCalls } from "../tools/tool-calls.js";
import { type BotResponse, type KnownMessages, stripMessage } from "../values/response.js";
import { roleOf } from "../values/message-kinds.js";
import { readableText } from "../values/read-response.js";

const MAX_MESSAGES = 10_000;

/** In characters, over all messages. */
const MAX_SIZE = 4_194_304;

/** A message that left before: as it is, or not at all, in which case a refusal may stand in its place. */
type LeftMessage = { readonly kind: "same" } | { readonly kind: "gone"; readonly refusal: string | undefined };

type LeftMessages = LRUCache<string, LeftMessage>;

/** Fates of the messages of each conversation that a chain keeps itself. The messages themselves are the keys. */
const leftMessages = new WeakMap<Runtime, LeftMessages>();

function leftBy(runtime: Runtime): LeftMessages {
  let messages = leftMessages.get(runtime);
  if (messages === undefined) {
    const sizeCalculation = (_: LeftMessage, key: string): number => key.length;
    messages = new LRUCache({ max: MAX_MESSAGES, maxSize: MAX_SIZE, sizeCalculation });
    leftMessages.set(runtime, messages);
  }
  return messages;
}

/** A result after its review. */
interface ReviewedResult {
  readonly response?: BotResponse | undefined;
  readonly block?: Block | undefined;
  readonly verdict?: GuardrailsMetadata | undefined;
}

/**
 * Messages of a chain's result that say nothing new. A graph with a checkpointer returns its whole conversation, raw answers
 * that were blocked in earlier calls included. INVARIANT: what the caller did not send leaves only as it left before, or
 * after a review; without memory of it, in another process, it is reviewed with the response.
 */
export class MessagesOfCall implements KnownMessages {
  readonly #runtime: Runtime;
  /** The conversation that the chain may keep; without one nothing is remembered. */
  readonly #thread: string | undefined;
  /** Texts of the user in this call. */
  asked: readonly string[] = [];
  #sent: () => readonly BaseMessage[] = () => [];
  #sentTexts: ReadonlySet<string> | undefined;
  /** Refusals that stand in the place of messages. */
  readonly #replaced = new Set<BaseMessage>();

  constructor({ host, config, options }: GuardedCall) {
    this.#runtime = host.runtime;
    const id: unknown = config.configurable?.["thread_id"];
    // A call that selects rails says nothing about what the others would have let pass.
    this.#thread = options.rails === undefined && typeof id === "string" ? id : undefined;
  }

  /**
   * @param asked - the texts of the user, as they came and as rails left them
   * @param sent - reads the messages that the chain is given
   */
  send(asked: readonly string[], sent: () => readonly BaseMessage[]): void {
    this.asked = asked;
    this.#sent = sent;
    this.#sentTexts = undefined;
  }

  isSent(message: BaseMessage): boolean {
    this.#sentTexts ??= new Set(this.#sent().map(textKey));
    return this.#sentTexts.has(textKey(message));
  }

  hasLeft(message: BaseMessage): boolean {
    return this.#replaced.has(message) || this.#left(message)?.kind === "same";
  }

  asLeft(message: BaseMessage): BaseMessage | undefined {
    const sentOut = this.#left(message);
    if (sentOut?.kind !== "gone") return message;
    if (sentOut.refusal === undefined) return undefined;
    const refused = stripMessage(message, sentOut.refusal);
    this.#replaced.add(refused);
    return refused;
  }

  #left(message: BaseMessage): LeftMessage | undefined {
    const messages = this.#thread === undefined ? undefined : leftMessages.get(this.#runtime);
    return messages?.get(this.#keyOf(message));
  }

  /** Notes how the messages of a result leave. */
  note({ response, block, verdict }: ReviewedResult): void {
    const listed = response?.listed;
    if (this.#thread === undefined || listed === undefined) return;
    const messages = leftBy(this.#runtime);
    const { all, fresh, kept, last } = listed;
    if (block !== undefined) {
      const refusal = refusalOf(block);
      for (const message of fresh) {
        messages.set(this.#keyOf(message), { kind: "gone", refusal: message === last ? refusal : undefined });
      }
    }
    const isSame = verdict !== undefined && !hasStatus(verdict.decisions, "modified", "blocked", "error");
    const left = block === undefined ? all.filter((message) => isSame || !fresh.includes(message)) : kept;
    for (const message of left) {
      if (!this.#replaced.has(message)) messages.set(this.#keyOf(message), { kind: "same" });
    }
  }

  #keyOf(message: BaseMessage): string {
    const { name, additional_kwargs, response_metadata, tool_call_id, artifact, status } = message as BaseMessage &
      Partial<Record<"tool_call_id" | "artifact" | "status", unknown>>;
    const { content } = message;
    const fields = [name, additional_kwargs, response_metadata, tool_call_id, artifact, status, readToolCalls(message)];
    return jsonText([this.#thread, roleOf(message), content, ...fields], "the fields of this message");
  }
}

function textKey(message: BaseMessage): string {
  return `${roleOf(message)}\n${readableText(message)}`;
}
