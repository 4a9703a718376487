import type { ActionDefinition, ActionFunction } from "./action.js";
import { type ParameterSchema, readParameterSchema } from "./parameter-schema.js";

export interface ActionOptions {
  readonly name: string;
  /** Hidden from prompts and never sent to an action server. */
  readonly system?: boolean;
  /**
   * Promises that the action only judges: it changes nothing, and it needs no variable that another rail of its stage
   * sets. A rail made of such actions runs beside others and beside a speculative answer; without the promise it runs
   * before them, in the listed order.
   */
  readonly verdict?: boolean;
  /** Checks the parameters and gives the order for positional arguments. */
  readonly params?: ParameterSchema;
  /** The order for positional arguments, where there is no schema or another order is wanted. */
  readonly parameters?: readonly string[];
}

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
  const rules = options.params && readParameterSchema(options.params, options.name);
  const parameters = options.parameters ?? rules?.names;
  return Object.freeze({
    kind: "action",
    name: options.name,
    system: options.system ?? false,
    verdict: options.verdict ?? false,
    ...(parameters ? { parameters } : {}),
    ...(rules ? { validate: rules.validate } : {}),
    // INVARIANT: the dispatcher passes what `validate` returned, so the schema's output type holds.
    run: run as ActionFunction,
  } satisfies ActionDefinition);
}
