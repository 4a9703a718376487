import {
  type GradualText,
  inSequence,
  readWhole,
  NewlineEscapes,
  StopGate,
} from "../../../llm/parsers/gradual/gradual-text.js";
import { beginsTurn, UtteranceReader, closesQuote, linesOf } from "../../../llm/parsers/completion-text.js";
import { promptText, truncateAtStop } from "../../../llm/prompts/prompt-text.js";
import type { RunningTask } from "../../../llm/task/task.js";
import { GradualWords } from "../../../generation/gradual-words.js";
import { type MergedParts, readMerged } from "./completions.js";
import type { RetrievedChunks } from "../../../generation/retrieve-chunks.js";

/** Characters within which an intent and a step appear, if the reply has them at all. */
const MAX_HEAD = 2_000;

/**
 * The model call shared by the stages of one turn. INVARIANT: it belongs to one turn and never enters an event or the
 * state.
 */
export interface MergedSlot {
  /** Aborts with the turn, rather than with the action that started the call. */
  readonly signal: AbortSignal;
  call?: MergedCall | undefined;
  /** The search for chunks that runs concurrently with a model call, so the retrieval stage need not search again. */
  retrieved?: { readonly query: string; readonly found: Promise<RetrievedChunks> } | undefined;
  /** Set if a completion could not be read: the rest of the turn requests its parts separately. */
  isUnreadable?: boolean;
}

/** Ends a call whose completion has too few parts; they are then requested separately. */
export function abandonCall(slot: MergedSlot): void {
  slot.isUnreadable = true;
  slot.call?.cancelRest();
}

export interface MergedCallInput {
  readonly task: RunningTask;
  readonly shownChunks: string;
  /** True if complete lines are used before the completion ends. */
  readonly isEarly: boolean;
  /** True if the text may be emitted while it is generated. */
  readonly isEmitted?: boolean;
  /** Stop sequences of the text. */
  readonly stop: readonly string[];
  /** True if the call only decides, and another one generates the text. */
  readonly areWordsApart: boolean;
  /** Intent known when the call was started. */
  readonly userIntent: string | undefined;
}

/** The one model call of a turn and what was read from it so far. */
export class MergedCall {
  /** The canonical form that the turn continues with; set once the engine has received it. */
  userIntent: string | undefined;
  readonly #input: MergedCallInput;
  #isGone = false;
  #scanned = 0;
  #words: string | undefined;

  constructor(input: MergedCallInput) {
    this.#input = input;
    this.userIntent = input.userIntent;
  }

  /** False once the message was taken or the rest cancelled, since the text may then end mid-word. */
  get isUsable(): boolean {
    return !this.#isGone;
  }

  get areWordsApart(): boolean {
    return this.#input.areWordsApart;
  }

  get shownChunks(): string {
    return this.#input.shownChunks;
  }

  get promptText(): string {
    return promptText(this.#input.task.prompt);
  }

  /** Returns `null` if the completion states no intent. */
  async readUserIntent(): Promise<string | null> {
    return (await this.#readHead(({ userIntent }) => userIntent)) ?? null;
  }

  /** Returns `null` if the completion states no step. */
  async readBotIntent(): Promise<string | null> {
    return (await this.#readHead(({ botIntent }) => botIntent)) ?? null;
  }

  /** Returns the bot's text without taking it; empty if there is none. */
  async readWords(): Promise<string> {
    const { task, isEarly, stop } = this.#input;
    this.#words ??=
      (await task.call.read((text, isWhole) => {
        if (!isWhole && !(isEarly && this.#mayHaveEnded(text))) return undefined;
        return this.#parts(text, isWhole)?.message;
      })) ?? "";
    return truncateAtStop(this.#words, stop);
  }

  /**
   * Takes the bot's text without waiting for what the model writes after it.
   *
   * @param writeText - emits the text while it is generated
   */
  async readMessage(writeText?: (words: GradualWords) => Promise<string>): Promise<string> {
    // INVARIANT: one call provides the text of one message.
    this.#isGone = true;
    const { task, isEmitted } = this.#input;
    const from = await this.#startOfWords();
    const reader = from === undefined ? undefined : this.#wordsReader();
    if (from === undefined || reader === undefined) {
      const message = readWhole(new NewlineEscapes(), await this.readWords());
      task.call.awaitEnd();
      return message;
    }
    if (writeText !== undefined && isEmitted === true) return writeText(new GradualWords(task.call, reader, from));
    const message = await this.#readGradually(reader, from);
    task.call.awaitEnd();
    return message;
  }

  /** Cancels the rest of the completion. */
  cancelRest(): void {
    this.#isGone = true;
    this.#input.task.call.cancelRest();
  }

  /**
   * Returns the offset after the line of the step. Undefined if the text cannot be located before the completion ends:
   * it may be in the step's own line, or there is no such line.
   */
  async #startOfWords(): Promise<number | undefined> {
    const { task, isEarly } = this.#input;
    if (!isEarly || this.#words !== undefined) return undefined;
    const text = (await task.call.read((soFar) => soFar)) ?? "";
    for (let end = text.indexOf("\n") + 1; end > 0; end = text.indexOf("\n", end) + 1) {
      const head = text.slice(0, end);
      const step = this.#parts(head, false)?.botIntent;
      if (step === undefined) continue;
      const line = linesOf(task.parse(head)).findLast((candidate) => candidate.trim() !== "");
      return step === null || line?.includes('"') === true ? undefined : end;
    }
    return undefined;
  }

  #wordsReader(): GradualText | undefined {
    const { task, stop } = this.#input;
    const words = task.gradual.words?.();
    if (words === undefined) return undefined;
    const utterance = new UtteranceReader({ firstMayBeTurn: true });
    return inSequence([words, utterance, new StopGate(stop), new NewlineEscapes()]);
  }

  async #readGradually(reader: GradualText, from: number): Promise<string> {
    let message = "";
    let seen = from;
    await this.#input.task.call.read((text, isWhole) => {
      message += reader.push(text.slice(seen));
      seen = text.length;
      if (isWhole && !reader.isOver) message += reader.end();
      return isWhole || reader.isOver ? true : undefined;
    });
    return message;
  }

  async #readHead<Part>(part: (parts: MergedParts) => Part | undefined): Promise<Part | undefined> {
    const { task, isEarly } = this.#input;
    return task.call.read((text, isWhole) => {
      if (!isWhole && !isEarly) return undefined;
      const early = isEarly ? this.#parts(text, false) : undefined;
      // Complete lines also count if the completion arrived in one piece.
      const said = early && part(early);
      const whole = said === undefined && isWhole ? this.#parts(text, true) : undefined;
      const message = said ?? (whole && part(whole));
      // An endless reply: the reader gets the text so far as the whole completion.
      if (message === undefined && !isWhole && this.#lengthOf(text) > MAX_HEAD) task.call.cancelRest();
      return message;
    });
  }

  #parts(text: string, isWhole: boolean): MergedParts | undefined {
    if (isWhole) return readMerged(this.#input.task.parse(text), true);
    const lines = text.slice(0, text.lastIndexOf("\n") + 1);
    try {
      return readMerged(this.#input.task.parse(lines), false);
    } catch {
      // A configured parser may only read whole completions, and is called again with one.
      return undefined;
    }
  }

  /** Length without reasoning, and with the blank lines that parsers trim. */
  #lengthOf(text: string): number {
    try {
      return this.#input.task.parse(`.${text}.`).length;
    } catch {
      return text.length;
    }
  }

  /** Checks each line once: only a closing quote or the start of a turn can end the bot's text. */
  #mayHaveEnded(text: string): boolean {
    const end = text.lastIndexOf("\n") + 1;
    const fresh = text.slice(this.#scanned, end).split("\n");
    this.#scanned = end;
    return fresh.some((line) => closesQuote(line) || beginsTurn(line.trim()));
  }
}
