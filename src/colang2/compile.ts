import { addAll } from "../diagnostics/add-all.js";
import { createDiagnostic, type Diagnostic, isError } from "../diagnostics/diagnostic.js";
import type { SourceFile } from "../diagnostics/source-file.js";
import { ProblemList } from "../diagnostics/problem-list.js";
import { suggest } from "../diagnostics/suggestion.js";
import type { FlowDefinition } from "./ast.js";
import { compileFlow } from "./compile-flow.js";
import type { FlowSignature } from "./expand/context.js";
import { standardModuleOf } from "./imports/imports.js";
import { mergeFlows, type MergedFlow, type ModuleInput } from "./merge-flows.js";
import { parseColang2 } from "./parse/parse.js";
import type { Colang2Program, CompiledFlow } from "./program.js";
import { hashProgram } from "../engine/hasher.js";
import { railScope } from "./validate/rules/rail-variables.js";
import type { KnownActions } from "./validate/rules/rule.js";
import { flowsReachedFrom, strictRails } from "./strict-rails.js";
import { validateFlow } from "./validate/validate.js";

export interface CompileColang2Input {
  /** In the order of imports: what is imported before what imports it. */
  readonly modules: readonly ModuleInput[];
  /** The value of `$system.config`. */
  readonly constants?: Readonly<Record<string, unknown>>;
  /** Names of the flows that run as rails. */
  readonly rails?: readonly string[];
  /** Names of variables that are set from outside the flows. */
  readonly variables?: readonly string[];
  /** Without them, unknown actions are not reported. */
  readonly actions?: KnownActions | undefined;
  /** Requires a flow `main`. Default: true. */
  readonly needsMain?: boolean;
}

export interface CompiledColang2 {
  /** Absent when there are errors. */
  readonly program?: Colang2Program;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Compiles modules to a program. Never throws: all problems are in the diagnostics.
 *
 * @example
 * ```ts
 * const { ast } = parseColang2(createSourceFile("main.co", "flow main\n  match Hello()"));
 * const { program, diagnostics } = compileColang2({ modules: [{ name: "main.co", ast }] });
 * ```
 */
export function compileColang2(input: CompileColang2Input): CompiledColang2 {
  const { modules, constants = {}, rails = [], needsMain = true } = input;
  const merged = mergeFlows(modules);
  const definitions = new Map(merged.flows.map(({ flow }) => [flow.id, flow]));
  const diagnostics: Diagnostic[] = [...merged.diagnostics];
  const flows: CompiledFlow[] = [];
  const own: FlowDefinition[] = [];
  for (const definition of merged.flows) {
    const shipped = shippedFlow(definition, definitions);
    if (shipped !== undefined) {
      flows.push(shipped);
      continue;
    }
    const compiled = compileFlow(definition, definitions);
    flows.push(compiled.flow);
    own.push(definition.flow);
    addAll(diagnostics, compiled.diagnostics);
  }
  const inRails = flowsReachedFrom(rails, new Map(flows.map((flow) => [flow.id, flow])));
  const scope = railScope([...definitions.values()], input.variables ?? []);
  const byFile = new Map<SourceFile, ProblemList>();
  for (const flow of own) {
    const facts = { rails: inRails.has(flow.id) ? scope : undefined, actions: input.actions };
    const { source } = flow.span;
    const problems = byFile.get(source) ?? new ProblemList();
    byFile.set(source, problems);
    validateFlow(flow, definitions, problems, { ...facts, moduleOf: standardModuleOf });
  }
  for (const problems of byFile.values()) addAll(diagnostics, problems.all);
  if (needsMain && !definitions.has("main")) diagnostics.push(reportMain(modules, definitions));
  if (diagnostics.some(isError)) return { diagnostics };
  const activeFlows = flows.filter(({ isActive }) => isActive).map(({ id }) => id);
  const program: Colang2Program = {
    dialect: "2.x",
    hash: hashProgram(flows),
    flows: strictRails(flows, rails),
    activeFlows,
    constants,
  };
  return { program, diagnostics };
}

/** Returns the flow as the package carries it; undefined when the program gives one of its names another meaning. */
function shippedFlow({ flow, module }: MergedFlow, flows: ReadonlyMap<string, unknown>): CompiledFlow | undefined {
  const { shipped } = module;
  return shipped?.words.some((word) => flows.has(word)) === false ? shipped.flows.get(flow.id) : undefined;
}

/** At the flow whose name is close, otherwise with the files in which it is missing. */
function reportMain(modules: readonly ModuleInput[], flows: ReadonlyMap<string, FlowDefinition>): Diagnostic {
  const near = flows.get(suggest("main", flows.keys()) ?? "");
  const hint = near ? `did you mean \`${near.id}\`?` : "write `flow main` and activate the other flows in it";
  const files = modules.flatMap(({ name, shipped }) => (shipped === undefined ? [name] : []));
  const path = files.slice(-MAX_FILES).join(", ");
  return createDiagnostic("C2-205", "there is no flow `main`", { span: near?.name?.span, path, hint });
}

const MAX_FILES = 5;

export interface AddedFlows {
  /** Those whose names are new; empty when there are errors. */
  readonly flows: readonly CompiledFlow[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Compiles flows that are added to a program while it runs. Flows whose names the program has are left out.
 *
 * @param known - the flows the program has, by name
 */
export function compileAddedFlows(source: SourceFile, known: ReadonlyMap<string, FlowSignature>): AddedFlows {
  const { ast, diagnostics: parsed } = parseColang2(source);
  const module: ModuleInput = { name: source.name, ast };
  const merged = mergeFlows([{ ...module, ast: { ...ast, flows: ast.flows.filter(({ id }) => !known.has(id)) } }]);
  const signatures = new Map<string, FlowSignature>([
    ...known,
    ...merged.flows.map(({ flow }) => [flow.id, flow] as const),
  ]);
  const compiled = merged.flows.map((definition) => compileFlow(definition, signatures));
  const diagnostics = [
    ...parsed,
    ...merged.diagnostics,
    ...compiled.flatMap((compiledFlow) => compiledFlow.diagnostics),
  ];
  return { flows: diagnostics.some(isError) ? [] : compiled.map(({ flow }) => flow), diagnostics };
}
