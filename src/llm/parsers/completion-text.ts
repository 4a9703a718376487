import { type GradualText, LineEnds, readWhole } from "./gradual/gradual-text.js";

/** Splits a completion into lines, at any kind of line end. */
export function linesOf(text: string): readonly string[] {
  return text.split(/\r\n?|\n/);
}

/**
 * Returns the first non-empty line, trimmed.
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
 * Reads the bot's utterance at the start of a completion. A quoted one ends at the quote that closes a line, any other
 * where the next turn begins. Blank lines and indentation are kept, so that lists and code survive.
 *
 * @example
 * ```ts
 * readUtterance('  "Sure:\n\n  - one"\nuser "thanks"'); // "Sure:\n\n  - one"
 * ```
 */
export function readUtterance(completion: string): string {
  return readWhole(new UtteranceReader(), completion);
}

/** Tokens: line breaks, other white space, backslashes, quotes, and the text between them. */
const TOKENS = /\n|[^\S\n]+|\\|"|[^\s\\"]+/g;

/**
 * Reads the bot's utterance at the start of a completion. A quoted one ends at the quote that closes a line, any other
 * where the next turn begins. Blank lines and indentation are kept, so that lists and code survive.
 *
 * A possible end is held back: white space, a quote, a backslash, the start of a line that may begin a turn.
 */
export class UtteranceReader implements GradualText {
  isOver = false;
  readonly #firstMayBeTurn: boolean;
  #isQuoted: boolean | undefined;
  #hasText = false;
  readonly #lineEnds = new LineEnds();
  /** Start of a line that may begin a turn. */
  #line: string | undefined;
  /** Held-back white space, quotes and backslashes, which may be the end. */
  #held = "";
  /** The previous token, and true if the last token other than white space is a quote that may close the utterance. */
  #last = "";
  #mayClose = false;
  #out = "";

  /** @param options.firstMayBeTurn - true if the utterance may be missing, so that the first line may begin a turn */
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

  /** A final quote closes the utterance, even an escaped one. */
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

/** Maximum length of the start of a turn. */
const MAX_BEGINNING = 200;

const LABELS = ["User message:", "User intent:", "Bot message:", "Bot intent:"];

/** Returns true if the line begins the turn after the bot utterance. */
export function beginsTurn(line: string): boolean {
  return TURN_MARKER.test(line);
}

/** Returns true if a line with this start may begin a turn. */
function mayBeginTurn(line: string): boolean {
  if (line.length > MAX_BEGINNING) return false;
  const isWord = WORDS.some((word) => word.startsWith(line) || (line.startsWith(word) && line.trimEnd() === word));
  return isWord || LABELS.some((label) => label.startsWith(line));
}
