import type { GradualText } from "./gradual-text.js";

const NAMES = ["think", "thinking", "thought", "reasoning", "scratchpad"];
const LONGEST = "</scratchpad>".length;

/** Tags around a model's reasoning; the first group is the slash of a closing tag. */
export const REASONING_TAG = new RegExp(`<(/?)(?:${NAMES.join("|")})>`, "gi");

/** A stretch of text, or a tag around reasoning. */
interface ReasoningToken {
  readonly kind: "text" | "open" | "close";
  readonly text: string;
}

/**
 * Removes the reasoning from a completion. Undefined if a block is never closed: the model ran out of tokens before its
 * reply. A closing tag alone means that the prompt contained the opening one.
 *
 * @example
 * ```ts
 * stripReasoning("<think>hm, yes?</think>\nNo"); // "No"
 * stripReasoning("<think>No"); // undefined
 * ```
 */
export function stripReasoning(completion: string): string | undefined {
  let text = "";
  let depth = 0;
  for (const token of tokensOf(completion)) {
    if (token.kind === "open") depth += 1;
    else if (token.kind === "text") text += depth === 0 ? token.text : "";
    else if (depth > 0) depth -= 1;
    else text = "";
  }
  return depth > 0 ? undefined : text.trim();
}

/** Finds the tags in a text that arrives in pieces. The possible start of a tag is held back. */
export class ReasoningTags {
  #held = "";

  push(fresh: string): readonly ReasoningToken[] {
    const text = this.#held + fresh;
    const last = text.lastIndexOf("<");
    const tail = last === -1 || text.length - last >= LONGEST ? "" : text.slice(last);
    const name = tail.replace(/^<\/?/, "").toLowerCase();
    this.#held = tail !== "" && NAMES.some((known) => known.startsWith(name)) ? tail : "";
    return tokensOf(text.slice(0, text.length - this.#held.length));
  }

  end(): string {
    const rest = this.#held;
    this.#held = "";
    return rest;
  }
}

/**
 * A bot utterance without reasoning blocks. The utterance has begun, so a lone closing tag removes nothing before it,
 * and an unclosed block removes only itself.
 */
export class ReasoningFilter implements GradualText {
  readonly isOver = false;
  readonly #tags = new ReasoningTags();
  #depth = 0;

  push(fresh: string): string {
    let text = "";
    for (const token of this.#tags.push(fresh)) {
      if (token.kind === "open") this.#depth += 1;
      else if (token.kind === "close") this.#depth = Math.max(0, this.#depth - 1);
      else if (this.#depth === 0) text += token.text;
    }
    return text;
  }

  end(): string {
    return this.#depth === 0 ? this.#tags.end() : "";
  }
}

function tokensOf(text: string): readonly ReasoningToken[] {
  const tokens: ReasoningToken[] = [];
  let at = 0;
  for (const match of text.matchAll(REASONING_TAG)) {
    if (match.index > at) tokens.push({ kind: "text", text: text.slice(at, match.index) });
    tokens.push({ kind: match[1] === "/" ? "close" : "open", text: match[0] });
    at = match.index + match[0].length;
  }
  if (at < text.length) tokens.push({ kind: "text", text: text.slice(at) });
  return tokens;
}
