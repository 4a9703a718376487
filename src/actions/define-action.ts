import { checkOptions, type OptionTable } from "../diagnostics/options.js";
import type { ActionDefinition, ActionFunction } from "./action.js";
import { destructuredNames } from "./destructured-names.js";
import { type ParameterSchema, readParameterSchema } from "./parameter-schema.js";

export interface ActionOptions {
  readonly name: string;
  /** Hidden from prompts and never sent to an action server. */
  readonly system?: boolean;
  /**
   * Promises that the action only judges: it changes nothing, and it needs no variable that another rail of its stage
   * sets. A rail made of such actions runs concurrently with others and with a speculative main call; without the promise it runs
   * before them, in the listed order.
   */
  readonly verdict?: boolean;
  /**
   * In Colang 2.x sessions: incoming events are processed while the action runs, and its end is an event of its own. Without
   * it they wait for the end. A turn always waits, since no event could follow it.
   */
  readonly executeAsync?: boolean;
  /**
   * In Colang 2.x: `false` if two flows may start the action at the same moment without one of them being aborted,
   * as with actions that only read or record. Unset, starting the action competes with all else that its interaction loop sends.
   */
  readonly conflicts?: boolean;
  /** Checks the parameters and gives the order for positional arguments. */
  readonly params?: ParameterSchema;
  /** The order for positional arguments, where there is no schema or another order is wanted. */
  readonly parameters?: readonly string[];
}

const OPTIONS: OptionTable<ActionOptions> = {
  name: "text",
  system: "boolean",
  verdict: "boolean",
  executeAsync: "boolean",
  conflicts: "boolean",
  params: "any",
  parameters: "object",
};

/**
 * Describes an action: a function that flows run with `execute`.
 *
 * @example
 * ```ts
 * const add = defineAction({ name: "add", params: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => a + b);
 * ```
 */
export function defineAction<Params extends Readonly<Record<string, unknown>> = Readonly<Record<string, unknown>>>(
  options: ActionOptions & { readonly params?: ParameterSchema & { parse?(value: unknown): Params } },
  run: (params: Params, context: Parameters<ActionFunction>[1]) => unknown,
): ActionDefinition {
  checkOptions("defineAction", options, OPTIONS);
  const rules = options.params && readParameterSchema(options.params, options.name);
  const parameters = options.parameters ?? rules?.names;
  const accepts =
    rules === undefined ? (destructuredNames(run) ?? parameters) : rules.isClosed ? rules.names : undefined;
  return Object.freeze({
    kind: "action",
    name: options.name,
    system: options.system ?? false,
    verdict: options.verdict ?? false,
    ...(options.executeAsync === true ? { executeAsync: true } : {}),
    ...(options.conflicts === false ? { conflicts: false } : {}),
    ...(parameters ? { parameters } : {}),
    ...(accepts ? { accepts } : {}),
    ...(rules ? { validate: rules.validate } : {}),
    // INVARIANT: the dispatcher passes what `validate` returned, so the schema's output type holds.
    run: run as ActionFunction,
  } satisfies ActionDefinition);
}
