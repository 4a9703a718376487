import type { ActionContext, ActionDefinition, VerdictDetails } from "../../src/actions/action.js";
import { isActionResult } from "../../src/actions/dispatcher.js";
import { type BenchOptions, openBench } from "../runtime/colang1/generation/bench.js";
import type { ModelCall } from "../support/language-models/scripted-model.js";

export interface Checked {
  readonly value: unknown;
  readonly events: readonly unknown[];
  readonly details: VerdictDetails | undefined;
  readonly calls: readonly ModelCall[];
  readonly unsaid: number;
}

/** Runs the action of a rail over context variables, with a scripted main model. */
export async function check(
  action: ActionDefinition,
  variables: Readonly<Record<string, unknown>>,
  options: Omit<BenchOptions, "context"> = {},
  params: Readonly<Record<string, unknown>> = {},
): Promise<Checked> {
  const bench = await openBench(options);
  let details: VerdictDetails | undefined;
  const context: ActionContext = {
    ...bench.action,
    context: variables,
    annotate: (given) => {
      details = { ...details, ...given };
    },
  };
  const result = await action.run(params, context);
  return {
    value: isActionResult(result) ? result.returnValue : result,
    events: isActionResult(result) ? result.events : [],
    details,
    calls: bench.model.calls,
    unsaid: bench.model.unsaid,
  };
}
