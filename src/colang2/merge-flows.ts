import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { createDiagnostic } from "../diagnostics/diagnostic.js";
import { didYouMean } from "../diagnostics/suggestion.js";
import type { ColangModule, FlowDefinition } from "./ast.js";
import { quoteText } from "../diagnostics/diagnostic.js";
import type { CompiledFlow } from "./program.js";

/** A module of a program. */
export interface ModuleInput {
  /** `core`, or a path relative to the configuration. */
  readonly name: string;
  readonly ast: ColangModule;
  /** For a module of the package: its precompiled flows. */
  readonly shipped?: ShippedFlows;
}

interface ShippedFlows {
  readonly flows: ReadonlyMap<string, CompiledFlow>;
  /**
   * INVARIANT: the compiled form of these flows depends on the program only by whether it has flows of these names,
   * which otherwise refer to actions and events.
   */
  readonly words: readonly string[];
}

/** A flow of the program, and its module. */
export interface MergedFlow {
  readonly flow: FlowDefinition;
  readonly module: ModuleInput;
}

interface Definition extends MergedFlow {
  readonly isOverride: boolean;
}

/**
 * Selects one definition per name. Modules are in import order, imported ones before their importers; among several
 * overriding definitions, the last one is closest to the program.
 */
export function mergeFlows(modules: readonly ModuleInput[]): {
  readonly flows: readonly MergedFlow[];
  readonly diagnostics: readonly Diagnostic[];
} {
  const byName = new Map<string, Definition[]>();
  for (const module of modules) {
    for (const flow of module.ast.flows) {
      const isOverride = flow.decorators.some(({ name }) => name.text === "override");
      const known = byName.get(flow.id);
      const definition = { flow, module, isOverride };
      if (known) known.push(definition);
      else byName.set(flow.id, [definition]);
    }
  }
  const diagnostics: Diagnostic[] = [];
  const flows: MergedFlow[] = [];
  for (const definitions of byName.values()) {
    const chosen = choose(definitions, byName, diagnostics);
    flows.push({ flow: chosen.flow, module: chosen.module });
  }
  return { flows, diagnostics };
}

function choose(
  definitions: readonly Definition[],
  byName: ReadonlyMap<string, unknown>,
  diagnostics: Diagnostic[],
): Definition {
  const bases = definitions.filter(({ isOverride }) => !isOverride);
  const overrides = definitions.filter(({ isOverride }) => isOverride);
  const [base, ...duplicates] = bases;
  for (const { flow } of duplicates) {
    const labels = base ? [{ span: base.flow.headerSpan, text: "defined here before" }] : [];
    const hint = "rename one of them, or write `@override` above the one that is to be used";
    const span = flow.name?.span ?? flow.headerSpan;
    diagnostics.push(createDiagnostic("C2-201", `flow ${quoteText(flow.id)} is defined twice`, { span, labels, hint }));
  }
  const last = overrides.at(-1);
  for (const { flow } of overrides) {
    const span = flow.name?.span ?? flow.headerSpan;
    if (!base) {
      const others = [...byName.keys()].filter((name) => name !== flow.id);
      const hint = didYouMean(flow.id, others) ?? "remove `@override`, or import the module that defines the flow";
      diagnostics.push(createDiagnostic("C2-203", `no flow ${quoteText(flow.id)} to override`, { span, hint }));
    } else if (last && flow !== last.flow) {
      const labels = [{ span: last.flow.headerSpan, text: "this one is used" }];
      diagnostics.push(createDiagnostic("C2-304", `flow ${quoteText(flow.id)} is overridden itself`, { span, labels }));
    }
  }
  // INVARIANT: there is at least one definition of every name.
  return last ?? (base as Definition);
}
