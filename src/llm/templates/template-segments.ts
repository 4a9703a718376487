/** A stretch of a template. Offsets count in the template's own text. */
export type TemplateSegment =
  | { readonly kind: "text"; readonly start: number; readonly end: number; readonly text: string }
  | {
      readonly kind: "output" | "statement" | "comment";
      readonly start: number;
      readonly end: number;
      /** The text between the delimiters, without the `-` of whitespace control. */
      readonly innerStart: number;
      readonly inner: string;
    };

export interface TemplateProblem {
  readonly code: "PR-101" | "PR-102" | "PR-103";
  readonly message: string;
  readonly start: number;
  readonly end: number;
  readonly hint?: string;
}

const MAX_TEMPLATE = 262_144;
const MAX_TAG = 4000;

const CLOSERS = { "{": "}}", "%": "%}", "#": "#}" } as const;
const KINDS = { "{": "output", "%": "statement", "#": "comment" } as const;

/** Returns true if a text has tags. */
export function hasTemplateTags(text: string): boolean {
  return text.includes("{{") || text.includes("{%") || text.includes("{#");
}

/**
 * Splits a template into literal text and tags, in one pass over the text. Whitespace control is applied here, and one
 * newline at the very end is dropped as Jinja does; other newlines stay.
 */
export function splitTemplate(source: string): {
  readonly segments: readonly TemplateSegment[];
  readonly problem?: TemplateProblem;
} {
  if (source.length > MAX_TEMPLATE) {
    const message = `template is longer than ${MAX_TEMPLATE} characters`;
    return { segments: [], problem: { code: "PR-101", message, start: 0, end: 1 } };
  }
  const limit = source.endsWith("\n") ? source.length - 1 : source.length;
  const segments: TemplateSegment[] = [];
  let at = 0;
  let stripNext = false;
  const pushText = (end: number, stripEnd: boolean): void => {
    let text = source.slice(at, end);
    if (stripNext) text = text.trimStart();
    if (stripEnd) text = text.trimEnd();
    if (text !== "") segments.push({ kind: "text", start: at, end, text });
  };
  while (at < limit) {
    const start = nextTag(source, at, limit);
    if (start === -1) break;
    const opener = source[start + 1] as keyof typeof CLOSERS;
    const end = tagEnd(source, start + 2, limit, opener);
    if (end === -1 || end - start > MAX_TAG) {
      const message = end === -1 ? `\`{${opener}\` is never closed` : `tag is longer than ${MAX_TAG} characters`;
      return { segments, problem: { code: "PR-101", message, start, end: start + 2 } };
    }
    const stripBefore = source[start + 2] === "-";
    const innerStart = start + (stripBefore ? 3 : 2);
    const stripAfter = end - 3 >= innerStart && source[end - 3] === "-";
    pushText(start, stripBefore);
    const inner = source.slice(innerStart, end - (stripAfter ? 3 : 2));
    segments.push({ kind: KINDS[opener], start, end, innerStart, inner });
    stripNext = stripAfter;
    at = end;
  }
  if (at < limit) pushText(limit, false);
  return { segments };
}

function nextTag(source: string, from: number, limit: number): number {
  for (let at = source.indexOf("{", from); at !== -1 && at + 1 < limit; at = source.indexOf("{", at + 1)) {
    const next = source[at + 1];
    if (next === "{" || next === "%" || next === "#") return at;
  }
  return -1;
}

/** Returns the offset after the closing delimiter; delimiters inside quotes and braces do not count. */
function tagEnd(source: string, from: number, limit: number, opener: keyof typeof CLOSERS): number {
  const closer = CLOSERS[opener];
  if (opener === "#") {
    const found = source.indexOf(closer, from);
    return found === -1 || found + 2 > limit ? -1 : found + 2;
  }
  let depth = 0;
  let quote = "";
  for (let at = from; at < limit; at += 1) {
    const char = source[at] as string;
    if (quote !== "") {
      if (char === "\\") at += 1;
      else if (char === quote) quote = "";
    } else if (char === '"' || char === "'") quote = char;
    else if (depth === 0 && source.startsWith(closer, at)) return at + 2 <= limit ? at + 2 : -1;
    else if (char === "{") depth += 1;
    else if (char === "}" && depth > 0) depth -= 1;
  }
  return -1;
}
