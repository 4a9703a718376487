import type { TemplateFilter } from "../filter.js";
import { checkTemplateLimit } from "../template-limits.js";
import { formatTemplateValue, readProperty } from "../template-value.js";

/** Filters on lists; a text counts as its characters, a map as its keys, nothing as an empty list. */
export const SEQUENCE_FILTERS: Readonly<Record<string, TemplateFilter>> = {
  length: (value) => items(value).length,
  first: (value) => items(value)[0],
  last: (value) => items(value).at(-1),
  join: (value, args, named) => {
    const separator = formatTemplateValue(args[0] ?? named["d"] ?? "");
    const attribute = args[1] ?? named["attribute"];
    const joined = items(value);
    let length = separator.length * Math.max(0, joined.length - 1);
    checkTemplateLimit("template_output", length);
    const texts = joined.map((item) => {
      const text = formatTemplateValue(attribute === undefined ? item : readProperty(item, attribute));
      checkTemplateLimit("template_output", (length += text.length));
      return text;
    });
    return texts.join(separator);
  },
};

function items(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value === "string") return Array.from(value);
  return typeof value === "object" && value !== null ? Object.keys(value) : [];
}
