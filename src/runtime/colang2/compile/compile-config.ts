import { parseFlowReference } from "../../../engine/flow-reference.js";
import { describeUnavailableRail } from "../../../engine/unavailable-rails.js";
import { compileColang2 } from "../../../colang2/compile.js";
import { placeOfFiles } from "../../../colang2/imports/import-place.js";
import { resolveImports } from "../../../colang2/imports/imports.js";
import type { ModuleInput } from "../../../colang2/merge-flows.js";
import type { Colang2Program } from "../../../colang2/program.js";
import { formatPath } from "../../../config/yaml/raw-node.js";
import type { RailsConfig } from "../../../config/rails-config.js";
import { createDiagnostic, type Diagnostic, isError } from "../../../diagnostics/diagnostic.js";
import { ColangSyntaxError, ColangValidationError, ConfigError } from "../../../diagnostics/errors.js";
import { didYouMean, suggest } from "../../../diagnostics/suggestion.js";
import { type ListedRail, listedToolRails, TOOL_VALIDATION } from "../../../rails/tools/tool-rails.js";
import { GENERATED_MODULE, generatedFlows } from "./generated-flows.js";
import { LIBRARY_PLACE, libraryFlows } from "./library-place.js";
import { startedFlows } from "../../../colang2/strict-rails.js";

export interface CompiledConfig {
  readonly program: Colang2Program;
  readonly diagnostics: readonly Diagnostic[];
  /** True if the configuration has a dialog of its own. */
  readonly hasDialog: boolean;
}

/**
 * Compiles the flows of a Colang 2.x configuration: its files, what they import, what its settings say, and the rails of
 * the library that it lists.
 *
 * @throws ColangSyntaxError, ColangValidationError or ConfigError with all problems at once
 */
export function compileColang2Config(
  config: RailsConfig,
  parametersOf?: (action: string) => readonly string[] | undefined,
): CompiledConfig {
  const own = config.colang.map(({ source }) => source);
  const inOrder = [...config.colang].sort((a, b) => Number(a.origin === "root") - Number(b.origin === "root"));
  const places = [placeOfFiles("the configuration", own), LIBRARY_PLACE];
  const listed = listedRails(config);
  const first = resolveImports({ sources: inOrder.map(({ source }) => source), places });
  const defined = new Set(first.modules.flatMap(({ ast }) => ast.flows.map(({ id }) => id)));
  const library = [...listed.map(({ text }) => parseFlowReference(text).id), ...impliedRails(listed)].flatMap((id) => {
    // A flow of that name in the configuration is what it lists.
    return defined.has(id) ? [] : (libraryFlows().get(id) ?? []);
  });
  const generated = generatedFlows(config.settings, defined);
  // Of equally near modules the later one wins, so what the settings say comes first.
  const { modules, diagnostics: parsed } = resolveImports({
    sources: [...(generated === undefined ? [] : [generated]), ...inOrder.map(({ source }) => source)],
    places,
    imports: [...new Set(library)],
  });
  const syntax = parsed.filter(isError);
  if (syntax.length > 0) throw new ColangSyntaxError(syntax);
  refuseTwoOutputRails(config, modules);
  const replaced = ownFlows(modules);
  const rails = [
    ...listed.map(({ text }) => parseFlowReference(text).id),
    ...impliedRails(listed),
    ...OWN_RAILS,
    ...STATIONS.filter((id) => replaced.has(id)),
  ];
  const compiled = compileColang2({
    modules,
    constants: { ...config.settings },
    parametersOf,
    variables: config.settings.context_variables,
    rails: rails.filter((id) => id !== "output rails" || defined.has(id)),
  });
  const errors = compiled.diagnostics.filter(isError);
  if (errors.length > 0 || compiled.program === undefined) throw new ColangValidationError(errors);
  const { program } = compiled;
  const listedFlows = new Set(listed.map(({ text }) => parseFlowReference(text).id));
  const idle = idleRails(modules, program, listedFlows);
  const problems = [...checkListed(config, listed, program), ...idle];
  if (problems.length > 0) throw new ConfigError(problems);
  const diagnostics = [...parsed, ...compiled.diagnostics].filter(isOfUser);
  return {
    program,
    diagnostics,
    hasDialog: defined.has("main") || program.activeFlows.some((id) => isOwn(program, id)),
  };
}

/** Returns false for diagnostics of modules that come with the package. */
function isOfUser({ span }: Diagnostic): boolean {
  return span === undefined || span.source.name.endsWith(".co");
}

function isOwn(program: Colang2Program, id: string): boolean {
  return program.flows.find((flow) => flow.id === id)?.module.endsWith(".co") === true;
}

/** Flows that a program may have in place of listed rails. */
const OWN_RAILS = ["input rails", "output rails", "retrieval rails"] as const;

/** Flows of the standard library that run the rails; one in their place decides as they do. */
const STATIONS = [
  "run input rails",
  "run output rails",
  "_input rails gate",
  "_input rails verdict",
  "_bot_say",
] as const;

function ownFlows(modules: readonly ModuleInput[]): ReadonlySet<string> {
  return new Set(modules.flatMap(({ name, ast }) => (name.endsWith(".co") ? ast.flows.map(({ id }) => id) : [])));
}

const STAGES = ["input", "output", "retrieval"] as const;

function listedRails({ settings: { rails } }: RailsConfig): readonly ListedRail[] {
  const listed = STAGES.flatMap((stage) =>
    rails[stage].flows.map((text, index) => ({ stage, text, path: ["rails", stage, "flows", index] })),
  );
  return [...listed, ...listedToolRails(rails)];
}

/** Rails that run without being listed. */
function impliedRails(listed: readonly ListedRail[]): readonly string[] {
  return listed.flatMap(({ stage }) =>
    stage === "tool_output" || stage === "tool_input" ? [TOOL_VALIDATION[stage]] : [],
  );
}

/** Both would be the flow `output rails`, and one of them would not run. */
function refuseTwoOutputRails(config: RailsConfig, modules: readonly ModuleInput[]): void {
  if (config.settings.rails.output.flows.length === 0) return;
  const defined = modules
    .filter(({ name }) => name !== GENERATED_MODULE)
    .flatMap(({ ast }) => ast.flows)
    .find(({ id }) => id === "output rails");
  if (defined === undefined) return;
  throw new ConfigError([
    createDiagnostic("CF-106", "the flow `output rails` and `rails.output.flows` exclude each other", {
      span: config.spanOf(["rails", "output", "flows"]),
      path: "rails.output.flows",
      hint: "call the listed rails in the flow, or list what the flow calls",
    }),
  ]);
}

function checkListed(config: RailsConfig, listed: readonly ListedRail[], program: Colang2Program): Diagnostic[] {
  const flows = new Map(program.flows.map((flow) => [flow.id, flow]));
  return listed.flatMap(({ text, path }) => {
    const { id, parameters, unread } = parseFlowReference(text);
    const place = { span: config.spanOf(path), path: formatPath(path) };
    const flow = flows.get(id);
    if (flow === undefined) {
      const unavailable = describeUnavailableRail(id);
      if (unavailable !== undefined) {
        const { message, hint } = unavailable;
        return [createDiagnostic("CF-110", message, { ...place, hint })];
      }
      const own = [...flows.values()].filter(({ module }) => module.endsWith(".co")).map((one) => one.id);
      const names = [...own, ...libraryFlows().keys()];
      const hint = didYouMean(id, names) ?? "define it as a flow in a `.co` file of the configuration";
      return [createDiagnostic("CF-110", `the rail \`${id}\` is not defined`, { ...place, hint })];
    }
    const [part] = unread;
    if (part !== undefined) {
      const hint = "write parameters as `$name=value`";
      return [createDiagnostic("CF-110", `\`${part}\` is not a parameter of the rail \`${id}\``, { ...place, hint })];
    }
    return parameters.flatMap(({ name }) => {
      if (flow.parameters.some((parameter) => parameter.name === name)) return [];
      const hint = didYouMean(
        `$${name}`,
        flow.parameters.map((parameter) => `$${parameter.name}`),
      );
      return [createDiagnostic("CF-110", `the rail \`${id}\` has no parameter \`$${name}\``, { ...place, hint })];
    });
  });
}

/** Flows of a program that the standard library runs as rails, with the flow that runs each. */
const RUNNERS: ReadonlyMap<string, string> = new Map([
  ["input rails", "run input rails"],
  ["output rails", "run output rails"],
]);

/**
 * Flows of a program that are written as its rails and never run: nothing runs them without `import guardrails`, and nothing
 * runs a flow with a slip in the name.
 */
function idleRails(
  modules: readonly ModuleInput[],
  program: Colang2Program,
  listed: ReadonlySet<string>,
): Diagnostic[] {
  const defined = new Set(program.flows.map(({ id }) => id));
  const running = new Set([...program.activeFlows, ...startedFlows(program.flows), ...listed]);
  const own = modules.flatMap(({ name, ast }) => (name.endsWith(".co") ? ast.flows : []));
  return own.flatMap(({ id, name, headerSpan }) => {
    const span = name?.span ?? headerSpan;
    const runner = RUNNERS.get(id);
    if (runner !== undefined) {
      if (defined.has(runner) || running.has(id)) return [];
      const hint = "add `import guardrails`, or start the flow yourself";
      return [createDiagnostic("CF-110", `nothing runs the flow \`${id}\``, { span, hint })];
    }
    if (!/rail/i.test(id) || running.has(id)) return [];
    const near = suggest(id, RUNNERS.keys());
    if (near === undefined || defined.has(near)) return [];
    const hint = `did you mean \`${near}\`?`;
    return [createDiagnostic("CF-110", `nothing runs the flow \`${id}\``, { span, hint })];
  });
}
