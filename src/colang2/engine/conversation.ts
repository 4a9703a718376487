import { InputShapeError } from "../../diagnostics/errors.js";
import type { EventDraft, GuardrailsEvent } from "../../engine/events.js";
import { WorkMeter } from "../../engine/limits.js";
import type { TraceEvent } from "../../engine/explain.js";
import { createMap } from "../../expressions/values/value.js";
import { MAX_EVENT_NAME, splitActionEvent, isInternalEvent } from "../event-names.js";
import type { CompiledFlow, Colang2Program } from "../program.js";
import { fromOutside, plainGlobals, plainOrNull, tableFromOutside } from "./values/plain-values.js";
import { endActivation, endFlow, restartDormant } from "./flows/lifecycle.js";
import { externalEvent, tableOf } from "./state/event.js";
import { expectInstance } from "./flows/start-flow.js";
import { DEFAULT_ENGINE2_LIMITS, type Engine2Limits } from "./limits.js";
import { keepLog, internalEvent, queueError, flowEvent } from "./dispatch/queue.js";
import { runRound } from "./dispatch/round.js";
import { StateIndex } from "./state/indexes.js";
import type { EngineEvent, FlowInstance, FlowTarget, HistoryEntry } from "./state/records.js";
import { ComparedRecords } from "./state/stored/compared-records.js";
import {
  changeDefinitions,
  createRound,
  definitionsOf,
  isLive,
  nextUid,
  targetOf,
  type EngineOptions,
  type EngineState,
} from "./state/state.js";

export interface ConversationOptions extends Partial<Omit<EngineOptions, "limits">> {
  readonly limits?: Partial<Engine2Limits>;
  /** Start of the random numbers; the same seed gives the same conversation. */
  readonly seed?: number;
  /** Goes in front of every identifier; two conversations that meet the same action server need different ones. */
  readonly prefix?: string;
  readonly context?: Readonly<Record<string, unknown>>;
}

/** Result of one event. */
export interface Round {
  /** In the order they were sent; the host completes them and feeds them back. */
  readonly events: readonly EventDraft[];
  readonly trace: readonly TraceEvent[];
  /** Of `print` statements. */
  readonly prints: readonly string[];
}

/** A flow that the host started, with its outcome. */
export interface HostedFlow {
  readonly uid: string;
  /** `failed` also when it could not be started. */
  readonly status: "running" | "finished" | "failed";
  /** Why it failed, for logs. */
  readonly reason: string | undefined;
}

/** A conversation before its first event. Flows that the program lacks are reported when they are started. */
export function createEngineState(program: Colang2Program, options: ConversationOptions = {}): EngineState {
  const { conflictPolicy = "all", neutralActions = new Set() } = options;
  const limits = { ...DEFAULT_ENGINE2_LIMITS, ...options.limits };
  const state: EngineState = {
    options: { limits, conflictPolicy, neutralActions },
    definitions: definitionsOf(program),
    program,
    data: {
      prefix: options.prefix ?? "c",
      ids: 0,
      orders: 0,
      random: (options.seed ?? 0) >>> 0,
      hasBegun: false,
      mainFailed: undefined,
      globals: createMap(),
      flows: new Map(),
      ended: new Map(),
      activations: new Map(),
      actions: new Map(),
      addedFlows: new Map(),
      removedFlows: new Set(),
      history: [],
    },
    index: new StateIndex(),
    round: createRound(),
    work: new WorkMeter(limits.workPerEvent),
    written: recordsOf(options.prefix ?? "c"),
  };
  const { context = {} } = options;
  for (const name of Object.keys(context)) state.data.globals[name] = fromOutside(context[name]);
  return state;
}

/** Returns what makes the records on first use: a conversation that is not stored needs none. */
function recordsOf(prefix: string): EngineState["written"] {
  let records: ComparedRecords | undefined;
  return () => (records ??= new ComparedRecords(prefix));
}

/**
 * A conversation with a Colang 2.x program. It is synchronous and knows neither clock nor
 * network: events go in, events come out, and the same events with the same seed give the same conversation.
 *
 * @example
 * ```ts
 * const conversation = new EngineConversation(program, { seed: 7 });
 * conversation.begin(); // the story begins before the first event
 * conversation.process({ type: "Knock", times: 2 }).events; // [{ type: "DoorOpened", by: "bot" }]
 * ```
 */
export class EngineConversation {
  #state: EngineState | (() => EngineState);

  constructor(program: Colang2Program, options?: ConversationOptions);
  constructor(state: EngineState);
  constructor(source: Colang2Program | EngineState, options?: ConversationOptions) {
    this.#state = "dialect" in source ? createEngineState(source, options) : source;
  }

  get state(): EngineState {
    const state = this.#state;
    return typeof state === "function" ? (this.#state = state()) : state;
  }

  /**
   * Releases the state, which goes on in another conversation.
   *
   * INVARIANT: whatever still uses this conversation, such as an action that ends late, reads and changes a copy.
   *
   * @param restore - reads the state as it is now, from where it was stored
   */
  release(restore: () => EngineState): EngineState {
    const { state } = this;
    this.#state = restore;
    return state;
  }

  /**
   * Prepares for a batch of events: starts the active flows the first time, tries activated flows again that failed at once,
   * and starts `main` whenever it does not live, with an empty variable table.
   *
   * @param events - the batch. What the front end reports of the bot's own actions starts no `main` that has failed: if it fails
   * after it has requested an action, it would begin anew with every report, and never stop
   */
  begin(events: readonly GuardrailsEvent[] = []): Round {
    const { state } = this;
    const rounds: Round[] = [];
    if (!state.data.hasBegun) {
      state.data.hasBegun = true;
      for (const flow of state.program.activeFlows) rounds.push(this.#startFlow(flow, { activate: true }).round);
    }
    if (state.index.dormant.size > 0) rounds.push(this.#run(undefined, () => restartDormant(state)));
    const isEcho = state.data.mainFailed === true && isAboutOwnActions(state, events);
    if (state.index.main === undefined && state.definitions.has("main") && !isEcho) {
      state.data.mainFailed = undefined;
      rounds.push(this.#startFlow("main", {}).round);
    }
    const [only] = rounds;
    if (rounds.length <= 1) return only ?? NO_ROUND;
    return {
      events: rounds.flatMap((round) => round.events),
      trace: rounds.flatMap((round) => round.trace),
      prints: rounds.flatMap((round) => round.prints),
    };
  }

  /**
   * Processes one event of the world.
   *
   * @throws InputShapeError for an event that may not come from outside
   */
  process(event: GuardrailsEvent): Round {
    return this.#run(readExternal(this.state, event));
  }

  /**
   * Starts a flow for the host itself, in addition to `main` or instead of it: a rail, or a flow that is run on its own. No
   * other flow is started.
   */
  start(flow: string, parameters: Readonly<Record<string, unknown>> = {}): { round: Round; flow: () => HostedFlow } {
    const { round, target } = this.#startFlow(flow, { parameters });
    // The record is kept here, for the state forgets an ended flow that nothing refers to.
    const instance = targetOf(this.state, target);
    return { round, flow: () => hostedFlow(target.uid, instance) };
  }

  /** Reports a problem of the host to the flows: a `ColangError` of this type. */
  reportError(type: string, message: string): Round {
    return this.#run(undefined, () => queueError(this.state, type, message, { flow: "" }));
  }

  /** Lets a flow finish as if the event it waits for had come, where the host knows of it from elsewhere. */
  finishFlow(flow: string): Round {
    return this.#run(internalEvent(this.state, "FinishFlow", { fields: tableOf({ flow_id: flow }) }));
  }

  /** Adds log events to the history of prompts; flows do not receive them. */
  remember(entries: readonly HistoryEntry[]): void {
    for (const entry of entries) keepLog(this.state, entry);
  }

  /** Values of global variables, as JSON can carry them; null for one that flows have made too deep, or contain itself. */
  get globals(): Readonly<Record<string, unknown>> {
    return plainGlobals(this.state);
  }

  /** The value of one global variable, as it is in `globals`; undefined if there is none. */
  global(name: string): unknown {
    const value = this.state.data.globals[name];
    return value === undefined ? undefined : plainOrNull(value);
  }

  /** Adds flows while the conversation runs; names that are known already are skipped. */
  addFlows(flows: readonly CompiledFlow[], source: string): string[] {
    const added: string[] = [];
    for (const flow of flows) {
      if (this.state.definitions.has(flow.id)) continue;
      changeDefinitions(this.state).set(flow.id, flow);
      this.state.data.addedFlows.set(flow.id, source);
      added.push(flow.id);
    }
    return added;
  }

  /** Ends what lives of these flows and forgets their definitions. */
  removeFlows(ids: readonly string[]): Round {
    const { state } = this;
    return this.#run(undefined, () => {
      for (const id of ids) {
        const outcome = { kind: "failed", reason: "removed" } as const;
        for (const activation of state.index.activations.get(id)) endActivation(state, activation, outcome);
        for (const instance of state.index.byFlow.get(id)) endFlow(state, instance, outcome);
        const isOfProgram = changeDefinitions(state).delete(id) && !state.data.addedFlows.delete(id);
        if (isOfProgram) state.data.removedFlows.add(id);
      }
    });
  }

  /** The log events so far, for prompts. */
  get history(): readonly HistoryEntry[] {
    return this.state.data.history;
  }

  #startFlow(
    flowId: string,
    how: { readonly activate?: true; readonly parameters?: Readonly<Record<string, unknown>> },
  ): { readonly round: Round; readonly target: FlowTarget } {
    const { state } = this;
    const target = expectInstance(state, flowId);
    const origin = { source: undefined, address: 0, target };
    const payload = tableFromOutside(how.parameters ?? {});
    const fields = how.activate ? { activate: true } : undefined;
    const parts = { flow: target, parent: undefined, fields, payload, origin };
    const round = this.#run(flowEvent(state, "StartFlow", parts));
    return { round, target };
  }

  #run(event: EngineEvent | undefined, prepare?: () => void): Round {
    const { state } = this;
    runRound(state, event, prepare);
    const { outgoing, trace, prints } = state.round;
    return { events: outgoing, trace, prints };
  }
}

/** Returns true if there are events and all are about actions of the bot. */
function isAboutOwnActions({ index }: EngineState, events: readonly GuardrailsEvent[]): boolean {
  const isOwn = ({ type, action_uid: uid }: GuardrailsEvent): boolean =>
    typeof uid === "string" && splitActionEvent(type) !== undefined && index.actions.get(uid)?.isOwn === true;
  return events.length > 0 && events.every(isOwn);
}

const NO_ROUND: Round = { events: [], trace: [], prints: [] };

function hostedFlow(uid: string, instance: FlowInstance | undefined): HostedFlow {
  if (instance === undefined) return { uid, status: "failed", reason: "it could not be started" };
  const status = instance.status === "finished" ? "finished" : isLive(instance) ? "running" : "failed";
  return { uid, status, reason: instance.failReason };
}

function readExternal(state: EngineState, event: GuardrailsEvent): EngineEvent {
  const { type } = event;
  if (typeof type !== "string" || type === "") throw new InputShapeError("an event needs a `type` that is a text");
  if (isInternalEvent(type)) {
    throw new InputShapeError(`\`${type}\` is an event of the engine itself and cannot come from outside`);
  }
  if (type.length > MAX_EVENT_NAME)
    throw new InputShapeError(`an event has a \`type\` of at most ${MAX_EVENT_NAME} characters`);
  const uid = event["action_uid"];
  if (uid !== undefined && typeof uid !== "string" && splitActionEvent(type) !== undefined) {
    throw new InputShapeError(`\`action_uid\` of \`${type}\` must be a text`);
  }
  return externalEvent(tableFromOutside(event), nextUid(state));
}
