import { linesOf } from "./completion-text.js";

/** A label at the beginning of a line of chat models, and its counterpart in Colang form. */
export interface Label {
  readonly name: string;
  /** Also with the marks that make it bold. */
  readonly prefix: RegExp;
  readonly colang: string;
  readonly isForm: boolean;
}

const USER_MESSAGE: Label = {
  name: "user message",
  prefix: /^[*_`]*User message[*_`]*:[*_`]* ?/i,
  colang: "user ",
  isForm: false,
};
export const USER_INTENT: Label = {
  name: "user intent",
  prefix: /^[*_`]*User intent[*_`]*:[*_`]* ?/i,
  colang: "  ",
  isForm: true,
};
export const BOT_MESSAGE: Label = {
  name: "bot message",
  prefix: /^[*_`]*Bot message[*_`]*:[*_`]* ?/i,
  colang: "  ",
  isForm: false,
};
export const BOT_INTENT: Label = {
  name: "bot intent",
  prefix: /^[*_`]*Bot intent[*_`]*:[*_`]* ?/i,
  colang: "bot ",
  isForm: true,
};
export const VERBOSE_LABELS: readonly Label[] = [USER_MESSAGE, USER_INTENT, BOT_MESSAGE, BOT_INTENT];

export function replaceLabel(text: string, { prefix, colang, isForm }: Label): string {
  const label = prefix.exec(text)?.[0];
  if (label === undefined) return text;
  const [first = "", ...others] = linesOf(text.slice(label.length));
  return [colang + (isForm ? bareForm(first) : first), ...others].join("\n");
}

/** A canonical form without the quotes or marks that some models put around it. */
export function bareForm(text: string): string {
  const form = text.trim().replace(/^[*`]+|[*`]+$/g, "");
  return /^"[^"]+"$/.test(form) ? form.slice(1, -1) : form;
}

/**
 * The label at the beginning of a text that may go on: its length, `begun` while the next character still decides, or
 * undefined for another text.
 */
export function labelAt(text: string, { name, prefix }: Label): number | "begun" | undefined {
  const found = prefix.exec(text)?.[0];
  if (found !== undefined) return found.length < text.length || found.endsWith(" ") ? found.length : "begun";
  const begun = text.replace(/^[*_`]+/, "").toLowerCase();
  if (name.startsWith(begun)) return "begun";
  return begun.startsWith(name) && /^[*_`]*$/.test(begun.slice(name.length)) ? "begun" : undefined;
}
