import { ActionError, GuardrailsError, ModelError } from "../diagnostics/errors.js";
import { type AbortSource, andThen, type MaybePromise, Cancellation, onAbortOf, isPromise } from "../engine/async.js";
import type { ActionContext, ActionDefinition, ActionParameters, ActionResult, RunWithConfig } from "./action.js";
import type { ActionRegistry, ResolutionNote } from "./registry.js";
import { type StartTimer, startTimer as platformTimer, type EventDraft } from "../engine/events.js";
import { isMap, describeValue, type PlainData, toPlainData } from "../engine/plain-data.js";

export interface DispatchRequest {
  readonly registry: ActionRegistry;
  readonly name: string;
  /** Arguments by name; positional ones are `$1`, `$2` … and get the names declared by the action. */
  readonly params: ActionParameters;
  /**
   * Creates the action's context for a signal that also fires at its time limit. `unlimited` removes the time limit, for an
   * action that then waits for another party.
   */
  readonly context: (own: Cancellation, unlimited: () => void) => ActionContext;
  /** Runs the action with its context as the source of the config. Default: runs it without. */
  readonly runWithConfig?: RunWithConfig | undefined;
  /** Time limit; zero or `Infinity` for none. */
  readonly timeoutMs: number;
  readonly signal: AbortSource;
  readonly startTimer?: StartTimer;
}

export type DispatchResult =
  | {
      readonly ok: true;
      readonly action: ActionDefinition;
      /** As the action received them. */
      readonly params: ActionParameters;
      readonly result: ActionResult;
      readonly note?: ResolutionNote;
    }
  | { readonly ok: false; readonly kind: "missing" | "failed" | "timeout"; readonly error: ActionError };

/**
 * Runs one action. All actions run here; their errors become results.
 *
 * Synchronous for an action that returns synchronously.
 *
 * @throws ModelError if a model call of the action failed; the signal's reason if the caller aborted
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
  if (!resolution.found) {
    const near = resolution.suggestions.map((suggestion) => `\`${suggestion}\``).join(" or ");
    const message = `unknown action \`${request.name}\`${near === "" ? "" : `, did you mean ${near}?`}`;
    return { ok: false, kind: "missing", error: new ActionError(message, { action: request.name }) };
  }
  const { definition: action, note } = resolution;
  let params: ActionParameters;
  try {
    params = prepare(action, request.params);
  } catch (cause) {
    return { ok: false, kind: "failed", error: failure(action.name, "cannot take these parameters", cause) };
  }
  const { name } = action;
  const { timeoutMs } = request;
  const limited = runLimited({
    run: (runCancellation, unlimited) => {
      const context = request.context(runCancellation, unlimited);
      const run = (): unknown => action.run(params, context);
      return request.runWithConfig === undefined ? run() : request.runWithConfig(context, run);
    },
    timeoutMs,
    signal: request.signal,
    startTimer: request.startTimer ?? platformTimer,
    timeoutReason: () => actionTimeout(name, timeoutMs),
  });
  return andThen(limited, (outcome) => {
    if (outcome.kind !== "returned") return failedResult(name, outcome);
    try {
      const result = checkResult(name, outcome.value);
      return note === undefined ? { ok: true, action, params, result } : { ok: true, action, params, result, note };
    } catch (error) {
      return failedResult(name, { kind: "threw", error });
    }
  });
}

export function actionTimeout(action: string, timeoutMs: number): ActionError {
  return new ActionError(`the action \`${action}\` took longer than ${timeoutMs} ms`, { action, timeoutMs });
}

/**
 * Returns the result of an action that failed or timed out.
 *
 * @throws ModelError if a model call of the action failed
 */
export function failedResult(name: string, outcome: FailedOutcome): DispatchResult & { readonly ok: false } {
  if (outcome.kind === "timeout") return { ok: false, kind: "timeout", error: outcome.error };
  if (ModelError.isInstance(outcome.error)) throw outcome.error;
  return { ok: false, kind: "failed", error: failure(name, "failed", outcome.error) };
}

const POSITION = /^\$([1-9]\d*)$/;

function prepare(action: ActionDefinition, params: ActionParameters): ActionParameters {
  const named: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(params)) {
    if (key === "__proto__") throw new TypeError("expected a parameter name other than `__proto__`");
    const position = key.startsWith("$") ? POSITION.exec(key)?.[1] : undefined;
    const name = position === undefined ? key : action.parameters?.[Number(position) - 1];
    if (name === undefined)
      throw new TypeError(`expected a name for argument ${position}, as the action declares none`);
    if (Object.hasOwn(named, name)) throw new TypeError(`expected the parameter \`${name}\` once, got it twice`);
    named[name] = value;
  }
  return Object.freeze(action.validate ? { ...action.validate(named) } : named);
}

function failure(action: string, text: string, cause: unknown): ActionError {
  if (ActionError.isInstance(cause) && cause.action === action) return cause;
  const why = cause instanceof Error && cause.message !== "" ? `: ${cause.message}` : "";
  // Limits and other errors of this package keep their codes, so that logs can distinguish them.
  const code = GuardrailsError.isInstance(cause) ? { code: cause.code } : {};
  return new ActionError(`the action \`${action}\` ${text}${why}`, { action, cause, ...code });
}

type FailedOutcome =
  | { readonly kind: "threw"; readonly error: unknown }
  | { readonly kind: "timeout"; readonly error: ActionError };

type LimitedOutcome = { readonly kind: "returned"; readonly value: unknown } | FailedOutcome;

interface LimitedWork {
  /** Called with the work's signal and a function that removes the time limit. */
  readonly run: (own: Cancellation, unlimited: () => void) => unknown;
  readonly timeoutMs: number;
  readonly signal: AbortSource;
  readonly startTimer: StartTimer;
  /** Returns the abort reason for a timeout. */
  readonly timeoutReason: () => ActionError;
}

/**
 * Runs work with a time limit and its own signal, which follows the caller's. If the caller aborts, the promise rejects
 * at once with the caller's reason. Late results and errors are ignored. Synchronous work returns synchronously, since
 * nothing could have stopped it.
 *
 * @throws the caller's reason, if the caller had aborted by the time the work returned
 */
export function runLimited(work: LimitedWork): MaybePromise<LimitedOutcome> {
  const { signal } = work;
  if (signal.aborted) throw signal.reason as Error;
  const runCancellation = new Cancellation();
  let isUnlimited = false;
  let stopTimer: (() => void) | undefined;
  const unlimited = (): void => {
    isUnlimited = true;
    stopTimer?.();
  };
  let started: LimitedOutcome | Promise<unknown>;
  try {
    const value = work.run(runCancellation, unlimited);
    started = isPromise(value) ? Promise.resolve(value) : { kind: "returned", value };
  } catch (error) {
    started = { kind: "threw", error };
  }
  if (signal.aborted) {
    runCancellation.abort(signal.reason);
    if (isPromise(started)) started.catch(() => undefined);
    throw signal.reason as Error;
  }
  if (!isPromise(started)) return started;
  const waiting = started;
  return new Promise((resolve, reject) => {
    let finished = false;
    const finish = (report: () => void): boolean => {
      if (finished) return false;
      finished = true;
      stopTimer?.();
      stopListening();
      report();
      return true;
    };
    if (!isUnlimited) {
      stopTimer = work.startTimer(work.timeoutMs, () => {
        const error = work.timeoutReason();
        if (finish(() => resolve({ kind: "timeout", error }))) runCancellation.abort(error);
      });
    }
    const stopListening = onAbortOf(signal, () => {
      if (finish(() => reject(signal.reason))) runCancellation.abort(signal.reason);
    });
    waiting.then(
      (value) => finish(() => resolve({ kind: "returned", value })),
      (error: unknown) => finish(() => resolve({ kind: "threw", error })),
    );
  });
}

const NO_EVENTS: readonly EventDraft[] = Object.freeze([]);

const NO_UPDATES: ActionResult["contextUpdates"] = Object.freeze({});

const BRAND = Symbol.for("langchain-guardrails.action-result");

/**
 * Creates the result of an action that does more than yield a value: it may send events and change context variables. A
 * plain object returned by an action is only a value, whatever its keys.
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
  readonly loggedParams?: ActionParameters;
}): ActionResult {
  return new BrandedResult(fields);
}

class BrandedResult implements ActionResult {
  readonly returnValue: unknown;
  readonly events: readonly EventDraft[];
  readonly contextUpdates: Readonly<Record<string, unknown>>;
  readonly loggedParams: ActionParameters | undefined;

  constructor({ returnValue, events, contextUpdates, loggedParams }: Partial<ActionResult>) {
    this.returnValue = returnValue ?? null;
    this.events = events ?? NO_EVENTS;
    this.contextUpdates = contextUpdates ?? NO_UPDATES;
    this.loggedParams = loggedParams;
    Object.freeze(this);
  }

  /** Inherited, so that copies made key by key lose the brand. */
  get [BRAND](): true {
    return true;
  }
}

/**
 * The result of a built-in action whose values are already plain JSON, so that it needs no copy. INVARIANT: it contains
 * nothing from code or stores of the user.
 */
export class PlainResult implements ActionResult {
  /** Asked for instead of the prototype, which a proxy may refuse to give. */
  readonly #isOwn = true;
  readonly returnValue: PlainData;
  readonly events: readonly EventDraft[];
  readonly contextUpdates: Readonly<Record<string, PlainData>>;

  constructor(event: EventDraft, returnValue: PlainData = null, updates: Readonly<Record<string, PlainData>> = {}) {
    this.returnValue = returnValue;
    this.events = [event];
    this.contextUpdates = updates;
  }

  static isPlain(value: unknown): value is PlainResult {
    return typeof value === "object" && value !== null && #isOwn in value && value.#isOwn;
  }
}

/** Detects results of any copy of this package, in any realm. */
export function isActionResult(value: unknown): value is ActionResult {
  if (typeof value !== "object" || value === null) return false;
  try {
    const made: unknown = Object.getPrototypeOf(value);
    // Of the class itself: an object that inherits from a result is none.
    return typeof made === "object" && made !== null && Object.hasOwn(made, BRAND);
  } catch {
    // A proxy that refuses to give its prototype.
    return false;
  }
}

/**
 * Converts an action's return value to a result of plain data. States, logs and threads store these values, so one
 * without a JSON form is rejected with its path rather than changed silently.
 *
 * @throws ActionError CO-407
 */
export function checkResult(action: string, returned: unknown): ActionResult {
  if (PlainResult.isPlain(returned)) return returned;
  const refuse = (path: string, message: string): never => {
    const place = path === "" ? "" : ` at \`${path}\``;
    const text = `the result of \`${action}\` cannot be kept${place}: ${message}`;
    throw new ActionError(text, { action, code: "CO-407" });
  };
  const copy = (value: unknown, at: string): PlainData => {
    const copied = toPlainData(value, { at });
    return copied.ok ? copied.value : refuse(copied.problem.path, copied.problem.message);
  };
  if (!isActionResult(returned)) {
    return { returnValue: copy(returned, ""), events: NO_EVENTS, contextUpdates: NO_UPDATES };
  }
  let { contextUpdates, events } = returned;
  const returnValue = copy(returned.returnValue, "returnValue");
  if (contextUpdates !== NO_UPDATES) {
    const updates = copy(contextUpdates, "contextUpdates");
    if (!isMap(updates)) return refuse("contextUpdates", `${describeValue(contextUpdates)} is not a map of variables`);
    contextUpdates = updates;
  }
  if (events !== NO_EVENTS) {
    const copied = copy(events, "events");
    if (!Array.isArray(copied)) return refuse("events", `${describeValue(events)} is not a list of events`);
    const odd = copied.findIndex((event) => !isMap(event) || typeof event["type"] !== "string" || event["type"] === "");
    if (odd !== -1) refuse(`events[${odd}]`, "expected an event to be a map with a text `type`");
    events = copied as unknown as readonly EventDraft[];
  }
  const { loggedParams } = returned;
  const result = { returnValue, events, contextUpdates };
  return loggedParams === undefined ? result : { ...result, loggedParams };
}
