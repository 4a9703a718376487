import { createMap, type Value } from "../../../expressions/values/value.js";
import type { CompiledFlow } from "../../program.js";
import { NO_VALUES } from "../state/event.js";
import type { ValueRecord } from "../state/records.js";
import type { GivenArguments } from "../values/evaluate-in.js";

export type Binding =
  | { readonly ok: true; readonly named: ValueRecord }
  | { readonly ok: false; readonly message: string };

const NOTHING_BOUND: Binding = { ok: true, named: NO_VALUES };

/**
 * Puts the arguments of a call under the names of the parameters they are for. Parameters without an argument
 * are left out.
 */
export function nameArguments(flow: CompiledFlow, given: GivenArguments): Binding {
  const names = Object.keys(given.named);
  if (given.positional.length + names.length === 0) return NOTHING_BOUND;
  const named = createMap();
  for (const [at, value] of given.positional.entries()) {
    const parameter = flow.parameters[at];
    if (parameter === undefined) {
      const count = flow.parameters.length;
      const takes = count === 0 ? "no arguments" : `at most ${count} ${count === 1 ? "argument" : "arguments"}`;
      return { ok: false, message: `flow \`${flow.id}\` takes ${takes}, not ${given.positional.length}` };
    }
    named[parameter.name] = value;
  }
  for (const name of names) {
    if (!flow.parameters.some((parameter) => parameter.name === name)) {
      return { ok: false, message: `flow \`${flow.id}\` has no parameter \`$${name}\`` };
    }
    if (Object.hasOwn(named, name)) return { ok: false, message: `\`$${name}\` of flow \`${flow.id}\` is given twice` };
    named[name] = given.named[name] ?? null;
  }
  return { ok: true, named };
}

/** For patterns and filters: positional values under the names of parameters; those too many match nothing. */
export function nameFilter(flow: CompiledFlow | undefined, given: GivenArguments): Record<string, Value> {
  const named = createMap();
  for (const [at, value] of given.positional.entries()) named[flow?.parameters[at]?.name ?? `$${at}`] = value;
  return Object.assign(named, given.named);
}
