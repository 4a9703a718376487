import { ActionError, GuardrailsError } from "../../diagnostics/errors.js";
import type { ActionContext, ActionDefinition, ActionParameters, ActionResult } from "../action.js";
import { defineAction } from "../define-action.js";
import { actionResult } from "../dispatcher.js";
import { TOOL_REVIEW, type ToolReview } from "../tool-review.js";

interface ToolAction {
  readonly name: string;
  /** Names of its parameters, in the order of positional arguments. */
  readonly parameters: readonly string[];
  /** Reads the arguments of the call. */
  read(params: ActionParameters, context: ActionContext): Readonly<Record<string, string>>;
  /** Makes the call. */
  call(args: ActionParameters, context: ActionContext): Promise<unknown>;
}

/** Maximum length of a tool result, in characters; longer ones are truncated. */
const MAX_RESULT = 20_000;

/** Maximum length of a tool argument, in characters. */
const MAX_ARGUMENT = 1_000;

/**
 * Defines a built-in action that is a tool: its calls pass the tool-call rails, its results the tool-result rails.
 * INVARIANT: a result is only a text, without events or variables, whatever the service replied; a blocked one is
 * replaced by the refusal.
 */
export function toolAction({ name, parameters, read, call }: ToolAction): ActionDefinition {
  const options = { name, system: true, parameters };
  const action = defineAction(options, async (params: ActionParameters, context: ActionContext) => {
    const review = context[TOOL_REVIEW];
    if (review === undefined) throw new ActionError(`\`${name}\` can only run inside a guarded call`, { action: name });
    const given = await review({ tool: name, args: read(params, context) });
    if (given.blocked) return resultOf(given);
    const reply = await calling(name, context.signal, () => call(given.args, context));
    const result = textOf(name, reply).slice(0, MAX_RESULT);
    const left = await review({ tool: name, args: given.args, result });
    return resultOf(left.blocked ? left : { ...left, args: given.args });
  });
  return Object.freeze({ ...action, yieldsToTools: true, accepts: parameters });
}

function resultOf({ result, args, exception }: ToolReview): ActionResult {
  return actionResult({ returnValue: result, events: exception === undefined ? [] : [exception], loggedParams: args });
}

/** @throws ActionError for a reply that is not plain data */
function textOf(name: string, reply: unknown): string {
  if (typeof reply === "string") return reply;
  try {
    return JSON.stringify(reply) ?? "";
  } catch {
    throw new ActionError(`the service behind \`${name}\` returned a value that is not plain data`, { action: name });
  }
}

/**
 * INVARIANT: messages of services and their clients may quote keys and texts, so neither errors nor logs contain them.
 */
async function calling(name: string, signal: AbortSignal, call: () => Promise<unknown>): Promise<unknown> {
  try {
    return await call();
  } catch (cause) {
    if (GuardrailsError.isInstance(cause) || signal.aborted) throw cause;
    const kind = cause instanceof Error && /^\w{1,40}$/.test(cause.name) ? cause.name : typeof cause;
    throw new ActionError(`the service behind \`${name}\` failed (${kind})`, { action: name });
  }
}

/**
 * Reads a text among the parameters.
 *
 * @throws ActionError for a missing, non-text or too long parameter
 */
export function textParameter(action: string, params: ActionParameters, name: string, otherwise?: unknown): string {
  const value = (Object.hasOwn(params, name) ? params[name] : undefined) ?? otherwise;
  if (typeof value === "string" && value.trim() !== "" && value.length <= MAX_ARGUMENT) return value;
  const expected = `a text of 1 to ${MAX_ARGUMENT} characters`;
  throw new ActionError(`expected \`${name}\` of \`${action}\` to be ${expected}`, { action });
}
