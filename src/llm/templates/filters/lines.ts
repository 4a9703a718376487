import type { FunctionDefinition } from "../../../expressions/functions/function-definition.js";
import { defineFilter, integerArgument, printed } from "../filter.js";

const DEFAULT_INDENT = 4;
const MAX_INDENT = 200;

/** Filters that choose or shift lines of a conversation. */
export const LINE_FILTERS: readonly FunctionDefinition[] = [
  defineFilter("first_turns", "n?", (value, [n], runtime) => {
    return firstTurns(printed(value, runtime), Math.max(0, integerArgument(n, 1)));
  }),
  defineFilter("last_turns", "n?", (value, [n], runtime) => {
    const { lines, turns } = findTurns(printed(value, runtime));
    const count = Math.max(1, integerArgument(n, 1));
    return lines.slice(turns[Math.max(0, turns.length - count)] ?? 0).join("\n");
  }),
  defineFilter("indent", "n?", (value, [n], runtime) => {
    const count = Math.max(0, Math.min(MAX_INDENT, integerArgument(n, DEFAULT_INDENT)));
    const text = printed(value, runtime);
    let { length } = text;
    return text.replace(/^(?=.*\S)/gm, () => {
      runtime.checkText((length += count), count);
      return " ".repeat(count);
    });
  }),
];

/** Returns the lines of the first turns of a conversation. */
export function firstTurns(conversation: string, count: number): string {
  const { lines, turns } = findTurns(conversation);
  return lines.slice(0, turns[count]).join("\n");
}

function findTurns(conversation: string): { readonly lines: readonly string[]; readonly turns: readonly number[] } {
  const lines = conversation.split("\n");
  const turns: number[] = [];
  for (const [index, line] of lines.entries()) {
    if (line.startsWith('user "') || line.startsWith("user action: ")) turns.push(index);
  }
  return { lines, turns };
}
