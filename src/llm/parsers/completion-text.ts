import { type GradualText, LineEnds, readWhole } from "./gradual/gradual-text.js";

/** Splits a completion into lines, with any kind of line ends. */
export function linesOf(text: string): readonly string[] {
  return text.split(/\r\n?|\n/);
}

/**
 * The first line that is not empty, trimmed.
 *
 * @example
 * ```ts
 * firstLine("\n  express greeting\nbot ..."); // "express greeting"
 * ```
 */
export function firstLine(text: string): string | undefined {
  for (const line of linesOf(text)) {
    const trimmed = line.trim();
    if (trimmed !== "") return trimmed;
  }
  return undefined;
}

const CLOSING_QUOTE = /(?<!\\)"\s*$/;

/** Returns true if the line ends with a quote that closes an utterance. */
export function closesQuote(line: string): boolean {
  return CLOSING_QUOTE.test(line);
}

/**
 * The bot's utterance at the beginning of a completion. A quoted one ends at the quote that closes a line, any other at
 * the line where the next turn begins. Blank lines and indentation inside stay, so that lists and code survive.
 *
 * @example
 * ```ts
 * readUtterance('  "Sure:\n\n  - one"\nuser "thanks"'); // "Sure:\n\n  - one"
 * ```
 */
export function readUtterance(completion: string): string {
  return readWhole(new UtteranceReader(), completion);
}

/** Line breaks, other white space, the two characters that mean something in quotes, and all between them. */
const TOKENS = /\n|[^\S\n]+|\\|"|[^\s\\"]+/g;

/**
 * The bot's utterance at the beginning of a completion. A quoted one ends at the quote that closes a line, any other at
 * the line where the next turn begins. Blank lines and indentation inside stay, so that lists and code survive.
 *
 * A possible end is held back: white space, a quote, a backslash, the beginning of a line that may be a
 * turn.
 */
export class UtteranceReader implements GradualText {
  isOver = false;
  readonly #firstMayBeTurn: boolean;
  #isQuoted: boolean | undefined;
  #hasText = false;
  readonly #lineEnds = new LineEnds();
  /** The beginning of a line that may be a turn. */
  #line: string | undefined;
  /** White space, quotes and backslashes that are held back: they may be the end. */
  #held = "";
  /** The token before, and true if the last one that is not white space is a quote that may close the utterance. */
  #last = "";
  #mayClose = false;
  #out = "";

  /** @param options.firstMayBeTurn - true if the utterance may be missing, so that the first line may be a turn */
  constructor(options: { readonly firstMayBeTurn?: boolean } = {}) {
    this.#firstMayBeTurn = options.firstMayBeTurn === true;
  }

  push(fresh: string): string {
    for (const [token] of this.#lineEnds.normalize(fresh).matchAll(TOKENS)) {
      if (this.isOver) break;
      this.#take(token);
    }
    return this.#given();
  }

  end(): string {
    if (this.isOver) return "";
    this.#addLine();
    this.#finish();
    return this.#given();
  }

  #take(token: string): void {
    const isSpace = token.trim() === "";
    if (this.#isQuoted === undefined) {
      if (isSpace) return;
      this.#isQuoted = token === '"';
      if (this.#isQuoted) return;
      if (this.#firstMayBeTurn) this.#line = "";
    }
    if (token === "\n") this.#breakLine();
    else if (this.#line !== undefined) this.#takeInLine(token);
    else this.#add(token);
  }

  #breakLine(): void {
    this.#addLine();
    if (this.#mayClose) {
      this.#finish();
      this.isOver = true;
      return;
    }
    this.#add("\n");
    this.#line = "";
  }

  #takeInLine(token: string): void {
    this.#line += token;
    const line = this.#line ?? "";
    if (beginsTurn(line)) {
      this.#line = undefined;
      this.#finish();
      this.isOver = true;
    } else if (!mayBeginTurn(line)) this.#addLine();
  }

  /** Adds the held line to the utterance. */
  #addLine(): void {
    const line = this.#line ?? "";
    this.#line = undefined;
    for (const [token] of line.matchAll(TOKENS)) this.#add(token);
  }

  #add(token: string): void {
    const isSpace = token.trim() === "";
    const isMark = this.#isQuoted === true && (token === '"' || token === "\\");
    if (!isSpace) this.#mayClose = isMark && token === '"' && this.#last !== "\\";
    this.#last = token;
    this.#held += token;
    if (!isSpace && !isMark) this.#give();
  }

  /** A quote at the end closes the utterance, even an escaped one. */
  #finish(): void {
    this.#held = this.#held.trimEnd().replace(/"$/, "").trimEnd();
    this.#give();
  }

  #give(): void {
    const text = this.#isQuoted === true ? this.#held.replaceAll('\\"', '"') : this.#held;
    const given = this.#hasText ? text : text.trimStart();
    this.#hasText ||= given !== "";
    this.#out += given;
    this.#held = "";
  }

  #given(): string {
    const text = this.#out;
    this.#out = "";
    return text;
  }
}

const TURN_MARKER = /^(?:user|bot)\s+\S|^(?:User|Bot) (?:message|intent):/;

const WORDS = ["user", "bot"];

/** Greatest length of the beginning of a turn. */
const MAX_BEGINNING = 200;

const LABELS = ["User message:", "User intent:", "Bot message:", "Bot intent:"];

/** Returns true if the line begins the turn after the bot utterance. */
export function beginsTurn(line: string): boolean {
  return TURN_MARKER.test(line);
}

/** Returns true if a line with this beginning may be that of a turn. */
function mayBeginTurn(line: string): boolean {
  if (line.length > MAX_BEGINNING) return false;
  const isWord = WORDS.some((word) => word.startsWith(line) || (line.startsWith(word) && line.trimEnd() === word));
  return isWord || LABELS.some((label) => label.startsWith(line));
}
