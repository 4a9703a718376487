import type { GuardrailsEvent } from "../engine/events.js";

export interface HistoryOptions {
  /** Include the texts; without them a history is a list of intents. Default: true. */
  readonly includeTexts?: boolean;
  /** Include actions of retrieval, unless they are system actions. Default: true. */
  readonly includeRetrieval?: boolean;
  /** Stands in for a user text that must not enter a prompt again. */
  readonly hiddenText?: string;
}

const HIDDEN_TEXT = "(this message is hidden)";
const RETRIEVAL_ACTIONS = new Set(["retrieve_relevant_chunks"]);

/** A line that may still be masked. */
interface HistoryLine {
  text: string;
}

/**
 * A conversation as the text that prompts show (spec rails 2.8): what the user said and meant, what the bot decided
 * and said, actions and their results. Bookkeeping actions and turns that were rolled back are left out. Every event
 * makes lines of its own: a line break inside a text is written as `\n`, so a text cannot forge a line.
 *
 * @example
 * ```ts
 * printHistory([{ type: "UserMessage", text: "hi" }, { type: "UserIntent", intent: "greet" }]);
 * // user "hi"
 * //   greet
 * ```
 */
export function printHistory(events: readonly GuardrailsEvent[], options: HistoryOptions = {}): string {
  const kept = withoutHiddenTurns(events);
  const writer = new HistoryWriter(kept.findLastIndex(isBotIntent), options);
  for (const [index, event] of kept.entries()) writer.write(event, index);
  return writer.lines.map((line) => line.text).join("\n");
}

/** Drops what `hide_prev_turn` rolled back: from the last user utterance on, but never beyond an earlier `Listen`. */
function withoutHiddenTurns(events: readonly GuardrailsEvent[]): GuardrailsEvent[] {
  const kept: GuardrailsEvent[] = [];
  for (const event of events) {
    if (event.type !== "hide_prev_turn") {
      kept.push(event);
      continue;
    }
    const callStart = kept.findLastIndex(({ type }) => type === "Listen") + 1;
    const utterance = kept.findLastIndex(({ type }) => type === "UtteranceUserActionFinished");
    kept.length = Math.max(callStart, utterance);
  }
  return kept;
}

/** The marker that ends a turn says nothing and has no place in a conversation. */
function isBotIntent(event: GuardrailsEvent): boolean {
  return event.type === "BotIntent" && event["intent"] !== "stop";
}

class HistoryWriter {
  readonly lines: HistoryLine[] = [];
  readonly #lastBotIntent: number;
  readonly #texts: boolean;
  readonly #retrieval: boolean;
  readonly #hidden: string;
  /** Requests that are shown, so that their results are too. */
  readonly #shownActions = new Set<unknown>();
  /** Line of the user's text of the current turn; undefined without one. */
  #userLine: HistoryLine | undefined;

  constructor(lastBotIntent: number, options: HistoryOptions) {
    this.#lastBotIntent = lastBotIntent;
    this.#texts = options.includeTexts ?? true;
    this.#retrieval = options.includeRetrieval ?? true;
    this.#hidden = options.hiddenText ?? HIDDEN_TEXT;
  }

  write(event: GuardrailsEvent, index: number): void {
    switch (event.type) {
      case "UtteranceUserActionFinished":
        this.#userLine = undefined;
        break;
      case "UserMessage":
        if (this.#texts) this.#userLine = this.#add(`user "${oneLine(event["text"])}"`);
        break;
      case "UserIntent":
        this.#add(`${this.#texts ? "  " : "user "}${oneLine(event["intent"])}`);
        break;
      case "BotIntent":
        this.#writeBotIntent(event, index);
        break;
      case "StartUtteranceBotAction":
        if (this.#texts) this.#add(`  "${oneLine(event["script"])}"`);
        break;
      case "StartInternalSystemAction":
        this.#writeAction(event);
        break;
      case "InternalSystemActionFinished":
        this.#writeResult(event);
        break;
      case "mask_prev_user_message":
        if (this.#userLine) this.#userLine.text = `user "${this.#hidden}"`;
        break;
    }
  }

  #writeBotIntent(event: GuardrailsEvent, index: number): void {
    if (!isBotIntent(event)) return;
    const { instructions } = event;
    if (index === this.#lastBotIntent && typeof instructions === "string" && instructions !== "") {
      for (const line of instructions.split("\n")) this.#add(`# ${line.trim()}`);
    }
    this.#add(`bot ${oneLine(event["intent"])}`);
  }

  #writeAction(event: GuardrailsEvent): void {
    const name = oneLine(event["action_name"]);
    if (event["is_system_action"] === true || (!this.#retrieval && RETRIEVAL_ACTIONS.has(name))) return;
    this.#shownActions.add(event["action_uid"] ?? name);
    this.#add(`execute ${name}`);
  }

  #writeResult(event: GuardrailsEvent): void {
    const shown = this.#shownActions.delete(event["action_uid"] ?? oneLine(event["action_name"]));
    if (shown) this.#add(`# The result was ${printValue(event["return_value"])}`);
  }

  #add(text: string): HistoryLine {
    const line = { text };
    this.lines.push(line);
    return line;
  }
}

function oneLine(value: unknown): string {
  const text = typeof value === "string" ? value : printValue(value);
  return text.replace(/\r\n|[\n\r\u2028\u2029]/g, "\\n");
}

function printValue(value: unknown): string {
  if (value === undefined || value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "None");
  return text.replace(/[\r\n\u2028\u2029]+/g, " ");
}
