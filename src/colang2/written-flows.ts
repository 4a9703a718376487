import { isError } from "../diagnostics/diagnostic.js";
import { createSourceFile, positionAt } from "../diagnostics/source-file.js";
import { compileAddedFlows } from "./compile.js";
import { parseColang2 } from "./parse/parse.js";
import type { CompiledFlow } from "./program.js";
import { problemsOfWrittenFlow } from "./written-flow-policy.js";

/** Facts about the program to which flows are added. */
export interface WrittenFlowsOptions {
  /** The flows there are, by name. */
  readonly definitions: ReadonlyMap<string, CompiledFlow>;
  /** Actions that a flow written by a model may run and events that it may send; no others. */
  readonly allowedActions: readonly string[];
}

export interface WrittenFlows {
  /** Those whose names are new; empty when there are problems. */
  readonly flows: readonly CompiledFlow[];
  /** Reasons why the text is not used, which quote nothing of it; empty when it is used. */
  readonly problems: readonly string[];
}

const MAX_LENGTH = 20_000;
const MAX_FLOWS = 10;
const MAX_LINES = 400;

/**
 * Compiles Colang that a model, as a rule, wrote during the conversation. It is refused as a whole
 * when it does not compile, is too long, or would do what only flows of the program may: import, run actions and send events
 * that are not allowed, touch global variables, stop flows by their names.
 *
 * @example
 * ```ts
 * const { flows } = compileWrittenFlows('flow bot wave\n  bot say "Hi"', { definitions, allowedActions: [] });
 * flows[0]?.id; // "bot wave"
 * ```
 */
export function compileWrittenFlows(text: string, options: WrittenFlowsOptions): WrittenFlows {
  const refuse = (...problems: string[]): WrittenFlows => ({ flows: [], problems });
  if (text.length > MAX_LENGTH || text.split("\n").length > MAX_LINES) return refuse("the text is too long");
  const source = createSourceFile("written", text);
  const { ast, diagnostics: parsed } = parseColang2(source, { maxProblems: 20, maxNesting: 20 });
  const wrong = parsed.filter(isError);
  if (wrong.length > 0) {
    return refuse(...wrong.map(({ code, span }) => `${code} in line ${span ? lineOf(source, span.start) : 1}`));
  }
  if (ast.imports.length > 0) return refuse("an import");
  if (ast.flows.length === 0) return refuse("no flow");
  if (ast.flows.length > MAX_FLOWS) return refuse(`more than ${MAX_FLOWS} flows`);
  const written = new Set(ast.flows.map(({ id }) => id));
  const flows = { has: (name: string): boolean => options.definitions.has(name) || written.has(name) };
  const policy = { allowedActions: new Set(options.allowedActions), flows };
  const fresh = ast.flows.filter(({ id }) => !options.definitions.has(id));
  const problems = fresh.flatMap((flow) => problemsOfWrittenFlow(flow, policy));
  if (problems.length > 0) return refuse(...new Set(problems));
  const compiled = compileAddedFlows(source, options.definitions);
  const errors = compiled.diagnostics.filter(isError);
  return errors.length > 0 ? refuse(...errors.map(({ code }) => code)) : { flows: compiled.flows, problems: [] };
}

function lineOf(source: Parameters<typeof positionAt>[0], offset: number): number {
  return positionAt(source, offset).line;
}
