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
/** Escaped backslash, or pseudonym in JSON, whose writer may escape the signs of HTML, as that of Go does. */
const IN_JSON = /\\\\|(?:<|\\u003[cC])([A-Z][A-Z0-9_]{0,39}_[1-9]\d{0,8})(?:>|\\u003[eE])/g;
/** Longest pseudonym of which both signs are escaped. */
const LONGEST_IN_JSON = LONGEST + 10;
/** Escapes of JSON, the last of which may be cut, and the sign that begins a pseudonym. */
const ESCAPES = /<|\\(?:u[\da-fA-F]{4}|u[\da-fA-F]{0,3}$|[^u]|$)/g;

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
    const end = this.#isJson ? this.#endInJson(text) : this.#endOf(text);
    this.#held = text.slice(end);
    return this.#restore(text.slice(0, end));
  }

  /** Ends the text; returns the rest of it. */
  finish(): string {
    const rest = this.#held;
    this.#held = "";
    return this.#restore(rest);
  }

  /** Offset of the pseudonym that a text cuts, or its length. */
  #endOf(text: string): number {
    const opening = text.lastIndexOf("<");
    const isOpen = opening >= 0 && text.length - opening <= LONGEST && this.#pseudonyms.mayBegin(text.slice(opening));
    return isOpen ? opening : text.length;
  }

  #endInJson(text: string): number {
    let opening = -1;
    let name = 0;
    let end = text.length;
    // INVARIANT: a text begins with no part of an escape, since a cut one is held back.
    for (const { 0: sign, index } of text.matchAll(ESCAPES)) {
      if (sign === "<" || /^\\u003c$/i.test(sign)) [opening, name] = [index, index + sign.length];
      else if (/^\\(?:u[\da-f]{0,3})?$/i.test(sign)) end = index;
    }
    const isOpen =
      opening !== -1 &&
      text.length - opening <= LONGEST_IN_JSON &&
      this.#pseudonyms.mayBegin(`<${text.slice(name, end)}`);
    return isOpen ? opening : end;
  }

  #restore(text: string): string {
    if (!this.#isJson) return this.#pseudonyms.restore(text);
    return text.replaceAll(IN_JSON, (written, name: string | undefined) => {
      if (name === undefined) return written;
      const pseudonym = `<${name}>`;
      const value = this.#pseudonyms.restore(pseudonym);
      return value === pseudonym ? written : JSON.stringify(value).slice(1, -1);
    });
  }
}
