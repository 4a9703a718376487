/**
 * Reads the names that a function takes out of its first parameter, from its source text. Nothing is evaluated: whatever is
 * not plainly an object pattern without a rest (`({ text, limit = 3 }) => …`) is unknown.
 *
 * @returns undefined if the names are unknown
 *
 * @example
 * ```ts
 * destructuredNames(({ text, limit = 3 }) => text.slice(0, limit)); // ["text", "limit"]
 * ```
 */
export function destructuredNames(run: unknown): readonly string[] | undefined {
  return typeof run === "function" ? namesInSource(Function.prototype.toString.call(run)) : undefined;
}

/** Reads the names from the text of a function. */
export function namesInSource(source: string): readonly string[] | undefined {
  const at = HEAD.exec(source)?.[0].length;
  // `arguments` sees what the pattern leaves out.
  if (at === undefined || source.includes("arguments")) return undefined;
  return new PatternReader(source, at).read();
}

/** Up to the brace of the pattern: an arrow function, a function or a method. */
const HEAD = /^(?:async\s+|async(?=\())?(?:function\b\s*\*?\s*[\w$]*\s*|\*?\s*[\w$]+\s*(?=\())?\(\s*\{/;
const NAME = /[A-Za-z_$][\w$]*/y;
const BLANK = /(?:\s|\/\*[^]*?\*\/|\/\/[^\n]*\n)*/y;
const TEXT = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/y;
const MAX_LENGTH = 2_000;

class PatternReader {
  readonly #source: string;
  #at: number;

  constructor(source: string, at: number) {
    this.#source = source.slice(0, at + MAX_LENGTH);
    this.#at = at;
  }

  read(): readonly string[] | undefined {
    const names: string[] = [];
    for (;;) {
      this.#match(BLANK);
      if (this.#skip("}")) return names;
      const name = this.#match(NAME) ?? this.#match(TEXT)?.slice(1, -1);
      // A rest, a computed key or the end of the text.
      if (name === undefined) return undefined;
      names.push(name);
      if (!this.#skipValue()) return undefined;
    }
  }

  /** Skips a target and a default, up to the next name or the end of the pattern. */
  #skipValue(): boolean {
    let depth = 0;
    for (;;) {
      this.#match(BLANK);
      if (this.#match(TEXT) !== undefined) continue;
      const char = this.#source[this.#at];
      // A template or a regular expression may hold any bracket.
      if (char === undefined || char === "`" || char === "/") return false;
      if (depth === 0 && char === "}") return true;
      this.#at += 1;
      if (depth === 0 && char === ",") return true;
      if ("([{".includes(char)) depth += 1;
      else if (")]}".includes(char)) depth -= 1;
      if (depth < 0) return false;
    }
  }

  #skip(char: string): boolean {
    if (this.#source[this.#at] !== char) return false;
    this.#at += 1;
    return true;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const [text] = pattern.exec(this.#source) ?? [];
    if (text !== undefined) this.#at += text.length;
    return text;
  }
}
