import type { ModuleInput } from "../../../colang2/merge-flows.js";
import type { Colang2Program } from "../../../colang2/program.js";
import { startedFlows } from "../../../colang2/strict-rails.js";
import { createDiagnostic, type Diagnostic } from "../../../diagnostics/diagnostic.js";
import { suggest } from "../../../diagnostics/suggestion.js";

/** Flows of a program that the standard library runs as rails, with the flow that runs each. */
const RUNNERS: ReadonlyMap<string, string> = new Map([
  ["input rails", "run input rails"],
  ["output rails", "run output rails"],
]);

/**
 * Flows of a program that are written as its rails and never run: nothing runs them without `import guardrails`, and nothing
 * runs a flow with a slip in the name.
 */
export function idleRails(
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
