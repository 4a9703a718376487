import type { CompileFile, CompileInput, Origin, RailReference } from "../../src/colang1/compile-input.js";
import { parseColang1 } from "../../src/colang1/parse/parse.js";
import { type Diagnostic, isError } from "../../src/diagnostics/diagnostic.js";
import { createSourceFile, type SourceFile, createSpan } from "../../src/diagnostics/source-file.js";

/**
 * A program in one text: Colang, with lines that begin with `@` for its settings.
 *
 * - `@input no shouting`, `@output …`, `@retrieval …` list a rail
 * - `@action add a b` registers an action with ordered parameters, `@action find ?` one without an order
 * - `@all-actions` says that there are no others
 * - `@constant name`, `@variable name`, `@unresolved path`
 * - `@file name.co import` begins another file of that origin
 */
export interface ProgramCase {
  readonly input: CompileInput;
  /** Syntax errors; if there are any, the program is not examined. */
  readonly errors: readonly Diagnostic[];
  /** The sections of the text, in order: files and directives. Directives that list rails can be underlined. */
  readonly sources: readonly SourceFile[];
}

interface Stretch {
  readonly name: string;
  readonly origin: Origin;
  readonly lines: string[];
}

export function readProgramCase(text: string): ProgramCase {
  const sources: (SourceFile | Stretch)[] = [];
  const rails: Record<"input" | "output" | "retrieval", RailReference[]> = { input: [], output: [], retrieval: [] };
  const actions = new Map<string, readonly string[] | undefined>();
  const constants: Record<string, unknown> = {};
  const words = { variables: [] as string[], unresolved: [] as string[], complete: false };
  let stretch: Stretch | undefined;
  let next = { name: "main.co", origin: "root" as Origin };
  for (const line of text.split("\n")) {
    const [, keyword, rest = ""] = /^@(\S+)\s*(.*)$/.exec(line.replaceAll(/[«»]/g, "")) ?? [];
    if (keyword === undefined) {
      if (!stretch) sources.push((stretch = { ...next, lines: [] }));
      stretch.lines.push(line);
      continue;
    }
    const source = createSourceFile("config.yml", line);
    sources.push(source);
    stretch = undefined;
    const [first = "", ...others] = rest.split(" ");
    if (keyword === "input" || keyword === "output" || keyword === "retrieval") {
      const span = createSpan(source, line.length - rest.length, line.length);
      rails[keyword].push({ text: rest, span, path: `rails.${keyword}.flows[${rails[keyword].length}]` });
    } else if (keyword === "action") {
      const unordered = others.at(-1) === "?";
      const name = unordered ? rest.slice(0, -2) : first;
      actions.set(name, unordered ? undefined : others);
    } else if (keyword === "all-actions") words.complete = true;
    else if (keyword === "constant") constants[first] = {};
    else if (keyword === "variable") words.variables.push(first);
    else if (keyword === "unresolved") words.unresolved.push(rest);
    else if (keyword === "file") next = { name: first, origin: others[0] as Origin };
    else throw new Error(`unknown directive @${keyword}`);
  }
  const errors: Diagnostic[] = [];
  const files: CompileFile[] = [];
  const resolved = sources.map((one) => {
    if ("text" in one) return one;
    const source = createSourceFile(one.name, one.lines.join("\n"));
    const { file, diagnostics } = parseColang1(source);
    errors.push(...diagnostics.filter(isError));
    files.push({ file, origin: one.origin, unresolvedImports: words.unresolved });
    return source;
  });
  const hasCatalog = actions.size > 0 || words.complete;
  const catalog = {
    has: (name: string) => actions.has(name),
    parametersOf: (name: string) => actions.get(name),
    acceptedBy: (name: string) => actions.get(name),
    complete: words.complete,
    names: [...actions.keys()],
  };
  const input = {
    files,
    rails,
    constants,
    predefinedVariables: words.variables,
    ...(hasCatalog ? { actions: catalog } : {}),
  };
  return { input, errors, sources: resolved };
}
