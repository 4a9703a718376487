import { ActionError } from "../diagnostics/errors.js";
import type { ActionContext, ActionDefinition, ActionFunction, ActionParameters } from "./action.js";
import { describeValue } from "../engine/plain-data.js";
import { destructuredNames } from "./define-action.js";
import { isClosedSchema, parameterNamesOf } from "./parameter-schema.js";

interface RunnableLike {
  readonly name?: unknown;
  invoke(input: unknown, config?: unknown): unknown;
}

interface RunsItself {
  readonly name?: unknown;
  run(params: ActionParameters, context: ActionContext): unknown;
}

/**
 * Converts anything runnable to an action: a function `(params, context)`, an action made by `defineAction`, a
 * LangChain tool, any runnable, an object with `run`, or a class with `run`, instantiated on first use.
 *
 * @example
 * ```ts
 * toActionDefinition((params) => Number(params.a) + 1, "increment").name; // "increment"
 * ```
 */
export function toActionDefinition(value: unknown, name?: string): ActionDefinition {
  if (isActionDefinition(value)) return name === undefined ? value : { ...value, name };
  if (isRunnable(value)) return fromRunnable(value, name);
  if (typeof value === "function") return fromFunction(value, name);
  if (hasRun(value)) {
    const run: ActionFunction = (params, context) => value.run(params, context);
    return define(requireName(name ?? value.name, value), run, value.run);
  }
  throw new ActionError(`expected ${title(name)} to be runnable, got ${describeValue(value)}`, { action: name ?? "" });
}

function isActionDefinition(value: unknown): value is ActionDefinition {
  if (typeof value !== "object" || value === null) return false;
  const { kind, name, run } = value as { kind?: unknown; name?: unknown; run?: unknown };
  return kind === "action" && typeof name === "string" && typeof run === "function";
}

function isRunnable(value: unknown): value is RunnableLike {
  return typeof value === "object" && value !== null && typeof (value as RunnableLike).invoke === "function";
}

function hasRun(value: unknown): value is RunsItself {
  return typeof value === "object" && value !== null && typeof (value as RunsItself).run === "function";
}

function fromRunnable(runnable: RunnableLike, name: string | undefined): ActionDefinition {
  const parameters = parameterNamesOf((runnable as { schema?: unknown }).schema);
  const run: ActionFunction = async (params, context) => {
    const output = await runnable.invoke(params, { ...context.runnableConfig, signal: context.signal });
    return singleOutput(runnable, output);
  };
  return {
    ...define(requireName(name ?? runnable.name, runnable), run),
    local: true,
    ...(parameters ? { parameters } : {}),
    ...(parameters && isClosedSchema((runnable as { schema?: unknown }).schema) ? { accepts: parameters } : {}),
  };
}

/** Legacy chains return a map; the value of its only output key is the result. */
function singleOutput(runnable: unknown, output: unknown): unknown {
  const keys = (runnable as { outputKeys?: unknown }).outputKeys;
  const key: unknown = Array.isArray(keys) && keys.length === 1 ? keys[0] : undefined;
  if (typeof key !== "string" || typeof output !== "object" || output === null) return output;
  return Object.hasOwn(output, key) ? (output as Record<string, unknown>)[key] : output;
}

function fromFunction(value: { readonly name: string }, name: string | undefined): ActionDefinition {
  const action = requireName(name ?? value.name, value);
  const prototype: unknown = (value as { prototype?: unknown }).prototype;
  if (hasRun(prototype)) {
    let instance: RunsItself | undefined;
    const create = (): RunsItself => (instance ??= new (value as unknown as new () => RunsItself)());
    return define(action, (params, context) => create().run(params, context), prototype.run);
  }
  if (/^class\b/.test(Function.prototype.toString.call(value))) {
    throw new ActionError(`expected the class of ${title(action)} to have a method \`run\``, { action });
  }
  return define(action, value as unknown as ActionFunction);
}

/** @param written - the user's function, whose source shows its parameters */
function define(name: string, run: ActionFunction, written: unknown = run): ActionDefinition {
  const accepts = destructuredNames(written);
  return { kind: "action", name, system: false, verdict: false, ...(accepts ? { accepts } : {}), run };
}

function requireName(name: unknown, value: unknown): string {
  if (typeof name === "string" && name.trim() !== "") return name;
  throw new ActionError(`expected an action with a name, got ${describeValue(value)} without one`, { action: "" });
}

function title(name: string | undefined): string {
  return name === undefined || name === "" ? "an action" : `the action \`${name}\``;
}
