import { parseFlowReference } from "../../../engine/flow-reference.js";
import { compileColang2 } from "../../../colang2/compile.js";
import { placeOfFiles } from "../../../colang2/imports/import-place.js";
import { resolveImports } from "../../../colang2/imports/imports.js";
import type { ModuleInput } from "../../../colang2/merge-flows.js";
import type { Colang2Program } from "../../../colang2/program.js";
import { formatPath } from "../../../config/yaml/raw-node.js";
import type { RailsConfig } from "../../../config/rails-config.js";
import { createDiagnostic, type Diagnostic, isError } from "../../../diagnostics/diagnostic.js";
import { ColangSyntaxError, ColangValidationError, ConfigError } from "../../../diagnostics/errors.js";
import { didYouMean, didYouMeanRail, suggest } from "../../../diagnostics/suggestion.js";
import { type ListedRail, listedRails, TOOL_VALIDATION } from "../../../rails/tools/tool-rails.js";
import { isToolStage } from "../../../turn/decision.js";
import { GENERATED_MODULE, generatedFlows } from "./generated-flows.js";
import { LIBRARY_PLACE, libraryFlows } from "./library-place.js";
import type { KnownActions } from "../../../colang2/validate/rules/rule.js";
import { startedFlows } from "../../../colang2/strict-rails.js";

export interface CompiledConfig {
  readonly program: Colang2Program;
  readonly diagnostics: readonly Diagnostic[];
  /** True if the configuration has its own dialog. */
  readonly hasDialog: boolean;
}

/**
 * Compiles the flows of a Colang 2.x configuration: its files and their imports, flows implied by its settings, and the
 * library rails that it lists.
 *
 * @throws ColangSyntaxError, ColangValidationError or ConfigError with all problems at once
 */
export function compileColang2Config(config: RailsConfig, actions?: KnownActions): CompiledConfig {
  const configuredSources = config.colang.map(({ source }) => source);
  const inOrder = [...config.colang].sort((a, b) => Number(a.origin === "root") - Number(b.origin === "root"));
  const places = [placeOfFiles("the configuration", configuredSources), LIBRARY_PLACE];
  const listed = listedRails(config.settings.rails);
  const listedIds = listed.map(({ text }) => parseFlowReference(text).id);
  // Some rails run without being listed.
  const implied = listed.flatMap(({ stage }) => (isToolStage(stage) ? [TOOL_VALIDATION[stage]] : []));
  const first = resolveImports({ sources: inOrder.map(({ source }) => source), places });
  const defined = new Set(first.modules.flatMap(({ ast }) => ast.flows.map(({ id }) => id)));
  // A flow of that name in the configuration takes precedence over the library's.
  const library = [...listedIds, ...implied].flatMap((id) => (defined.has(id) ? [] : (libraryFlows().get(id) ?? [])));
  const generated = generatedFlows(config.settings, defined);
  // Among modules of equal priority the later one wins, so flows of the settings come first.
  const { modules, diagnostics: parsed } = resolveImports({
    sources: [...(generated === undefined ? [] : [generated]), ...inOrder.map(({ source }) => source)],
    places,
    imports: [...new Set(library)],
  });
  const syntax = parsed.filter(isError);
  if (syntax.length > 0) throw new ColangSyntaxError(syntax);
  refuseTwoOutputRails(config, modules);
  const replaced = new Set(flowsOf(modules).map(({ id }) => id));
  const rails = [...listedIds, ...implied, ...OWN_RAILS, ...STATIONS.filter((id) => replaced.has(id))];
  const compiled = compileColang2({
    modules,
    constants: { ...config.settings },
    actions,
    variables: config.settings.context_variables,
    rails: rails.filter((id) => id !== "output rails" || defined.has(id)),
  });
  const errors = compiled.diagnostics.filter(isError);
  if (errors.length > 0 || compiled.program === undefined) throw new ColangValidationError(errors);
  const { program } = compiled;
  const problems = [...checkListed(config, listed, program), ...idleRails(modules, program, listedIds)];
  if (problems.length > 0) throw new ConfigError(problems);
  const ownFlows = program.flows.filter(({ module }) => module.endsWith(".co"));
  return {
    program,
    // Diagnostics of the package's own modules are left out.
    diagnostics: [...parsed, ...compiled.diagnostics].filter(({ span }) => span?.source.name.endsWith(".co") ?? true),
    hasDialog: defined.has("main") || ownFlows.some(({ id }) => program.activeFlows.includes(id)),
  };
}

/** Flows that a program may define instead of listing rails. */
const OWN_RAILS = ["input rails", "output rails", "retrieval rails"] as const;

/** Standard library flows that run the rails; a replacement takes over their decision. */
const STATIONS = [
  "run input rails",
  "run output rails",
  "_input rails gate",
  "_input rails verdict",
  "_bot_say",
] as const;

/** The flows of the configuration. */
function flowsOf(modules: readonly ModuleInput[]) {
  return modules.flatMap(({ name, ast }) => (name.endsWith(".co") ? ast.flows : []));
}

/**
 * Refuses listed output rails next to a flow `output rails` of the program: one of them would not run.
 *
 * @throws ConfigError `CF-106`
 */
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
    const report = (message: string, hint: string | undefined): Diagnostic =>
      createDiagnostic("CF-110", message, { span: config.spanOf(path), path: formatPath(path), hint });
    const flow = flows.get(id);
    if (flow === undefined) {
      const configured = [...flows.values()]
        .filter(({ module }) => module.endsWith(".co"))
        .map((definition) => definition.id);
      const near = didYouMeanRail(id, formatPath(path), new Set([...configured, ...libraryFlows().keys()]));
      const hint = near ?? "define it as a flow in a `.co` file of the configuration";
      return report(`the rail \`${id}\` is not defined`, hint);
    }
    const [part] = unread;
    if (part !== undefined) {
      return report(
        `\`${part}\` is not a parameter of the rail \`${id}\``,
        "write parameters as `$name=value`, each of them once",
      );
    }
    const known = flow.parameters.map(({ name }) => `$${name}`);
    return parameters.flatMap(({ name }) =>
      known.includes(`$${name}`)
        ? []
        : report(
            `the rail \`${id}\` has no parameter \`$${name}\``,
            didYouMean(`$${name}`, known) ?? "read it in the flow, or remove it",
          ),
    );
  });
}

/** Program flows that the standard library runs as rails, with the flow that runs each. */
const RUNNERS: ReadonlyMap<string, string> = new Map([
  ["input rails", "run input rails"],
  ["output rails", "run output rails"],
]);

/** Names like `plain` are near `main` as well, so only one with the same letters counts as misspelt. */
function isMisspeltMain(id: string): boolean {
  return id !== "main" && [...id].sort().join("") === "aimn";
}

/** Reports flows that never run: rails without `import guardrails`, and misspelt names of rails or of `main`. */
function idleRails(modules: readonly ModuleInput[], program: Colang2Program, listed: readonly string[]): Diagnostic[] {
  const defined = new Set(program.flows.map(({ id }) => id));
  const hasMain = flowsOf(modules).some(({ id }) => id === "main");
  const running = new Set([...program.activeFlows, ...startedFlows(program.flows), ...listed]);
  return flowsOf(modules).flatMap(({ id, name, headerSpan }) => {
    if (running.has(id)) return [];
    const runner = RUNNERS.get(id);
    const likeRail = runner === undefined && /rail/i.test(id) ? suggest(id, RUNNERS.keys()) : undefined;
    const near = isMisspeltMain(id) ? "main" : likeRail;
    const missing = runner ?? near;
    if (missing === undefined || (near === "main" ? hasMain : defined.has(missing))) return [];
    const hint =
      near === undefined ? "add `import guardrails`, or start the flow yourself" : `did you mean \`${near}\`?`;
    return [createDiagnostic("CF-110", `nothing runs the flow \`${id}\``, { span: name?.span ?? headerSpan, hint })];
  });
}
