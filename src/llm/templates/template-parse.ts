import type { TemplateSyntax, TemplateToken, TemplateStatement } from "./template-syntax.js";

/** A token with its position in the template. */
export type PlacedToken = TemplateToken & TextRange;

interface TextRange {
  readonly start: number;
  readonly end: number;
}

const STATEMENTS: ReadonlySet<string> = new Set(["if", "elif", "else", "endif", "for", "endfor", "set"]);
const MAX_BLOCK_DEPTH = 50;
const MAX_BRANCHES = 500;

/** Parses a template; never throws. If there are problems, the body is empty. */
export function parseTemplate(
  text: string,
  syntax: TemplateSyntax,
): {
  readonly body: readonly TemplateStatement[];
  readonly tokens: readonly PlacedToken[];
  readonly problems: readonly TemplateProblem[];
} {
  const { segments, problem } = splitTemplate(text);
  if (problem) return { body: [], tokens: [], problems: [problem] };
  const tokens: PlacedToken[] = [];
  const problems: TemplateProblem[] = [];
  const blocks = createBlockCheck(problems);
  for (const segment of segments) {
    if (segment.kind === "text") {
      tokens.push({ type: "Text", value: segment.text, start: segment.start, end: segment.end });
    } else if (segment.kind !== "comment") {
      if (segment.kind === "statement") blocks.enter(segment);
      problems.push(...pushTagTokens(segment, syntax, tokens));
    }
  }
  blocks.finish();
  if (problems.length > 0) return { body: [], tokens, problems };
  try {
    return { body: syntax.parse(tokens).body as readonly TemplateStatement[], tokens, problems: [] };
  } catch {
    return { body: [], tokens, problems: [parseProblem(tokens, syntax)] };
  }
}

type Tag = Exclude<TemplateSegment, { kind: "text" }>;

function pushTagTokens(tag: Tag, syntax: TemplateSyntax, tokens: PlacedToken[]): TemplateProblem[] {
  const [open, close] = tag.kind === "output" ? ["{{", "}}"] : ["{%", "%}"];
  if (tag.inner.trim() === "")
    return [
      {
        code: "PR-101",
        message: "empty tag",
        start: tag.start,
        end: tag.end,
        hint: "write a variable between the braces",
      },
    ];
  let found: readonly TemplateToken[];
  try {
    found = syntax.tokenize(`${open}${tag.inner}${close}`);
  } catch (error) {
    const detail = error instanceof SyntaxError ? error.message.toLowerCase() : "not readable";
    return [
      {
        code: "PR-101",
        message: `malformed tag: ${detail}`,
        start: tag.start,
        end: tag.end,
        hint: hintForTag(tag.inner),
      },
    ];
  }
  let at = tag.innerStart;
  for (const [index, { type, value }] of found.entries()) {
    if (index === 0) tokens.push({ type, value, start: tag.start, end: tag.start + 2 });
    else if (index === found.length - 1) tokens.push({ type, value, start: tag.end - 2, end: tag.end });
    else {
      while (tag.inner.charCodeAt(at - tag.innerStart) <= 32) at += 1;
      const start = at;
      at += tokenWidth({ type, value }, tag.inner, at - tag.innerStart);
      tokens.push({ type, value, start, end: at });
    }
  }
  return [];
}

function hintForTag(inner: string): string {
  return inner.includes("$")
    ? "write a variable without `$`: `{{ name }}`"
    : "write an expression: `{{ name | upper }}`";
}

function tokenWidth(token: TemplateToken, inner: string, from: number): number {
  if (token.type !== "StringLiteral") return token.value.length;
  const quote = inner[from];
  let at = from + 1;
  while (at < inner.length && inner[at] !== quote) at += inner[at] === "\\" ? 2 : 1;
  return at + 1 - from;
}

/** Checks that blocks open and close in pairs, which the package reports without a position. */
function createBlockCheck(problems: TemplateProblem[]): { enter(tag: Tag): void; finish(): void } {
  const open: { readonly name: "if" | "for"; readonly tag: Tag; branches: number; closed: boolean }[] = [];
  const report = (tag: Tag, message: string, hint?: string): void => {
    problems.push({ code: "PR-101", message, start: tag.start, end: tag.end, ...(hint ? { hint } : {}) });
  };
  const enter = (tag: Tag): void => {
    const name = /^\s*(\w+)/.exec(tag.inner)?.[1] ?? "";
    if (!STATEMENTS.has(name)) {
      report(
        tag,
        `\`{% ${name} %}\` is not supported in templates`,
        "supported are `if`, `elif`, `else`, `for` and `set`",
      );
      return;
    }
    if (name === "set") {
      const hint = "write `{% set name = value %}`";
      if (!/^\s*set\s+\w+\s*=/.test(tag.inner)) report(tag, "`{% set %}` gives one name a value in templates", hint);
      return;
    }
    const top = open.at(-1);
    if (name === "if" || name === "for") {
      if (open.length >= MAX_BLOCK_DEPTH) report(tag, `blocks are nested deeper than ${MAX_BLOCK_DEPTH}`);
      open.push({ name, tag, branches: 0, closed: false });
    } else if (name === "endif" || name === "endfor") {
      if (top?.name === name.slice(3)) open.pop();
      else
        report(
          tag,
          `\`{% ${name} %}\` closes nothing`,
          `remove it, or open the block with \`{% ${name.slice(3)} … %}\``,
        );
    } else if (!top || top.closed || (name === "elif" && top.name === "for")) {
      report(tag, `\`{% ${name} %}\` does not belong to a block`, "write it between `{% if … %}` and `{% endif %}`");
    } else {
      top.branches += 1;
      if (name === "else") top.closed = true;
      if (top.branches === MAX_BRANCHES) report(tag, `block has more than ${MAX_BRANCHES} branches`);
    }
  };
  const finish = (): void => {
    for (const { name, tag } of open) report(tag, `\`{% ${name} %}\` is never closed`, `add \`{% end${name} %}\``);
  };
  return { enter, finish };
}

/** Finds the last token that the parser read. Runs only for templates that do not parse. */
function parseProblem(tokens: readonly PlacedToken[], syntax: TemplateSyntax): TemplateProblem {
  let furthest = 0;
  const traced = new Proxy(tokens, {
    get(target, key, receiver) {
      const index = typeof key === "string" ? Number(key) : Number.NaN;
      if (Number.isInteger(index) && index < target.length) furthest = Math.max(furthest, index);
      return Reflect.get(target, key, receiver);
    },
  });
  try {
    syntax.parse(traced);
  } catch {
    // The first run already failed; only the position matters here.
  }
  const token = tokens[furthest];
  const shown = token && token.type !== "Text" ? token.value : "text";
  const { start, end } = token ?? { start: 0, end: 1 };
  const message = `unexpected \`${shown}\` in a template`;
  const hint = "write `{{ name | filter }}`, `{% if condition %}` or `{% for x in list %}`";
  return { code: "PR-101", message, hint, start, end: Math.max(end, start + 1) };
}

/** A segment of a template. Offsets refer to the template's own text. */
type TemplateSegment = TextRange &
  (
    | { readonly kind: "text"; readonly text: string }
    /** `inner` is the text between the delimiters, without the `-` of whitespace control. */
    | { readonly kind: "output" | "statement" | "comment"; readonly innerStart: number; readonly inner: string }
  );

export interface TemplateProblem extends TextRange {
  readonly code: "PR-101" | "PR-102" | "PR-103";
  readonly message: string;
  readonly hint?: string;
}

const MAX_TEMPLATE = 262_144;

const MAX_TAG = 4000;

const CLOSERS = { "{": "}}", "%": "%}", "#": "#}" } as const;

const KINDS = { "{": "output", "%": "statement", "#": "comment" } as const;

/**
 * Splits a template into literal text and tags in one pass. Applies whitespace control and drops one newline at the
 * very end, as Jinja does; other newlines stay.
 */
function splitTemplate(source: string): {
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
  const opening = /\{[{%#]/g;
  for (let tag = opening.exec(source); tag && tag.index + 1 < limit; tag = opening.exec(source)) {
    const start = tag.index;
    const opener = source[start + 1] as keyof typeof CLOSERS;
    const end = tagEnd(source, start + 2, limit, opener);
    if (end === -1 || end - start > MAX_TAG) {
      const message = end === -1 ? `\`{${opener}\` is never closed` : `tag is longer than ${MAX_TAG} characters`;
      return {
        segments,
        problem: { code: "PR-101", message, start, end: start + 2, hint: `close it with \`${CLOSERS[opener]}\`` },
      };
    }
    const stripBefore = source[start + 2] === "-";
    const innerStart = start + (stripBefore ? 3 : 2);
    const stripAfter = end - 3 >= innerStart && source[end - 3] === "-";
    pushText(start, stripBefore);
    const inner = source.slice(innerStart, end - (stripAfter ? 3 : 2));
    segments.push({ kind: KINDS[opener], start, end, innerStart, inner });
    stripNext = stripAfter;
    at = end;
    opening.lastIndex = end;
  }
  if (at < limit) pushText(limit, false);
  return { segments };
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
