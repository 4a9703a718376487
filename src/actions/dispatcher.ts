import { ActionError, GuardrailsError, ModelError } from "../diagnostics/errors.js";
import { type AbortSource, andThen, type MaybePromise, Cancellation, onAbortOf, isPromise } from "../engine/async.js";
import type { ActionContext, ActionDefinition, ActionResult } from "./action.js";
import type { ActionRegistry, ResolutionNote } from "./registry.js";
import { type StartTimer, startTimer as platformTimer, type EventDraft } from "../engine/events.js";
import { isMap, describeValue, type PlainData, toPlainData } from "../engine/plain-data.js";

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

type LimitedOutcome =
  | { readonly kind: "returned"; readonly value: unknown }
  | { readonly kind: "threw"; readonly error: unknown }
  | { readonly kind: "timeout" };

interface LimitedWork {
  /** Called with the work's signal and a function that removes the time limit. */
  readonly run: (own: Cancellation, unlimited: () => void) => unknown;
  readonly timeoutMs: number;
  readonly signal: AbortSource;
  readonly startTimer: StartTimer;
  /** The reason given to the work's signal when the time is over. */
  readonly timeoutReason: () => unknown;
}

/**
 * Runs work with a time limit under a signal of its own, which follows the caller's. When the caller aborts, the promise
 * rejects with the caller's reason at once. Results and errors of late work are ignored. Synchronous work has its outcome
 * at once, since nothing could have stopped it.
 *
 * @throws the caller's reason, when the caller had aborted by the time the work returned
 */
export function runLimited(work: LimitedWork): MaybePromise<LimitedOutcome> {
  const { signal } = work;
  if (signal.aborted) throw signal.reason as Error;
  const own = new Cancellation();
  const limit = new Limit(work);
  const begun = begin(work, own, limit);
  if (signal.aborted) {
    own.abort(signal.reason);
    if (isPromise(begun)) begun.catch(() => undefined);
    throw signal.reason as Error;
  }
  return isPromise(begun) ? waitFor(begun, own, work, limit) : begun;
}

/** A time limit that starts with the first wait; the work may remove it before and after. */
class Limit {
  readonly #work: LimitedWork;
  #isOff = false;
  #stopTimer: (() => void) | undefined;

  constructor(work: LimitedWork) {
    this.#work = work;
  }

  start(onTimeout: () => void): void {
    if (!this.#isOff) this.#stopTimer = this.#work.startTimer(this.#work.timeoutMs, onTimeout);
  }

  readonly off = (): void => {
    this.#isOff = true;
    this.#stopTimer?.();
  };
}

function begin(work: LimitedWork, own: Cancellation, limit: Limit): LimitedOutcome | Promise<unknown> {
  try {
    const value = work.run(own, limit.off);
    return isPromise(value) ? Promise.resolve(value) : { kind: "returned", value };
  } catch (error) {
    return { kind: "threw", error };
  }
}

function waitFor(value: Promise<unknown>, own: Cancellation, work: LimitedWork, limit: Limit): Promise<LimitedOutcome> {
  const { signal } = work;
  return new Promise((resolve, reject) => {
    let finished = false;
    const finish = (report: () => void): boolean => {
      if (finished) return false;
      finished = true;
      limit.off();
      stopListening();
      report();
      return true;
    };
    const onAbort = (): void => {
      if (finish(() => reject(signal.reason))) own.abort(signal.reason);
    };
    limit.start(() => {
      if (finish(() => resolve({ kind: "timeout" }))) own.abort(work.timeoutReason());
    });
    const stopListening = onAbortOf(signal, onAbort);
    value.then(
      (result) => finish(() => resolve({ kind: "returned", value: result })),
      (error: unknown) => finish(() => resolve({ kind: "threw", error })),
    );
  });
}

const NO_EVENTS: readonly EventDraft[] = Object.freeze([]);

const NO_UPDATES: ActionResult["contextUpdates"] = Object.freeze({});

const BRAND = Symbol.for("langchain-guardrails.action-result");

/**
 * Makes the result of an action that does more than yield a value: it may bring events and change context variables.
 * A plain object returned by an action is just a value, whatever its keys are.
 *
 * @example
 * ```ts
 * const remember = () => actionResult({ returnValue: "ok", contextUpdates: { bay: 7 } });
 * ```
 */
export function actionResult(fields: {
  readonly returnValue?: unknown;
  readonly events?: readonly EventDraft[];
  readonly contextUpdates?: Readonly<Record<string, unknown>>;
}): ActionResult {
  const result: ActionResult = {
    returnValue: fields.returnValue ?? null,
    events: fields.events ?? NO_EVENTS,
    contextUpdates: fields.contextUpdates ?? NO_UPDATES,
  };
  // Not enumerable, so that copies made key by key lose the brand together with the guarantee.
  return Object.freeze(Object.defineProperty(result, BRAND, { value: true }));
}

/** Recognises results of any copy of this package, in any realm. */
export function isActionResult(value: unknown): value is ActionResult {
  return typeof value === "object" && value !== null && Object.hasOwn(value, BRAND);
}

type Checked =
  | { readonly ok: true; readonly result: ActionResult }
  | { readonly ok: false; readonly error: ActionError };

/**
 * Makes what an action returned into a result of plain data. States, logs and threads keep these values, so one that has
 * no JSON form is refused with its place (CO-407) instead of being changed quietly.
 */
export function checkResult(action: string, returned: unknown): Checked {
  if (!isActionResult(returned)) {
    const value = plain(action, "", returned);
    if (!value.ok) return value;
    return { ok: true, result: { returnValue: value.value, events: NO_EVENTS, contextUpdates: NO_UPDATES } };
  }
  const value = plain(action, "returnValue", returned.returnValue);
  if (!value.ok) return value;
  let { contextUpdates, events } = returned;
  if (contextUpdates !== NO_UPDATES) {
    const updates = plain(action, "contextUpdates", contextUpdates);
    if (!updates.ok) return updates;
    if (!isMap(updates.value)) {
      return refuse(action, "contextUpdates", `${describeValue(contextUpdates)} is not a map of variables`);
    }
    contextUpdates = updates.value;
  }
  if (events !== NO_EVENTS) {
    const copied = plain(action, "events", events);
    if (!copied.ok) return copied;
    if (!Array.isArray(copied.value)) {
      return refuse(action, "events", `${describeValue(events)} is not a list of events`);
    }
    const odd = copied.value.findIndex((event: PlainData) => !isEvent(event));
    if (odd !== -1) return refuse(action, `events[${odd}]`, "an event is a map with a text `type`");
    events = copied.value as unknown as readonly EventDraft[];
  }
  return { ok: true, result: { returnValue: value.value, events, contextUpdates } };
}

function plain(
  action: string,
  field: string,
  value: unknown,
): { readonly ok: true; readonly value: PlainData } | { readonly ok: false; readonly error: ActionError } {
  const copied = toPlainData(value, { at: field });
  return copied.ok ? copied : refuse(action, copied.problem.path, copied.problem.message);
}

function refuse(action: string, path: string, message: string): { readonly ok: false; readonly error: ActionError } {
  const place = path === "" ? "" : ` at \`${path}\``;
  return {
    ok: false,
    error: new ActionError(`the result of \`${action}\` cannot be kept${place}: ${message}`, {
      action,
      code: "CO-407",
    }),
  };
}

function isEvent(value: PlainData): boolean {
  return isMap(value) && typeof value["type"] === "string" && value["type"] !== "";
}
