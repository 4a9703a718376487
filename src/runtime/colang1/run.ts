import { LIBRARY_SOURCES } from "../../library/assets.js";
import { LIBRARY_RAILS } from "../../library/manifest.js";
import { fileName1 } from "../../library/written-flows.js";
import { PIPELINE_SOURCES } from "./assets.js";
import type { Colang1State } from "../../colang1/engine/state.js";
import type { GuardrailsEvent, EventFactory, IdSource } from "../../engine/events.js";
import type { MaybePromise, Cancellation } from "../../engine/async.js";
import type { Entry } from "../../turn/decision.js";
import type { ActionRun, HostServices } from "../action-context.js";
import type { Colang1Program, CompiledFlow } from "../../colang1/elements.js";
import type { GenerationServices } from "./generation/services.js";
import type { Turn } from "../../turn/turn.js";
import type { MergedSlot } from "./generation/merged-call.js";

/**
 * Performs the action requested by a `StartInternalSystemAction`; passed down so that rails can run their own loops.
 */
export type Perform = (services: RuntimeServices, run: Run, request: GuardrailsEvent) => MaybePromise<readonly Entry[]>;

/**
 * One run of the engine: the conversation itself, or a rail with its own state. INVARIANT: rails and conversation never
 * see each other's instances.
 */
export class Run implements ActingRun {
  readonly turn: Turn;
  readonly scope: "conversation" | "rail";
  readonly rail: ActionRun["rail"];
  readonly config: ActionRun["config"];
  readonly cancellation: Cancellation;
  readonly past: ActionRun["past"];
  readonly pastMessages: ActionRun["pastMessages"];
  readonly events: GuardrailsEvent[] = [];
  readonly perform: Perform;
  state: Colang1State;
  stopped = false;
  failed = false;
  exception: GuardrailsEvent | undefined;

  constructor(made: Omit<ActingRun, "events" | "context"> & Pick<Run, "scope" | "perform" | "turn">) {
    this.turn = made.turn;
    this.scope = made.scope;
    this.rail = made.rail;
    this.config = made.config;
    this.cancellation = made.cancellation;
    this.past = made.past;
    this.pastMessages = made.pastMessages;
    this.perform = made.perform;
    this.state = made.state;
  }

  get context(): Colang1State["context"] {
    return this.state.context;
  }
}

/** A run as its actions see it. */
export interface ActingRun extends ActionRun {
  readonly context: Colang1State["context"];
  readonly state: Colang1State;
}

/** Starts a run of the conversation itself. */
export function conversationRun(
  turn: Turn,
  state: Colang1State,
  { past, perform }: Pick<Run, "past" | "perform">,
): Run {
  const { cancellation, config = {} } = turn;
  return new Run({ turn, scope: "conversation", rail: undefined, state, past, config, cancellation, perform });
}

/** Dependencies of the Colang 1.0 host. */
export interface RuntimeServices extends HostServices {
  readonly program: Colang1Program;
  /** Flows of the program, by id. */
  readonly flows: ReadonlyMap<string, CompiledFlow>;
  readonly generation: GenerationServices;
  /** Loads the parts needed for turns with user messages; absent if there are none. */
  readonly prepareDialog?: (() => MaybePromise<unknown>) | undefined;
  readonly ids: IdSource;
  readonly createEvent: EventFactory;
  /** True if no flow waits for an event of rails that only run actions, so such rails need no engine. */
  readonly isQuiet: boolean;
  /** True if turns only run rails, so turns whose rails all pass need no engine. */
  readonly isRailsOnly: boolean;
}

/** The pipeline's own action that runs the rails of a stage; part of the loop, so it cannot be replaced. */
export const RUN_RAILS = "run_rails";

/** Pipeline actions between an intent and the bot's text. */
export const BETWEEN_INTENT_AND_WORDS: ReadonlySet<string> = new Set([
  "generate_next_step",
  "generate_next_steps",
  "retrieve_relevant_chunks",
  "generate_bot_message",
  RUN_RAILS,
]);

const OUR_FILES: ReadonlySet<string> = new Set([
  ...[...PIPELINE_SOURCES, ...LIBRARY_SOURCES].map(({ name }) => name),
  ...LIBRARY_RAILS.map(fileName1),
]);

/** Returns true for a pipeline or library flow that the configuration has not replaced. */
export function isOurFlow(flow: CompiledFlow | undefined): boolean {
  return flow !== undefined && OUR_FILES.has(flow.location.file);
}

/** An utterance with this text retracts the one before it. */
export const REMOVE_LAST = "(remove last message)";

/** Returns the bot utterances in order; none if an exception ended the turn. */
export function collectUtterances(events: readonly GuardrailsEvent[]): string[] {
  const utterances: string[] = [];
  for (const { type, script } of events) {
    if (type.endsWith("Exception")) return [];
    if (type !== "StartUtteranceBotAction") continue;
    const text = typeof script === "string" ? script : String(script ?? "");
    if (text === REMOVE_LAST) utterances.pop();
    else utterances.push(text);
  }
  return utterances;
}

/** Returns the last exception event, which the caller receives. */
export function findException(events: readonly GuardrailsEvent[]): GuardrailsEvent | undefined {
  for (let index = events.length - 1; index >= 0; index -= 1) {
    if (events[index]?.type.endsWith("Exception")) return events[index];
  }
  return undefined;
}

/** The model call shared by the dialog stages of a turn; it ends with the turn. */
export function mergedSlotOf(turn: Turn): MergedSlot {
  const known = openedSlotOf(turn);
  if (known !== undefined) return known;
  const slot = new SharedCall(turn.cancellation);
  turn.slot = slot;
  turn.atEnd(() => slot.call?.cancelRest());
  return slot;
}

/** Returns the shared call of a turn, if a stage has requested it. */
export function openedSlotOf({ slot }: Turn): MergedSlot | undefined {
  return slot instanceof SharedCall ? slot : undefined;
}

/** Creates the signal on first read. */
class SharedCall implements MergedSlot {
  call: MergedSlot["call"];
  retrieved: MergedSlot["retrieved"];
  isUnreadable = false;
  readonly #cancellation: Cancellation;

  constructor(cancellation: Cancellation) {
    this.#cancellation = cancellation;
  }

  get signal(): AbortSignal {
    return this.#cancellation.signal;
  }
}
