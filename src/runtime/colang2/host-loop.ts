import { fedEvents, type StageOutcome } from "../../turn/decision.js";
import type { Colang2Services } from "./run.js";
import type { EngineConversation, Round } from "../../colang2/engine/conversation.js";
import { splitActionEvent } from "../../colang2/event-names.js";
import { LimitError } from "../../diagnostics/errors.js";
import { type Cancellation, untilAborted } from "../../engine/async.js";
import type { EventDraft, GuardrailsEvent } from "../../engine/events.js";
import type { TraceEvent } from "../../engine/explain.js";
import type { LocalAction, LocalActions, LocalOutcome } from "./local-actions.js";

export interface HostLoopOptions {
  readonly engine: EngineConversation;
  readonly local: LocalActions;
  /** Actions that finish as soon as they start. */
  readonly instantActions: ReadonlySet<string>;
  /** Maximum number of events per call; the next one ends it. */
  readonly maxEvents: number;
  readonly complete: (draft: EventDraft) => GuardrailsEvent;
  /** Called when an action ends while no call is waiting. */
  readonly onArrival?: (() => void) | undefined;
  /** Receives every event that the engine receives or sends, in order. */
  readonly onEvent?: ((event: GuardrailsEvent) => void) | undefined;
  readonly onRound?: ((round: Round) => void) | undefined;
  /** Receives rejected events. */
  readonly onRefused?: ((event: GuardrailsEvent, reason: string) => void) | undefined;
  /** Receives each event for the application at once; a call returns all of them at its end. */
  readonly onOutput?: ((event: GuardrailsEvent) => void) | undefined;
  /** Awaited whenever only actions are pending. */
  readonly onRest?: (() => Promise<void>) | undefined;
}

/** Result of one call. */
export interface HostBatch {
  /** For the application: requests to perform, and the ends of instant actions. */
  readonly output: readonly GuardrailsEvent[];
  readonly trace: readonly TraceEvent[];
  readonly prints: readonly string[];
  /** Set if the call exceeded its maximum number of events. */
  readonly overflow: LimitError | undefined;
  /** Number of events that the call processed, and those counted before it. */
  readonly counted: number;
}

/** Options of one call. */
interface CallOptions {
  readonly signal: LoopSignal;
  /** True to wait for all local actions; otherwise, ends of asynchronous ones arrive through `onArrival`. */
  readonly blocking: boolean;
  /** Events before the call that count for its maximum. Default: 0 */
  readonly counted?: number;
}

/** Aborts a call: an `AbortSignal`, or a cancellation without one. */
type LoopSignal = AbortSignal | Cancellation;

interface RunningAction {
  readonly action: string;
  readonly local: LocalAction;
}

/**
 * The event loop around an engine: feeds events, feeds back what the engine sends, performs local actions and returns
 * all others. Only the loop has effects.
 *
 * INVARIANT: one call runs at a time, which the owner of the loop ensures.
 */
export class HostLoop {
  readonly engine: EngineConversation;
  readonly #options: HostLoopOptions;
  readonly #running = new Map<string, RunningAction>();
  #arrived: LocalOutcome[] = [];
  #rounds: Round[] = [];
  #failures: unknown[] = [];
  #wake: (() => void) | undefined;

  constructor(options: HostLoopOptions) {
    this.engine = options.engine;
    this.#options = options;
  }

  /** True while local actions run. */
  get isBusy(): boolean {
    return this.#running.size > 0;
  }

  /** Like `isBusy`, but ignores timers, which may run for hours. */
  get isWorking(): boolean {
    for (const { action } of this.#running.values()) if (action !== "TimerBotAction") return true;
    return false;
  }

  /** True if local actions have ended or failed and are yet to be processed. */
  get hasArrivals(): boolean {
    return this.#arrived.length > 0 || this.#failures.length > 0;
  }

  /** True if a timer has rung and is yet to be processed. */
  get hasRung(): boolean {
    return this.#arrived.some(
      ({ events: [end] }) => end?.type === "TimerBotActionFinished" && end["is_success"] === true,
    );
  }

  /**
   * Processes events until nothing is left to do; an empty list starts the story.
   *
   * @param goesOn - true if the events belong to the previous batch, so an ended `main` is not restarted
   * @throws the error of an action that ended the call; the signal's reason on abort
   */
  run(events: readonly GuardrailsEvent[], how: CallOptions & { readonly goesOn?: boolean }): Promise<HostBatch> {
    return this.#run(how.goesOn === true ? undefined : () => this.engine.begin(events), events, how);
  }

  /** Performs a request of the host itself in the same way, without starting the story. */
  perform(first: () => Round, how: CallOptions): Promise<HostBatch> {
    return this.#run(first, [], how);
  }

  /** Resumes an action that ran when a conversation was stored; its start was already reported. */
  adopt(request: GuardrailsEvent): void {
    const action = splitActionEvent(request.type)?.action ?? "";
    const uid = request["action_uid"];
    const local = this.#options.local.launch(request);
    if (local !== undefined && typeof uid === "string") this.#follow(uid, { action, local });
  }

  /** Records a round that an action made outside of the loop; its output is emitted at the end of the action. */
  noteRound(round: Round): void {
    this.#rounds.push(round);
  }

  /** Cancels all running actions; their results are ignored. */
  close(): void {
    for (const { local } of this.#running.values()) local.stop();
    this.#running.clear();
    this.#arrived = [];
    this.#failures = [];
  }

  async #run(
    first: (() => Round) | undefined,
    events: readonly GuardrailsEvent[],
    { signal, blocking, counted = 0 }: CallOptions,
  ): Promise<HostBatch> {
    const batch = new Batch(this.#options, counted);
    signal.throwIfAborted();
    let outsideEvents: ReadonlySet<GuardrailsEvent> | undefined;
    const started = first === undefined ? NO_EVENTS : this.#takeOut(first(), batch);
    let input = joined(joined(started, this.#takeArrivals(batch)), events);
    for (;;) {
      while (input.length > 0) {
        let kept = NO_EVENTS;
        for (const event of input) {
          if (!batch.count(event)) {
            this.close();
            return batch;
          }
          if (this.#running.size > 0 && (outsideEvents ??= new Set(events)).has(event) && this.#isForged(event))
            continue;
          this.#options.onEvent?.(event);
          const taken = this.#takeOut(this.engine.process(event), batch);
          if (taken.length > 0) kept = joined(kept, taken);
        }
        input = joined(kept, this.#takeArrivals(batch));
        // Yields, so that a program that never rests cannot keep the signal from firing.
        if (input.length > 0) await Promise.resolve();
        signal.throwIfAborted();
      }
      const { onRest } = this.#options;
      if (onRest !== undefined) {
        await onRest();
        signal.throwIfAborted();
        input = this.#takeArrivals(batch);
        if (input.length > 0) continue;
      }
      if (!this.#isAwaited(blocking)) return batch;
      if (!this.hasArrivals) await untilAborted(new Promise<void>((resolve) => (this.#wake = resolve)), signal);
      input = this.#takeArrivals(batch);
    }
  }

  /** INVARIANT: only a local action reports its own result, which may be a rail's verdict. */
  #isForged(event: GuardrailsEvent): boolean {
    const uid = event["action_uid"];
    if (typeof uid !== "string" || !this.#running.has(uid) || splitActionEvent(event.type) === undefined) return false;
    const reason = `\`${event.type}\` belongs to an action that runs here, so it cannot come from outside`;
    this.#options.onRefused?.(event, reason);
    return true;
  }

  #isAwaited(blocking: boolean): boolean {
    if (blocking) return this.#running.size > 0;
    for (const { local } of this.#running.values()) if (local.isAsync !== true) return true;
    return false;
  }

  /** Returns the events of a round to feed back. */
  #takeOut(round: Round, batch: Batch): readonly GuardrailsEvent[] {
    this.#options.onRound?.(round);
    batch.note(round);
    if (round.events.length === 0) return NO_EVENTS;
    const kept: GuardrailsEvent[] = [];
    for (const draft of round.events) {
      const event = this.#options.complete(draft);
      kept.push(event);
      const parts = splitActionEvent(event.type);
      const uid = event["action_uid"];
      if (parts?.isRequest !== true || typeof uid !== "string") batch.emit([event]);
      else if (parts.member === "Start") kept.push(...this.#start(parts.action, uid, event, batch));
      else if (parts.member === "Stop" && this.#running.has(uid)) kept.push(...this.#stop(uid));
      else batch.emit([event]);
    }
    return kept;
  }

  #start(action: string, uid: string, request: GuardrailsEvent, batch: Batch): GuardrailsEvent[] {
    const { local, instantActions, complete } = this.#options;
    const launched = local.launch(request);
    if (launched !== undefined) {
      this.#follow(uid, { action, local: launched });
      return (launched.first ?? []).map(complete);
    }
    if (!instantActions.has(action)) {
      batch.emit([request]);
      return [];
    }
    const events = instantEvents(action, request).map(complete);
    batch.emit(events);
    return events;
  }

  #stop(uid: string): GuardrailsEvent[] {
    const running = this.#running.get(uid);
    this.#running.delete(uid);
    if (running === undefined) return [];
    running.local.stop();
    const end = { is_success: false, was_stopped: true, failure_reason: "stopped" };
    return [this.#options.complete({ type: `${running.action}Finished`, action_uid: uid, ...end })];
  }

  #follow(uid: string, running: RunningAction): void {
    this.#running.set(uid, running);
    const settle = (take: () => void): void => {
      // A stopped action has already reported its end.
      if (this.#running.get(uid) !== running) return;
      this.#running.delete(uid);
      take();
      const wake = this.#wake;
      this.#wake = undefined;
      if (wake === undefined) this.#options.onArrival?.();
      else wake();
    };
    running.local.done.then(
      (outcome) => settle(() => this.#arrived.push(outcome)),
      (error: unknown) => settle(() => this.#failures.push(error)),
    );
  }

  #takeArrivals(batch: Batch): readonly GuardrailsEvent[] {
    if (this.#failures.length + this.#arrived.length + this.#rounds.length === 0) return NO_EVENTS;
    const [failure] = this.#failures;
    if (failure !== undefined) {
      this.close();
      throw failure;
    }
    const arrived = this.#arrived;
    this.#arrived = [];
    const made = this.#rounds.splice(0).flatMap((round) => this.#takeOut(round, batch));
    const { complete } = this.#options;
    const ended = arrived.flatMap(({ events, isEmitted, request, error }) => {
      const completed = events.map(complete);
      if (request !== undefined) batch.emit([request]);
      if (isEmitted === true) batch.emit(completed);
      const reported =
        error === undefined ? [] : this.#takeOut(this.engine.reportError(error.type, error.message), batch);
      return [...completed, ...reported];
    });
    return [...made, ...ended];
  }
}

const NO_EVENTS: readonly GuardrailsEvent[] = [];

function joined(first: readonly GuardrailsEvent[], second: readonly GuardrailsEvent[]): readonly GuardrailsEvent[] {
  if (second.length === 0) return first;
  return first.length === 0 ? second : [...first, ...second];
}

/** Returns the events of an action that ends immediately. */
export function instantEvents(action: string, request: GuardrailsEvent): EventDraft[] {
  const uid = request["action_uid"];
  const script = action === "UtteranceBotAction" ? { final_script: request["script"] ?? "" } : {};
  return [
    { type: `${action}Started`, action_uid: uid },
    { type: `${action}Finished`, action_uid: uid, is_success: true, return_value: null, ...script },
  ];
}

class Batch implements HostBatch {
  readonly output: GuardrailsEvent[] = [];
  readonly trace: TraceEvent[] = [];
  readonly prints: string[] = [];
  overflow: LimitError | undefined;
  readonly #maximum: number;
  readonly #onOutput: HostLoopOptions["onOutput"];
  counted: number;

  constructor({ maxEvents, onOutput }: HostLoopOptions, counted: number) {
    this.#maximum = maxEvents;
    this.#onOutput = onOutput;
    this.counted = counted;
  }

  emit(events: readonly GuardrailsEvent[]): void {
    for (const event of events) {
      this.output.push(event);
      this.#onOutput?.(event);
    }
  }

  note({ trace, prints }: Round): void {
    for (const entry of trace) this.trace.push(entry);
    for (const text of prints) this.prints.push(text);
  }

  /** Returns false once the limit is exceeded. */
  count({ type }: GuardrailsEvent): boolean {
    this.counted += 1;
    if (this.counted <= this.#maximum) return true;
    const message = `expected at most ${this.#maximum} events per call, exceeded at \`${type}\``;
    this.overflow = new LimitError(message, { limit: "events_per_turn", maximum: this.#maximum });
    return false;
  }
}

/** Returns the events that inform flows of what the rails emitted. */
export function outcomeEvents(services: Colang2Services, { entries, blocked }: StageOutcome): EventDraft[] {
  return fedEvents(entries).flatMap((draft): EventDraft[] => {
    if (draft.type !== "StartUtteranceBotAction") return [draft];
    // The runtime emits the message of a failed rail.
    return blocked ? instantEvents("UtteranceBotAction", { ...draft, action_uid: services.events.ids.next() }) : [];
  });
}
