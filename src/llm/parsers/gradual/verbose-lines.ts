import { labelAt, type Label, replaceLabel, VERBOSE_LABELS } from "../labels.js";
import type { GradualText } from "./gradual-text.js";

/**
 * The lines of the verbose wording in Colang form. The beginning of a line is held back while it may be a label, a canonical
 * form until its line is complete.
 */
export class VerboseLines implements GradualText {
  readonly isOver = false;
  #endsWithReturn = false;
  /** The part of the line that is held back. */
  #line = "";
  /** `plain` lines pass unchanged; those after a label are `labelled`. */
  #kind: "unknown" | "plain" | "labelled" = "unknown";

  push(fresh: string): string {
    const lines = this.#normalized(fresh).split("\n");
    const last = lines.pop() ?? "";
    const whole = lines.map((line) => `${this.#take(line)}${this.#endLine()}\n`);
    return whole.join("") + this.#take(last);
  }

  end(): string {
    return this.#endLine();
  }

  #normalized(fresh: string): string {
    const text = this.#endsWithReturn && fresh.startsWith("\n") ? fresh.slice(1) : fresh;
    if (fresh !== "") this.#endsWithReturn = fresh.endsWith("\r");
    return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
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

/** Converts a whole line to Colang form; one without a label is unchanged. */
export function lineOf(line: string): string {
  const trimmed = line.trim();
  const found: Label | undefined = VERBOSE_LABELS.find(({ prefix }) => prefix.test(trimmed));
  return found === undefined ? line : replaceLabel(trimmed, found);
}
