import type { FunctionDefinition } from "../../../expressions/functions/function-definition.js";
import { defineFilter, printed } from "../filter.js";
import { readHistory, type HistoryEntry } from "../../prompts/history-text.js";

/** Filters that rewrite a conversation in Colang form as other text. */
export const VERBOSE_FILTERS: readonly FunctionDefinition[] = [
  defineFilter("verbose_v1", "", (value, _, runtime) => {
    return readHistory(printed(value, runtime)).map(verboseLine).join("\n");
  }),
  defineFilter("remove_text_messages", "", (value, _, runtime) => {
    return removeTexts(readHistory(printed(value, runtime))).join("\n");
  }),
];

/** Writes an entry in the wording for models without Colang training; also used inside chat messages. */
export function verboseLine(entry: HistoryEntry): string {
  switch (entry.kind) {
    case "user-text":
      return `User message: ${entry.raw.slice("user ".length)}`;
    case "user-intent":
      return `User intent: ${entry.value}`;
    case "bot-intent":
      return `Bot intent: ${entry.value}`;
    case "bot-text":
      return `Bot message: ${entry.raw.trimStart()}`;
    default:
      return entry.raw;
  }
}

/** Keeps canonical forms only, and the last user text if it has no form yet. */
function removeTexts(entries: readonly HistoryEntry[]): string[] {
  const [first, second] = entries;
  const isLoneIntent = first?.kind === "user-intent" && second?.kind === "blank";
  const lines: string[] = [];
  for (const [index, entry] of (isLoneIntent ? entries.slice(2) : entries).entries()) {
    const offset = isLoneIntent ? index + 2 : index;
    if (entry.kind === "bot-text" && entries[offset - 1]?.kind === "bot-intent") continue;
    if (entry.kind === "user-text" && entries[offset + 1]?.kind === "user-intent") continue;
    lines.push(entry.kind === "user-intent" ? `user ${entry.value}` : entry.raw);
  }
  return lines;
}
