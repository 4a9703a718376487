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

/** An intent and a step have come by then; a reply that has neither is not going to have them. */
const MAX_HEAD = 2_000;

/**
 * The model call that the stages of one turn share.
 * INVARIANT: it belongs to one turn and never becomes part of an event or of the state.
 */
export interface MergedSlot {
  /** Ends with the turn, and not with the action that began the call. */
  readonly signal: AbortSignal;
  call?: MergedCall | undefined;
  /** The search for chunks that goes on beside a model call, so that the retrieval stage need not search again. */
  retrieved?: { readonly query: string; readonly found: Promise<RetrievedChunks> } | undefined;
  /** Set when a completion could not be read: the rest of the turn asks for its parts one by one. */
  isUnreadable?: boolean;
}

/** The completion says too little: its call ends, and the parts are asked for one by one. */
export function abandonCall(slot: MergedSlot): void {
  slot.isUnreadable = true;
  slot.call?.cancelRest();
}

export interface MergedCallInput {
  readonly task: RunningTask;
  readonly shownChunks: string;
  /** True if complete lines are used before the completion is over. */
  readonly isEarly: boolean;
  /** True if the text may be emitted while it comes in. */
  readonly isEmitted?: boolean;
  /** At which the words end. */
  readonly stop: readonly string[];
  /** True if the call only decides, and another one generates the text. */
  readonly areWordsApart: boolean;
  /** The intent that the call was begun with. */
  readonly userIntent: string | undefined;
}

/** The one call of a turn and what was made of it so far. */
export class MergedCall {
  /** The canonical form that the turn goes on with; set when the engine has received it. */
  userIntent: string | undefined;
  readonly #input: MergedCallInput;
  #isGone = false;
  #scanned = 0;
  #words: string | undefined;

  constructor(input: MergedCallInput) {
    this.#input = input;
    this.userIntent = input.userIntent;
  }

  /** False once the message was taken or the rest cancelled: then the text may end in the middle of a word. */
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

  /** `null` when the completion does not say it. */
  async readUserIntent(): Promise<string | null> {
    return (await this.#readHead(({ userIntent }) => userIntent)) ?? null;
  }

  /** `null` when the completion decides on nothing. */
  async readBotIntent(): Promise<string | null> {
    return (await this.#readHead(({ botIntent }) => botIntent)) ?? null;
  }

  /** The bot's words, empty when there are none, without taking them. */
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
   * Takes the words. What the model writes behind them is not waited for.
   *
   * @param writeText - hands them on while they come in
   */
  async readMessage(writeText?: (words: GradualWords) => Promise<string>): Promise<string> {
    // INVARIANT: one call words one message.
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
   * Returns the offset after the line of the step. Undefined if the text cannot be separated from the rest before the
   * completion is over: they may stand in the line of the step, or there is no such line.
   */
  async #startOfWords(): Promise<number | undefined> {
    const { task, isEarly } = this.#input;
    if (!isEarly || this.#words !== undefined) return undefined;
    const text = (await task.call.read((soFar) => soFar)) ?? "";
    for (let end = text.indexOf("\n") + 1; end > 0; end = text.indexOf("\n", end) + 1) {
      const head = text.slice(0, end);
      const step = this.#parts(head, false)?.botIntent;
      if (step === undefined) continue;
      const line = linesOf(task.parse(head)).findLast((each) => each.trim() !== "");
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
      // Complete lines count also if the completion came in at once.
      const said = early && part(early);
      const whole = said === undefined && isWhole ? this.#parts(text, true) : undefined;
      const found = said ?? (whole && part(whole));
      // A reply without an end: the reader is asked again, with what there is as the whole completion.
      if (found === undefined && !isWhole && this.#lengthOf(text) > MAX_HEAD) task.call.cancelRest();
      return found;
    });
  }

  #parts(text: string, isWhole: boolean): MergedParts | undefined {
    if (isWhole) return readMerged(this.#input.task.parse(text), true);
    const lines = text.slice(0, text.lastIndexOf("\n") + 1);
    try {
      return readMerged(this.#input.task.parse(lines), false);
    } catch {
      // A parser of the configuration may read whole completions only; it is asked again with that.
      return undefined;
    }
  }

  /** Without what the model thinks aloud, and with the blank lines that parsers trim where nothing stands beside them. */
  #lengthOf(text: string): number {
    try {
      return this.#input.task.parse(`.${text}.`).length;
    } catch {
      return text.length;
    }
  }

  /** Looks at each line once: only a closing quote or the beginning of a turn can end the bot's words. */
  #mayHaveEnded(text: string): boolean {
    const end = text.lastIndexOf("\n") + 1;
    const fresh = text.slice(this.#scanned, end).split("\n");
    this.#scanned = end;
    return fresh.some((line) => closesQuote(line) || beginsTurn(line.trim()));
  }
}
