import { createDiagnostic, type Diagnostic } from "../../diagnostics/diagnostic.js";
import { type SourceFile, createSpan } from "../../diagnostics/source-file.js";
import { looksLikeColang } from "./file-kind.js";
import { MAX_DEPTH } from "./raw-node.js";

interface Wording {
  readonly message: string;
  readonly hint?: string;
  readonly start?: number;
  readonly end?: number;
  readonly isLimit?: boolean;
}

/**
 * Describes a YAML syntax error. The parser reports one problem, with its reason and the offset where it stopped; if
 * that is far from the mistake, the preceding lines are searched for it.
 */
export function describeSyntaxError(source: SourceFile, error: unknown): Diagnostic {
  const { reason, mark } = error as { readonly reason?: unknown; readonly mark?: { readonly position?: unknown } };
  if (typeof reason !== "string") throw error;
  const colang = looksLikeColang(source);
  if (colang) return colang;
  const at = Math.min(typeof mark?.position === "number" ? mark.position : 0, source.text.length);
  const wording = wordingOf(reason, source.text, at);
  const start = wording.start ?? at;
  return createDiagnostic(wording.isLimit ? "CF-118" : "CF-102", wording.message, {
    span: createSpan(source, start, wording.end ?? start + 1),
    hint: wording.hint,
  });
}

function wordingOf(reason: string, text: string, at: number): Wording {
  if (reason.includes("tab characters")) return { message: "tabs cannot indent YAML", hint: "indent with spaces" };
  if (reason.includes("maxDepth")) {
    return { message: `settings must not nest deeper than ${MAX_DEPTH} levels`, isLimit: true };
  }
  if (reason.includes("null byte") || reason.includes("non-printable") || reason.includes("control character")) {
    return { message: "this is not a text file", hint: "save it as UTF-8 text, or list it in `.railsignore`" };
  }
  if (reason.startsWith("unknown") && reason.includes("tag !<")) {
    let end = at;
    while (end < text.length && end < at + 80 && !/[\s,[\]{}]/.test(text.charAt(end))) end += 1;
    const name = text.slice(at, end);
    return { message: `unknown tag \`${name}\``, hint: "remove it; settings are plain data", end };
  }
  const mayBeUnclosed = reason === "deficient indentation" || reason.startsWith("unexpected end");
  return (mayBeUnclosed ? unclosed(text, at) : undefined) ?? entryWording(reason, text, at);
}

function entryWording(reason: string, text: string, at: number): Wording {
  const character = text.charAt(at);
  const lineStart = text.lastIndexOf("\n", at - 1) + 1;
  const end = lineEnd(text, at);
  if (reason.startsWith("end of the stream or a document separator")) {
    return (
      missingBlank(text, lineStart) ?? {
        message: "this line does not fit the lines above",
        hint: "align it with them",
        start: lineStart,
        end,
      }
    );
  }
  const isEntry = reason === "bad indentation of a mapping entry" || reason === "deficient indentation";
  if (isEntry && (character === "@" || character === "`" || character === "%")) {
    return { message: `a value cannot begin with \`${character}\``, hint: "put the value in quotes" };
  }
  if (isEntry && at > lineStart && text.slice(lineStart, at).trim() === "") {
    return {
      message: "this line is indented differently from the lines it belongs to",
      hint: "lines of one level begin in the same column",
      end,
    };
  }
  if (reason === "deficient indentation") {
    return { message: "a bracket or a quote before this point is never closed", hint: "add what closes it" };
  }
  if (isEntry && character === ":") {
    const before = text.slice(lineStart, at);
    if (/:\s/.test(before)) {
      return { message: "a second `:` in one line", hint: "put a value that contains `: ` in quotes" };
    }
    return {
      message: "a key below a key that has a value already",
      hint: "remove the value above it, or indent this line like the line above",
      start: lineStart + indentOf(before),
      end: at,
    };
  }
  if (isEntry) {
    return {
      message: "nothing may follow a value in quotes or brackets",
      hint: "put the whole value in quotes, or remove what follows",
      end,
    };
  }
  const message = reason.charAt(0).toLowerCase() + reason.slice(1);
  return {
    message: `malformed YAML: ${message}`,
    hint: "check the quotes, brackets and indentation before this point",
  };
}

/** `models:[]` is one word, so the next line seems misaligned. */
function missingBlank(text: string, lineStart: number): Wording | undefined {
  const previous = text.slice(text.lastIndexOf("\n", lineStart - 2) + 1, Math.max(0, lineStart - 1));
  const colon = /^\s*[\w-]+:(?=\S)/.exec(previous.slice(0, 200))?.[0].length;
  if (colon === undefined) return undefined;
  const start = lineStart - 1 - previous.length + colon - 1;
  return { message: "a `:` without a blank after it", hint: "write `key: value`", start, end: start + 1 };
}

const MAX_LOOKBACK = 4000;

/** Finds an unclosed bracket or quote before this point. */
function unclosed(text: string, at: number): Wording | undefined {
  const open: { readonly character: string; readonly at: number }[] = [];
  const from = at > MAX_LOOKBACK ? text.indexOf("\n", at - MAX_LOOKBACK) + 1 : 0;
  let before = "\n";
  for (let index = from; index < at; index += 1) {
    const character = text.charAt(index);
    const opensValue = "\n:-,[{?".includes(before);
    if (character === "\n") {
      before = "\n";
      index = afterBlockText(text, index, at);
    } else if (character === "#" && /\s/.test(text.charAt(index - 1) || " ")) {
      index = lineEnd(text, index) - 1;
    } else if ((character === '"' || character === "'") && opensValue) {
      const close = closingQuote(text, index, at);
      if (close === undefined) {
        return { message: "a quoted text is never closed", hint: "add the missing quote", start: index };
      }
      index = close;
      before = character;
    } else {
      if ((character === "[" || character === "{") && opensValue) open.push({ character, at: index });
      else if (character === "]" || character === "}") open.pop();
      if (/\S/.test(character)) before = character;
    }
  }
  const last = open.at(-1);
  if (!last) return undefined;
  const close = last.character === "[" ? "]" : "}";
  return { message: `a \`${last.character}\` is never closed`, hint: `add the missing \`${close}\``, start: last.at };
}

/** Returns the end of the line before the next entry, if the line that ends here opens a text with `|` or `>`. */
function afterBlockText(text: string, newline: number, limit: number): number {
  const line = text.slice(text.lastIndexOf("\n", newline - 1) + 1, newline);
  if (!/[:-] +[|>][-+\d]*\s*$/.test(line.slice(-200))) return newline;
  const indent = indentOf(line);
  let end = newline;
  while (end < limit) {
    const next = lineEnd(text, end + 1);
    const following = text.slice(end + 1, next);
    if (following.trim() !== "" && indentOf(following) <= indent) break;
    end = next;
  }
  return Math.min(end, limit);
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function closingQuote(text: string, start: number, limit: number): number | undefined {
  const quote = text.charAt(start);
  for (let index = start + 1; index < limit; index += 1) {
    const character = text.charAt(index);
    if (character === "\\" && quote === '"') index += 1;
    else if (character === quote && quote === "'" && text.charAt(index + 1) === "'") index += 1;
    else if (character === quote) return index;
  }
  return undefined;
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end;
}
