import type * as JsYaml from "js-yaml";

import { createDiagnostic, type Diagnostic } from "../diagnostics/diagnostic.js";
import type { SourceFile } from "../diagnostics/source-file.js";
import { createSpan } from "../diagnostics/span.js";
import { looksLikeColang } from "./file-kind.js";
import { countValues, EMPTY_MAP, MAX_DEPTH, MAX_VALUES, type RawMap } from "./raw-node.js";
import { readPositions } from "./yaml-positions.js";
import { buildRawTree } from "./yaml-tree.js";

type Yaml = typeof JsYaml;

export interface YamlResult {
  /** Absent when the text cannot be read at all. */
  readonly root?: RawMap;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Reads one YAML file of a configuration: YAML 1.2 with merge keys, one document, keys and values at its root. An empty
 * file is an empty configuration.
 *
 * @example
 * ```ts
 * const { root, diagnostics } = await readYaml(createSourceFile("config.yml", "models: []"));
 * ```
 */
export async function readYaml(source: SourceFile): Promise<YamlResult> {
  const yaml = await import("js-yaml");
  let events: JsYaml.Event[];
  try {
    events = yaml.parseEvents(source.text, { maxDepth: MAX_DEPTH });
  } catch (error) {
    return { diagnostics: [syntaxProblem(source, error)] };
  }
  const positions = readPositions(events, source, yaml);
  if (positions.documents === 0) return { root: EMPTY_MAP, diagnostics: [] };
  if (positions.problems.length > 0) return { diagnostics: positions.problems };
  return constructTree(yaml, source, events, positions);
}

function constructTree(
  yaml: Yaml,
  source: SourceFile,
  events: JsYaml.Event[],
  positions: ReturnType<typeof readPositions>,
): YamlResult {
  let value: unknown;
  try {
    [value] = yaml.constructFromEvents(events, {
      source: source.text,
      schema: yaml.CORE_SCHEMA.withTags(yaml.mergeTag),
      json: positions.duplicates.length > 0,
    });
  } catch (error) {
    return { diagnostics: [...positions.duplicates, syntaxProblem(source, error)] };
  }
  const problems = [...positions.duplicates];
  if (value === null || value === undefined) return { root: EMPTY_MAP, diagnostics: problems };
  const tree = buildRawTree(value, positions.root, source, problems);
  if (tree === undefined) return { diagnostics: problems };
  if (tree.kind !== "map") return { diagnostics: [wrongRoot(source, tree.kind)] };
  if (countValues(tree) > MAX_VALUES) {
    const message = `\`${source.name}\` stands for more than ${MAX_VALUES} values`;
    const hint = "aliases that refer to aliases multiply; write the values out or split the file";
    return { diagnostics: [createDiagnostic("CF-118", message, { path: source.name, hint })] };
  }
  return { root: tree, diagnostics: problems };
}

function wrongRoot(source: SourceFile, kind: "list" | "scalar"): Diagnostic {
  const colang = looksLikeColang(source);
  if (colang) return colang;
  const start = source.text.search(/\S/);
  const found = kind === "list" ? "a list" : "text";
  return createDiagnostic("CF-104", `a configuration must be keys and values, not ${found}`, {
    span: createSpan(source, start, start + 1),
    hint: "begin with a key such as `models:` or `rails:`",
  });
}

/** INVARIANT: the parser reports one problem, with the offset at which it gave up. */
function syntaxProblem(source: SourceFile, error: unknown): Diagnostic {
  const { reason, mark } = error as { reason?: unknown; mark?: { position?: unknown } };
  if (typeof reason !== "string") throw error;
  const colang = looksLikeColang(source);
  if (colang) return colang;
  const text = source.text;
  let at = typeof mark?.position === "number" ? Math.min(mark.position, text.length) : 0;
  // An end of text is shown where the text ends, not on the empty line after it.
  if (at >= text.length || reason.startsWith("unexpected end")) {
    at = Math.min(at, text.length);
    while (at > 0 && /\s/.test(text.charAt(at - 1))) at -= 1;
    if (at > 0) at -= 1;
  }
  const wording = wordingOf(reason, text, at);
  const end = wording.toLineEnd ? lineEnd(text, at) : at + 1;
  return createDiagnostic(wording.tooDeep ? "CF-118" : "CF-102", wording.message, {
    span: createSpan(source, at, end),
    hint: wording.hint,
  });
}

interface Wording {
  readonly message: string;
  readonly hint?: string;
  readonly toLineEnd?: boolean;
  readonly tooDeep?: boolean;
}

function wordingOf(reason: string, text: string, at: number): Wording {
  if (reason.includes("tab characters")) {
    return { message: "tabs cannot indent YAML", hint: "indent with spaces" };
  }
  if (reason.includes("maxDepth")) {
    return { message: `settings must not nest deeper than ${MAX_DEPTH} levels`, tooDeep: true };
  }
  if (reason.includes("null byte") || reason.includes("non-printable")) {
    return { message: "this is not a text file", hint: "save it as UTF-8 text, or list it in `.railsignore`" };
  }
  if (reason.startsWith("unexpected end of the stream within a flow collection")) {
    return { message: "a `[` or `{` is never closed", hint: "add the missing `]` or `}`" };
  }
  if (/^unexpected end of the stream within a (single|double) quoted scalar/.test(reason)) {
    return { message: "a quoted text is never closed", hint: "add the missing quote" };
  }
  if (reason === "bad indentation of a mapping entry" || reason.includes("deficient indentation")) {
    return badEntry(text, at);
  }
  if (reason.startsWith("end of the stream or a document separator")) {
    return { message: "this line does not fit the lines above", hint: "align it with them", toLineEnd: true };
  }
  return { message: `malformed YAML: ${reason.charAt(0).toLowerCase()}${reason.slice(1)}` };
}

/** One reason of the parser covers several slips; the characters at the place tell them apart. */
function badEntry(text: string, at: number): Wording {
  const character = text.charAt(at);
  const lineStart = text.lastIndexOf("\n", at - 1) + 1;
  if (character === "@" || character === "`" || character === "%") {
    return { message: `a value cannot begin with \`${character}\``, hint: "put the value in quotes" };
  }
  if (/^ *$/.test(text.slice(lineStart, at))) {
    return {
      message: "this line is indented differently from the lines it belongs to",
      hint: "lines of one level begin in the same column",
      toLineEnd: true,
    };
  }
  if (character === ":" || /^[^\n]*:/.test(text.slice(at, lineEnd(text, at)))) {
    return { message: "a second `:` in one line", hint: "put a value that contains `: ` in quotes" };
  }
  return { message: "malformed YAML: the entry ends before this point", hint: "check quotes and brackets before it" };
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end;
}
