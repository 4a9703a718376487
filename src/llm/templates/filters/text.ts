import type { TemplateFilter } from "../filter.js";
import { checkTemplateLimit } from "../template-limits.js";
import { formatTemplateValue } from "../template-value.js";

/** Filters on text. What is not a text is printed first, so that an undefined value stays empty. */
export const TEXT_FILTERS: Readonly<Record<string, TemplateFilter>> = {
  upper: (value) => formatTemplateValue(value).toUpperCase(),
  lower: (value) => formatTemplateValue(value).toLowerCase(),
  title: (value) => formatTemplateValue(value).replace(/[\p{L}\p{N}'’]+/gu, capitalize),
  capitalize: (value) => capitalize(formatTemplateValue(value)),
  trim: (value) => formatTemplateValue(value).trim(),
  replace: (value, args, named) => {
    const [from, to] = [args[0] ?? named["old"], args[1] ?? named["new"]].map(formatTemplateValue);
    return from ? replaceAll(formatTemplateValue(value), from, to ?? "") : formatTemplateValue(value);
  },
};

function replaceAll(text: string, from: string, to: string): string {
  const grows = to.length - from.length;
  if (grows <= 0) return text.replaceAll(from, () => to);
  let { length } = text;
  return text.replaceAll(from, () => {
    checkTemplateLimit("template_output", (length += grows));
    return to;
  });
}

function capitalize(text: string): string {
  const [first = ""] = text;
  return first.toUpperCase() + text.slice(first.length).toLowerCase();
}
