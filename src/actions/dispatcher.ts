import { ActionError, GuardrailsError, ModelError } from "../diagnostics/errors.js";
import type { AbortSource } from "../engine/cancellation.js";
import type { ActionContext, ActionDefinition, ActionResult } from "./action.js";
import { checkResult } from "./action-result.js";
import type { ActionRegistry, ResolutionNote } from "./registry.js";
import { andThen, type MaybePromise } from "../engine/maybe-promise.js";
import { type LimitedOutcome, runLimited } from "./run-limited.js";
import { type StartTimer, startTimer as platformTimer } from "../engine/timer.js";

export interface DispatchRequest {
  readonly registry: ActionRegistry;
  readonly name: string;
  /** By name; `$1`, `$2` … are positional and take the names that the action declares. */
  readonly params: Readonly<Record<string, unknown>>;
  /**
   * Makes the context of the action for the signal that also fires when the action's time is over. A function
   * `runWithConfig` among its services, called with what makes the config, runs the action where runnables find the
   * config by themselves, for actions that do not hand theirs on. `unlimited` takes the time limit off, for an action that
   * from then on waits for another party.
   */
  readonly context: (own: { readonly signal: AbortSignal }, unlimited: () => void) => ActionContext;
  /** Zero or `Infinity` for no limit. */
  readonly timeoutMs: number;
  readonly signal: AbortSource;
  readonly startTimer?: StartTimer;
}

export type DispatchResult =
  | {
      readonly ok: true;
      readonly action: ActionDefinition;
      /** As the action received them. */
      readonly params: Readonly<Record<string, unknown>>;
      readonly result: ActionResult;
      readonly note?: ResolutionNote;
    }
  | { readonly ok: false; readonly kind: "missing" | "failed" | "timeout"; readonly error: ActionError };

/**
 * Runs one action: the only place where actions are run. The result holds the errors of the action.
 *
 * The result of an action that is done when it returns is there at once, and so is what it throws.
 *
 * @throws ModelError when a model call of the action failed; the signal's reason when the caller aborted
 *
 * @example
 * ```ts
 * const outcome = await dispatch({ registry, name: "add", params: { a: 1, b: 2 }, context: () => context, timeoutMs: 60_000, signal });
 * if (outcome.ok) console.log(outcome.result.returnValue); // 3
 * ```
 */
export function dispatch(request: DispatchRequest): MaybePromise<DispatchResult> {
  if (request.signal.aborted) throw request.signal.reason as Error;
  const resolution = request.registry.resolve(request.name);
  if (!resolution.found) return { ok: false, kind: "missing", error: missing(request.name, resolution.suggestions) };
  const action = resolution.definition;
  let params: Readonly<Record<string, unknown>>;
  try {
    params = prepare(action, request.params);
  } catch (cause) {
    return { ok: false, kind: "failed", error: failure(action, "cannot take these parameters", cause) };
  }
  const limited = runLimited({
    run: (own, unlimited) => runAction(action, params, request.context(own, unlimited)),
    timeoutMs: request.timeoutMs,
    signal: request.signal,
    startTimer: request.startTimer ?? platformTimer,
    timeoutReason: () => timedOut(action, request.timeoutMs),
  });
  return andThen(limited, (outcome) => {
    const read = readOutcome(action, outcome, request.timeoutMs);
    if (!read.ok) return read;
    const { note } = resolution;
    const { result } = read;
    return note === undefined ? { ok: true, action, params, result } : { ok: true, action, params, result, note };
  });
}

function runAction(
  action: ActionDefinition,
  params: Readonly<Record<string, unknown>>,
  context: ActionContext,
): unknown {
  const run = (): unknown => action.run(params, context);
  const { services } = context;
  const runWithConfig = Object.hasOwn(services, "runWithConfig") ? services["runWithConfig"] : undefined;
  return typeof runWithConfig === "function" ? runWithConfig(() => context.runnableConfig, run) : run();
}

function readOutcome(
  action: ActionDefinition,
  outcome: LimitedOutcome,
  timeoutMs: number,
):
  | { readonly ok: true; readonly result: ActionResult }
  | { readonly ok: false; readonly kind: "failed" | "timeout"; readonly error: ActionError } {
  switch (outcome.kind) {
    case "timeout":
      return { ok: false, kind: "timeout", error: timedOut(action, timeoutMs) };
    case "threw":
      if (ModelError.isInstance(outcome.error)) throw outcome.error;
      return { ok: false, kind: "failed", error: failure(action, "failed", outcome.error) };
    case "returned": {
      const checked = checkResult(action.name, outcome.value);
      return checked.ok ? { ok: true, result: checked.result } : { ok: false, kind: "failed", error: checked.error };
    }
  }
}

const POSITION = /^\$([1-9]\d*)$/;

function prepare(
  action: ActionDefinition,
  params: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const named: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(params)) {
    if (key === "__proto__") throw new TypeError("a parameter cannot be called `__proto__`");
    const position = POSITION.exec(key)?.[1];
    const name = position === undefined ? key : action.parameters?.[Number(position) - 1];
    if (name === undefined) throw new TypeError(`argument ${position} has no name, and no order of names is declared`);
    if (Object.hasOwn(named, name)) throw new TypeError(`the parameter \`${name}\` is given twice`);
    named[name] = value;
  }
  return Object.freeze(action.validate ? { ...action.validate(named) } : named);
}

function missing(name: string, suggestions: readonly string[]): ActionError {
  const hint = suggestions.map((suggestion) => `\`${suggestion}\``).join(" or ");
  return new ActionError(`unknown action \`${name}\`${hint === "" ? "" : `, did you mean ${hint}?`}`, { action: name });
}

function timedOut(action: ActionDefinition, timeoutMs: number): ActionError {
  return new ActionError(`the action \`${action.name}\` took longer than ${timeoutMs} ms`, {
    action: action.name,
    timeoutMs,
  });
}

function failure(action: ActionDefinition, text: string, cause: unknown): ActionError {
  if (ActionError.isInstance(cause) && cause.action === action.name) return cause;
  const why = cause instanceof Error && cause.message !== "" ? `: ${cause.message}` : "";
  // Limits and other errors of this package keep their code, so that logs can distinguish them.
  const code = GuardrailsError.isInstance(cause) ? { code: cause.code } : {};
  return new ActionError(`the action \`${action.name}\` ${text}${why}`, { action: action.name, cause, ...code });
}
