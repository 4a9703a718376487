import { randomIds } from "../../engine/events.js";
import { isObject, type PlainObject } from "../../langchain/values/message-kinds.js";
import { EventParser } from "../../server/upstream/event-parser.js";
import { formatDecision } from "../../turn/format-decision.js";
import type { RailDecision } from "../../turn/decision.js";
import { CommandError, type Printer, UsageError } from "../command-line.js";
import type { Conversation } from "./conversation.js";

/** Address of a server to chat with. */
export interface ServerAddress {
  /** Address of the server, with or without `/v1`. */
  readonly url: string;
  readonly apiKey: string | undefined;
  /** Configuration of the server. Default: the first one that it lists. */
  readonly configId: string | undefined;
}

/** A chat with a running server. The server stores the conversation under an id that only this chat knows. */
export class ServerConversation implements Conversation {
  readonly events = [];
  readonly #base: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #printer: Printer;
  readonly #model: string;
  #thread: string | undefined;

  private constructor(base: string, headers: Readonly<Record<string, string>>, model: string, printer: Printer) {
    this.#base = base;
    this.#headers = headers;
    this.#model = model;
    this.#printer = printer;
  }

  /**
   * Fetches the configurations of the server.
   *
   * @throws UsageError for an invalid address or an unknown configuration; CommandError for a refusal of the server
   */
  static async open(
    { url, apiKey, configId }: ServerAddress,
    printer: Printer,
    signal: AbortSignal,
  ): Promise<ServerConversation> {
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
      throw new UsageError(`\`${url}\` is not the address of a server, such as http://127.0.0.1:8000`);
    }
    const base = `${url.replace(/\/+$/, "").replace(/\/v1$/, "")}/v1`;
    const headers = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
    const response = await fetch(`${base}/rails/configs`, { headers, signal }).catch((error: unknown) => {
      throw new CommandError(`no server responds at ${base}`, { cause: error });
    });
    const listed: unknown = await readJson(response);
    if (!response.ok) throw new CommandError(messageIn(listed) ?? `the server responds with status ${response.status}`);
    const ids = Array.isArray(listed) ? listed.filter(isObject).map(({ id }) => String(id)) : [];
    const model = configId ?? ids[0];
    if (model === undefined) throw new CommandError(`${base} is not a server of configurations`);
    if (!ids.includes(model)) {
      throw new UsageError(`the server has no configuration \`${model}\`; it has ${ids.join(", ")}`);
    }
    return new ServerConversation(base, headers, model, printer);
  }

  /** Continues the conversation of an earlier chat. */
  restore(state: unknown): void {
    if (isObject(state) && typeof state["thread"] === "string") this.#thread = state["thread"];
  }

  async say(text: string, signal: AbortSignal): Promise<void> {
    const thread = (this.#thread ??= `chat-${randomIds.next()}`);
    const body = {
      model: this.#model,
      messages: [{ role: "user", content: text }],
      stream: true,
      guardrails: { thread_id: thread },
    };
    const response = await fetch(`${this.#base}/chat/completions`, {
      method: "POST",
      headers: { ...this.#headers, "content-type": "application/json" },
      body: JSON.stringify(body),
      signal,
    });
    if (!response.ok || response.body === null) {
      throw new CommandError(
        messageIn(await readJson(response)) ?? `the server responds with status ${response.status}`,
      );
    }
    await this.#print(response.body);
  }

  async #print(body: AsyncIterable<Uint8Array>): Promise<void> {
    const parser = new EventParser();
    let verdict: PlainObject = {};
    let isComplete = false;
    let hasText = false;
    for await (const bytes of body) {
      const events: string[] = [];
      parser.push(bytes, events);
      for (const data of events) {
        if (data === "[DONE]") isComplete = true;
        const event: unknown = isComplete ? {} : JSON.parse(data);
        const failure = messageIn(event);
        if (failure !== undefined) throw new CommandError(failure);
        const piece = textIn(event);
        this.#printer.write(piece);
        hasText ||= piece !== "";
        if (isObject(event) && isObject(event["guardrails"])) verdict = event["guardrails"];
      }
    }
    this.#printer.line(hasText ? "" : "(no reply)");
    if (!isComplete) throw new CommandError("the stream of the server broke off");
    if (verdict["replaces"] === true)
      this.#printer.line("[a rail has withdrawn the text before the refusal]", "yellow");
    const decisions = Array.isArray(verdict["decisions"]) ? verdict["decisions"].filter(isObject) : [];
    for (const decision of decisions) {
      const durationMs = Number(decision["duration_ms"] ?? 0);
      const line = formatDecision({ ...decision, durationMs } as object as RailDecision);
      this.#printer.line(`  ${line}`, decision["status"] === "passed" ? "dim" : "yellow");
    }
  }

  why(): undefined {
    return undefined;
  }

  state(): Promise<unknown> {
    return Promise.resolve(this.#thread === undefined ? undefined : { thread: this.#thread });
  }

  close(): void {
    // The server expires this conversation like any other.
  }
}

async function readJson(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    return undefined;
  }
}

/** Returns the message of an OpenAI error object. */
function messageIn(body: unknown): string | undefined {
  const error = isObject(body) ? body["error"] : undefined;
  if (error === undefined) return undefined;
  return isObject(error) && typeof error["message"] === "string" ? error["message"] : "the server failed";
}

function textIn(event: unknown): string {
  const choices = isObject(event) && Array.isArray(event["choices"]) ? event["choices"] : [];
  const choice = (choices as unknown[]).find(isObject);
  const delta = choice?.["delta"];
  return isObject(delta) && typeof delta["content"] === "string" ? delta["content"] : "";
}
