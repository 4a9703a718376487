import { toOutside } from "../../../colang2/engine/values/plain-values.js";
import type { FlowExplanation, TraceEvent } from "../../../engine/explain.js";
import type { EventDraft, GuardrailsEvent } from "../../../engine/events.js";
import { Cancellation } from "../../../engine/async.js";
import {
  assignContext,
  readMessages,
  appendTurn,
  type History,
  historyEvents as storedEvents,
} from "../../../turn/conversation.js";
import type { DroppedEvent, EventSession, SessionOptions } from "../../event-session.js";
import { reportProblem } from "../../../turn/problem-log.js";
import { Turn } from "../../../turn/turn.js";
import {
  admitEvent,
  completeEvent,
  judgedVariable,
  conversationRun,
  historyEvents,
  type Colang2Run,
  type Colang2Services,
  judgeInput,
} from "../run.js";
import { EventQueue } from "./event-queue.js";
import { explainColang2Flow, hiddenTextsOf } from "../build-result.js";
import { type HostLoop, outcomeEvents } from "../host-loop.js";
import { withTimers, SessionTimers } from "./session-timers.js";
import { judgeConcurrently, type JudgedText } from "../input-stage.js";
import { OwnRails } from "../output-stage.js";
import {
  localActions,
  openLoop,
  openColang2Conversation,
  storeColang2Conversation,
  MAX_TURNS,
} from "../stored-conversation.js";

/** Maximum number of queued events; further ones are dropped. */
const MAX_INBOX = 10_000;

/** Minimum number of explainable steps; older ones are dropped in batches, since that moves all the others. */
const MIN_TRACE = 5000;

/** Fields with the user's text. */
const TRANSCRIPT_FIELDS: ReadonlyMap<string, string> = new Map([
  ["UtteranceUserActionFinished", "final_transcript"],
  ["UtteranceUserActionTranscriptUpdated", "interim_transcript"],
]);

/** Returns where a flow of the configuration took the latest of such steps, itself or through others. */
function placeOfStep(trace: readonly TraceEvent[], step: string): string | undefined {
  const taken = trace.findLast((event) => event.type === "decided" && event.winner.step.split(", ").includes(step));
  if (taken?.type !== "decided") return undefined;
  const { location, callerPlaces = [] } = taken.winner;
  const place = [location, ...callerPlaces].find((candidate) => candidate?.file.endsWith(".co"));
  return place && `${place.file}:${place.line}:${place.column}`;
}

/**
 * A conversation event by event. Every event is a separate turn for decisions; events and model calls are counted from the last
 * event from outside or the last timer.
 *
 * INVARIANT: user text passes the listed input rails before any flow receives it, also in pieces.
 */
export class Colang2Session implements EventSession {
  readonly #services: Colang2Services;
  readonly #options: SessionOptions;
  readonly #queue: EventQueue<GuardrailsEvent>;
  readonly #cancellation: Cancellation;
  readonly #run: Colang2Run & { turn: Turn; events: GuardrailsEvent[] };
  readonly #loop: HostLoop;
  readonly #own: OwnRails;
  readonly #inbox: GuardrailsEvent[] = [];
  readonly #trace: TraceEvent[] = [];
  readonly #waiting: (() => void)[] = [];
  readonly #turns = new Set<Turn>();
  readonly #timers = new SessionTimers();
  #history: History;
  #working: Promise<void> | undefined;
  #hasStarted: boolean;
  #isClosed = false;
  /** Events since the last event from outside or the last timer. */
  #counted = 0;

  constructor(services: Colang2Services, options: SessionOptions = {}) {
    this.#services = services;
    this.#options = options;
    this.#queue = new EventQueue({
      onReturn: () => this.close(),
      onAwaited: (isAwaited) => this.#timers.setAwaited(isAwaited),
    });
    this.#cancellation = Cancellation.following(options.signal);
    const context: Record<string, unknown> = {};
    assignContext(context, options.context);
    const input = readMessages([]);
    const { engine, history } = openColang2Conversation(services, options.state, { input, context });
    this.#history = history;
    this.#hasStarted = engine.state.data.hasBegun;
    this.#run = {
      ...conversationRun(this.#newTurn([]), engine, () => storedEvents(this.#history)),
      cancellation: this.#cancellation,
    };
    this.#own = new OwnRails(services, this.#run);
    const { instantActions } = options;
    this.#loop = openLoop(services, this.#run, {
      local: withTimers(localActions(services, this.#run), {
        startTimer: options.startTimer ?? this.#timers.start,
        onFailure: (cause) => {
          const { code, message: why, action } = cause;
          const place = placeOfStep(this.#trace, `Start${action}`);
          const message = place === undefined ? why : `${why} (${place})`;
          reportProblem(services, this.#run.turn, { code, message, action, cause }, { place });
        },
      }),
      instantActions: instantActions === undefined ? services.instantActions : new Set(instantActions),
      onRound: ({ trace }) => this.#note(trace),
      onRefused: (event, reason) => this.#drop(event, reason),
      onOutput: (event) => this.#queue.push(event),
      onArrival: () => {
        this.#work();
        this.#wake();
      },
    });
    this.#cancellation.onAbort(this.#onAbort);
    if (this.#cancellation.aborted) this.#onAbort();
    this.#resume();
    this.#work();
  }

  send(event: unknown): void {
    if (this.#isClosed) return this.#drop(event, "the session is closed");
    if (this.#inbox.length >= MAX_INBOX) return this.#drop(event, `${MAX_INBOX} events wait already`);
    try {
      this.#inbox.push(admitEvent(event, this.#services.events));
    } catch (error) {
      return this.#drop(event, error instanceof Error ? error.message : String(error));
    }
    this.#work();
  }

  async settled(): Promise<void> {
    for (;;) {
      if (this.#working !== undefined) await this.#working;
      else if (this.#isClosed || !this.#loop.isWorking) return;
      else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  async state(): Promise<unknown> {
    await this.settled();
    const { engine, turn } = this.#run;
    const hidden = hiddenTextsOf(turn, this.#own.blocked, []);
    return storeColang2Conversation(this.#services, engine, this.#history, { hidden });
  }

  why(flow: string): FlowExplanation {
    const { decisions } = this.#run.turn;
    return explainColang2Flow(this.#services, this.#run, { trace: this.#trace, decisions }, flow);
  }

  close(): void {
    this.#shut(undefined);
  }

  [Symbol.asyncIterator](): AsyncIterator<GuardrailsEvent> {
    return this.#queue;
  }

  readonly #onAbort = (): void => this.#shut({ error: this.#cancellation.reason });

  #shut(failure: { readonly error: unknown } | undefined): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#inbox.length = 0;
    this.#loop.close();
    this.#closeTurns();
    this.#cancellation.abort(new DOMException("the session is closed", "AbortError"));
    this.#cancellation.release();
    this.#queue.end(failure);
    this.#wake();
  }

  /** A failing listener has no effect. */
  #drop(event: unknown, message: string): void {
    const dropped: DroppedEvent = { event, message };
    try {
      this.#options.onDropped?.(dropped);
    } catch {
      // An error of a listener for dropped events does not end the conversation.
    }
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #note(trace: readonly TraceEvent[]): void {
    this.#own.note(trace);
    for (const step of trace) this.#trace.push(step);
    if (this.#trace.length > 2 * MIN_TRACE) this.#trace.splice(0, this.#trace.length - MIN_TRACE);
  }

  /** Processes events one by one. */
  #work(): void {
    if (this.#working !== undefined || this.#isClosed) return;
    this.#working = this.#workOff().then(
      () => this.#rest(),
      (error: unknown) => {
        this.#working = undefined;
        this.#shut({ error });
      },
    );
  }

  #rest(): void {
    this.#working = undefined;
    if (this.#inbox.length > 0 || this.#loop.hasArrivals) this.#work();
  }

  async #workOff(): Promise<void> {
    while (!this.#isClosed && (!this.#hasStarted || this.#inbox.length > 0 || this.#loop.hasArrivals)) {
      const event = this.#inbox.shift();
      const name = event === undefined || !this.#loop.isWorking ? undefined : judgedVariable(event);
      if (name !== undefined) {
        this.#drop(event, `\`${name}\` cannot be set while rails may be looking at it`);
        continue;
      }
      await this.#take(event);
    }
  }

  async #take(event: GuardrailsEvent | undefined): Promise<void> {
    const field = event === undefined ? undefined : TRANSCRIPT_FIELDS.get(event.type);
    const text = event === undefined || field === undefined ? undefined : event[field];
    const { counts, speculation } = this.#run.turn;
    this.#run.turn = this.#newTurn(typeof text === "string" ? [text] : []);
    // The end of an action belongs to the event that led to it, so that a flow cannot run actions endlessly.
    const continues = event === undefined && !this.#loop.hasRung;
    if (continues) this.#run.turn.recount({ ...counts, events: 0 });
    else this.#counted = 0;
    // Until the user says something else, the conversation continues with its speculative calls.
    if (typeof text !== "string") this.#run.turn.speculation = speculation;
    this.#run.events.length = 0;
    const isUtterance = event !== undefined && field !== undefined && typeof text === "string";
    const events = isUtterance ? await this.#review(event, field, text) : event === undefined ? [] : [event];
    if (events !== undefined) await this.#feed(events);
    this.#remember();
  }

  /** Returns the event as the input rails left it, with their variables; undefined if they blocked it. */
  async #review(event: GuardrailsEvent, field: string, text: string): Promise<readonly GuardrailsEvent[] | undefined> {
    const next: JudgedText["next"] = (passed, updates) => [
      { type: "ContextUpdate", data: { ...updates, user_message: passed } },
      { ...event, [field]: passed },
    ];
    // A partial utterance requests no response.
    const judge = event.type.endsWith("Finished")
      ? judgeConcurrently(this.#services, this.#run, { text, next })
      : judgeInput(this.#services, this.#run, text);
    const outcome = await judge;
    const emitted = outcomeEvents(this.#services, outcome).map((draft) => this.#complete(draft));
    // A batch without events would begin an ended `main`, and the utterance would begin it once more.
    if (emitted.length > 0 || outcome.blocked) await this.#feed(emitted);
    if (!outcome.blocked) {
      const passed = this.#run.turn.userTexts.at(-1) ?? text;
      return next(passed, outcome.contextUpdates ?? {}).map((draft) => this.#complete(draft));
    }
    for (const said of this.#run.events) if (said.type.startsWith("UtteranceBotAction")) this.#queue.push(said);
    return undefined;
  }

  async #feed(events: readonly GuardrailsEvent[]): Promise<void> {
    const how = { signal: this.#cancellation, blocking: false, counted: this.#counted };
    this.#hasStarted = true;
    const { overflow, counted } = await this.#loop.run(events, how);
    this.#counted = counted;
    if (overflow !== undefined) throw overflow;
  }

  #remember(): void {
    this.#history = appendTurn(this.#history, historyEvents(this.#run.events), MAX_TURNS);
    this.#turns.add(this.#run.turn);
    this.#closeTurns();
  }

  /** Closes finished turns. Speculative calls may be taken over while actions of the turn run. */
  #closeTurns(): void {
    if (this.#loop.isWorking) return;
    for (const turn of this.#turns) turn.close();
    this.#turns.clear();
    // A passed text that was not emitted may be emitted by a later turn, and passes its rails again.
    this.#run.released.clear();
  }

  #complete(draft: EventDraft): GuardrailsEvent {
    return completeEvent(draft, this.#services.events);
  }

  #newTurn(userTexts: readonly string[]): Turn {
    const { limits, clock, onDecision, tracer } = this.#services;
    return new Turn({ options: {}, limits, clock, userTexts, onDecision, tracer });
  }

  /** Restarts timers of an earlier session; all other actions are reported as lost. */
  #resume(): void {
    const { engine } = this.#run;
    for (const { name, uid, startArguments, isOwn, status } of engine.state.index.actions.values()) {
      if (!isOwn || (status !== "starting" && status !== "started")) continue;
      const payload = Object.fromEntries(
        Object.entries(startArguments).map(([key, value]) => [key, toOutside(value)] as const),
      );
      const request = this.#complete({ type: `Start${name}`, action_uid: uid, ...payload });
      if (name === "TimerBotAction") this.#loop.adopt(request);
      else if (this.#services.registry.resolve(name).found) {
        const end = { is_success: false, was_stopped: true, failure_reason: "lost" };
        this.#inbox.push(this.#complete({ type: `${name}Finished`, action_uid: uid, ...end }));
      }
    }
  }
}
