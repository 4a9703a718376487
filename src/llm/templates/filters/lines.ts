import { integerArgument, type TemplateFilter } from "../filter.js";
import { checkTemplateLimit } from "../template-limits.js";
import { formatTemplateValue } from "../template-value.js";

const DEFAULT_INDENT = 4;
const MAX_INDENT = 200;

/** Filters that choose or shift lines of a conversation. */
export const LINE_FILTERS: Readonly<Record<string, TemplateFilter>> = {
  first_turns: (value, args, named) => {
    const { lines, turns } = findTurns(value);
    const count = Math.max(0, integerArgument(args, named, "n", 1));
    return count < turns.length ? lines.slice(0, turns[count]).join("\n") : lines.join("\n");
  },
  last_turns: (value, args, named) => {
    const { lines, turns } = findTurns(value);
    const count = Math.max(1, integerArgument(args, named, "n", 1));
    return lines.slice(turns[Math.max(0, turns.length - count)] ?? 0).join("\n");
  },
  indent: (value, args, named) => {
    const count = Math.max(0, Math.min(MAX_INDENT, integerArgument(args, named, "n", DEFAULT_INDENT)));
    const text = formatTemplateValue(value);
    let { length } = text;
    return text.replace(/^(?=.*\S)/gm, () => {
      checkTemplateLimit("template_output", (length += count));
      return " ".repeat(count);
    });
  },
};

function findTurns(value: unknown): { readonly lines: readonly string[]; readonly turns: readonly number[] } {
  const lines = formatTemplateValue(value).split("\n");
  const turns: number[] = [];
  for (const [index, line] of lines.entries()) {
    if (line.startsWith('user "') || line.startsWith("user action: ")) turns.push(index);
  }
  return { lines, turns };
}
