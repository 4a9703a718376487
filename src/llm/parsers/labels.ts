import { linesOf } from "./completion-text.js";
import { type GradualText, LineEnds, TrimmedText } from "./gradual/gradual-text.js";
import { ReasoningFilter, ReasoningTags } from "./gradual/reasoning.js";

/** A label at the start of a chat model's line, and its counterpart in Colang form. */
export interface Label {
  readonly name: string;
  /** Also matches bold labels. */
  readonly prefix: RegExp;
  readonly colang: string;
  readonly isForm: boolean;
}

function labelOf(name: string, colang: string, isForm = false): Label {
  return { name, prefix: new RegExp(`^[*_\`]*${name}[*_\`]*:[*_\`]* ?`, "i"), colang, isForm };
}

const USER_MESSAGE = labelOf("user message", "user ");
export const USER_INTENT = labelOf("user intent", "  ", true);
const BOT_MESSAGE = labelOf("bot message", "  ");
export const BOT_INTENT = labelOf("bot intent", "bot ", true);
const VERBOSE_LABELS: readonly Label[] = [USER_MESSAGE, USER_INTENT, BOT_MESSAGE, BOT_INTENT];

export function replaceLabel(text: string, { prefix, colang, isForm }: Label): string {
  const label = prefix.exec(text)?.[0];
  if (label === undefined) return text;
  const [first = "", ...others] = linesOf(text.slice(label.length));
  return [colang + (isForm ? bareText(first) : first), ...others].join("\n");
}

/** Removes quotes or marks that some models put around a line or canonical form. */
export function bareText(text: string): string {
  const form = text.trim().replace(/^[*`]+|(?<![*`])[*`]+$/g, "");
  return /^"[^"]+"$/.test(form) ? form.slice(1, -1) : form;
}

/**
 * Finds the label at the start of an incomplete text: returns its length, `begun` if the next character decides, or
 * undefined.
 */
function labelAt(text: string, { name, prefix }: Label): number | "begun" | undefined {
  const found = prefix.exec(text)?.[0];
  if (found !== undefined) return found.length < text.length || found.endsWith(" ") ? found.length : "begun";
  const begun = text.replace(/^[*_`]+/, "").toLowerCase();
  if (name.startsWith(begun)) return "begun";
  return begun.startsWith(name) && /^[*_`]*$/.test(begun.slice(name.length)) ? "begun" : undefined;
}

/**
 * Converts lines in verbose wording to Colang form. The start of a line is held back while it may be a label, a
 * canonical form until its line is complete.
 */
export class VerboseLines implements GradualText {
  readonly isOver = false;
  readonly #lineEnds = new LineEnds();
  /** Held-back part of the line. */
  #line = "";
  /** `plain` lines pass unchanged; those after a label are `labelled`. */
  #kind: "unknown" | "plain" | "labelled" = "unknown";

  push(fresh: string): string {
    const lines = this.#lineEnds.normalize(fresh).split("\n");
    const last = lines.pop() ?? "";
    const whole = lines.map((line) => `${this.#take(line)}${this.#endLine()}\n`);
    return whole.join("") + this.#take(last);
  }

  end(): string {
    return this.#endLine();
  }

  #take(text: string): string {
    if (this.#kind === "plain") return text;
    this.#line += text;
    return this.#kind === "labelled" ? this.#content() : this.#begin();
  }

  #begin(): string {
    const text = this.#line.trimStart();
    if (text === "") return "";
    const labels = VERBOSE_LABELS.map((label) => ({ label, found: labelAt(text, label) }));
    if (labels.some(({ found }) => found === "begun")) return "";
    const known = labels.find(({ found }) => found !== undefined);
    if (known === undefined) {
      const line = this.#line;
      this.#kind = "plain";
      this.#line = "";
      return line;
    }
    if (known.label.isForm) return "";
    this.#kind = "labelled";
    this.#line = text.slice(known.found as number);
    return known.label.colang + this.#content();
  }

  /** Drops the white space at the end of a line with a label. */
  #content(): string {
    const content = this.#line.trimEnd();
    this.#line = this.#line.slice(content.length);
    return content;
  }

  #endLine(): string {
    const rest = this.#kind === "unknown" ? lineOf(this.#line) : "";
    this.#line = "";
    this.#kind = "unknown";
    return rest;
  }
}

/** Converts a whole line to Colang form; a line without a label is unchanged. */
export function lineOf(line: string): string {
  const trimmed = line.trim();
  const found = VERBOSE_LABELS.find(({ prefix }) => prefix.test(trimmed));
  return found === undefined ? line : replaceLabel(trimmed, found);
}
/**
 * Converts `Bot message: "x"` to indented quoted text. Text before the label or the quote may be reasoning whose
 * opening tag was in the prompt; a text with neither is held back to its end, where a closing tag decides.
 */
export class BotMessageReader implements GradualText {
  readonly isOver = false;
  readonly #tags = new ReasoningTags();
  readonly #utterance = new ReasoningFilter();
  readonly #trimmed = new TrimmedText();
  #depth = 0;
  #isFree = false;
  #hasBegun = false;
  readonly #seen: string[] = [];

  push(fresh: string): string {
    if (this.#hasBegun) return this.#emit(fresh);
    const tokens = this.#tags.push(fresh);
    for (const [index, token] of tokens.entries()) {
      if (token.kind === "open") this.#depth += 1;
      else if (token.kind === "close" && this.#depth > 0) this.#depth -= 1;
      else if (token.kind === "close") {
        // The opening tag was in the prompt.
        this.#seen.length = 0;
        this.#isFree = false;
      } else if (this.#depth === 0) {
        this.#seen.push(token.text);
        const begun = this.#begin();
        if (begun === undefined) continue;
        // The text after the start is read again, as the message.
        const rest = tokens.slice(index + 1).map(({ text }) => text);
        return begun + this.#emit(rest.join("") + this.#tags.end());
      }
    }
    return "";
  }

  end(): string {
    if (this.#hasBegun) return this.#trimmed.push(this.#utterance.end());
    return this.#depth > 0 ? "" : replaceLabel((this.#seen.join("") + this.#tags.end()).trim(), BOT_MESSAGE);
  }

  #begin(): string | undefined {
    if (this.#isFree) return undefined;
    const text = this.#seen.join("").trimStart();
    const label = text.startsWith('"') ? 0 : labelAt(text, BOT_MESSAGE);
    if (label === undefined) this.#isFree = text !== "";
    if (typeof label !== "number") return undefined;
    this.#hasBegun = true;
    return (label === 0 ? "" : BOT_MESSAGE.colang) + this.#emit(text.slice(label));
  }

  #emit(text: string): string {
    return this.#trimmed.push(this.#utterance.push(text));
  }
}
