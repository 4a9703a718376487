const TAG = /<(\/?)(?:think|thinking|thought|reasoning|scratchpad)>/gi;
const NAMES = ["think", "thinking", "thought", "reasoning", "scratchpad"];
const LONGEST = "</scratchpad>".length;

/** A stretch of text, or a tag around what a model thinks aloud. */
export type ThinkToken =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "open" }
  | { readonly kind: "close" };

/** Finds the tags in a text that comes in pieces. What may be the beginning of a tag waits. */
export class ThinkTags {
  #held = "";

  push(fresh: string): readonly ThinkToken[] {
    const text = this.#held + fresh;
    const from = beginningOfTag(text);
    this.#held = text.slice(from);
    return tokensOf(text.slice(0, from));
  }

  end(): string {
    const rest = this.#held;
    this.#held = "";
    return rest;
  }
}

/** What can be read as the token again. */
export function tagText(token: ThinkToken): string {
  if (token.kind === "text") return token.text;
  return token.kind === "open" ? "<think>" : "</think>";
}

function tokensOf(text: string): readonly ThinkToken[] {
  const tokens: ThinkToken[] = [];
  let at = 0;
  for (const match of text.matchAll(TAG)) {
    if (match.index > at) tokens.push({ kind: "text", text: text.slice(at, match.index) });
    tokens.push({ kind: match[1] === "/" ? "close" : "open" });
    at = match.index + match[0].length;
  }
  if (at < text.length) tokens.push({ kind: "text", text: text.slice(at) });
  return tokens;
}

/** Where the end of the text may begin a tag; the length of the text where it does not. */
function beginningOfTag(text: string): number {
  const at = text.lastIndexOf("<");
  if (at === -1 || text.length - at >= LONGEST) return text.length;
  const name = text
    .slice(at + 1)
    .replace(/^\//, "")
    .toLowerCase();
  return NAMES.some((known) => known.startsWith(name)) ? at : text.length;
}
