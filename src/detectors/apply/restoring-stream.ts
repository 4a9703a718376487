/** Options of a stream that restores pseudonyms. */
export interface RestoreOptions {
  /** The text is JSON, for example arguments of a tool call: restored values are escaped as in a JSON string; default: false. */
  readonly json?: boolean;
}

/** Values by their pseudonyms. */
interface Restorer {
  restore(text: string): string;
  mayBegin(text: string): boolean;
}

const LONGEST = 52;
const PSEUDONYM = /<[A-Z][A-Z0-9_]{0,39}_[1-9]\d{0,8}>/g;

/**
 * Restores pseudonyms in chunks of a text. It holds back the shortest end of the text that may begin a pseudonym which was
 * given: at most 52 UTF-16 code units, and nothing where no `<` stands.
 */
export class RestoringStream {
  readonly #pseudonyms: Restorer;
  readonly #isJson: boolean;
  #held = "";

  constructor(pseudonyms: Restorer, options: RestoreOptions = {}) {
    this.#pseudonyms = pseudonyms;
    this.#isJson = options.json ?? false;
  }

  /** Adds a chunk; returns the text that is complete. */
  push(chunk: string): string {
    const text = this.#held + chunk;
    const opening = text.lastIndexOf("<");
    const isOpen = opening >= 0 && text.length - opening <= LONGEST && this.#pseudonyms.mayBegin(text.slice(opening));
    const end = isOpen ? opening : text.length;
    this.#held = text.slice(end);
    return this.#restore(text.slice(0, end));
  }

  /** Ends the text; returns the rest of it. */
  finish(): string {
    const rest = this.#held;
    this.#held = "";
    return this.#restore(rest);
  }

  #restore(text: string): string {
    if (!this.#isJson) return this.#pseudonyms.restore(text);
    return text.replaceAll(PSEUDONYM, (pseudonym) => JSON.stringify(this.#pseudonyms.restore(pseudonym)).slice(1, -1));
  }
}
