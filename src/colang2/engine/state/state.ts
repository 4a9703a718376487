import type { EventDraft } from "../../../engine/events.js";
import type { WorkMeter } from "../../../engine/limits.js";
import type { TraceEvent } from "../../../engine/explain.js";
import type { Value } from "../../../expressions/values/value.js";
import type { CompiledFlow, Colang2Program } from "../../program.js";
import type { Engine2Limits } from "../limits.js";
import type { StateIndex } from "./indexes.js";
import type { WrittenRecords } from "./stored/row.js";
import type {
  ActionRecord,
  ConversationData,
  EngineEvent,
  FlowInstance,
  FlowTarget,
  Head,
  PlacedHead,
} from "./records.js";
import type { ElementPlace } from "../../elements.js";

export interface EngineOptions {
  readonly limits: Engine2Limits;
  /** `modality`: only actions of one modality compete. Default: all compete. */
  readonly conflictPolicy: "all" | "modality";
  /** Action types that never compete with others; must be constant per name. */
  readonly neutralActions: { has(name: string): boolean };
}

/** A conversation in progress, mutated in place. */
export interface EngineState {
  readonly options: EngineOptions;
  /** Flows of the program, shared by conversations; `changeDefinitions` copies them. */
  definitions: ReadonlyMap<string, CompiledFlow>;
  readonly program: Colang2Program;
  readonly data: ConversationData;
  /** Derived from `data`. */
  readonly index: StateIndex;
  readonly round: RoundData;
  /** Steps spent on the current event. */
  readonly work: WorkMeter;
  /** Records as they were stored last, made when the state is stored or read first. */
  readonly written: () => WrittenRecords;
}

/** Data that is only used within a round. */
interface RoundData {
  readonly queue: EngineEvent[];
  /** Identifiers of instances to be created. */
  readonly expected: Set<string>;
  /** Scores of heads, by number. */
  readonly scores: Map<number, readonly number[]>;
  /** Scores of the branches of a fork at the end of their start phase, by the number of its head. */
  readonly startScores: Map<number, (readonly number[])[]>;
  /** Instances created in this round and moved only by the ends of their own flows, which ended at once. */
  readonly unmoved: Set<string>;
  /** Instances that failed because they, or flows they waited for, lost a conflict of this round. */
  readonly losers: Set<string>;
  /** Ended flows and actions that were reachable at the last check. Outlasts the round. */
  kept: number;
  /** Restarts, by activation. */
  readonly restarts: Map<number, number>;
  /** Sent events, copied at that moment, since a program may mutate its values later. */
  outgoing: EventDraft[];
  trace: TraceEvent[];
  prints: string[];
}

/** The flows of each program, by name. */
const FLOWS = new WeakMap<Colang2Program, ReadonlyMap<string, CompiledFlow>>();

/** Returns the flows of a program by name. All conversations start with the same table, since every rail starts one. */
export function definitionsOf(program: Colang2Program): ReadonlyMap<string, CompiledFlow> {
  let flows = FLOWS.get(program);
  if (flows === undefined) FLOWS.set(program, (flows = new Map(program.flows.map((flow) => [flow.id, flow]))));
  return flows;
}

/** Returns the mutable flows of a conversation, copied at the first change. */
export function changeDefinitions(state: EngineState): Map<string, CompiledFlow> {
  if (state.definitions === FLOWS.get(state.program)) state.definitions = new Map(state.definitions);
  return state.definitions as Map<string, CompiledFlow>;
}

/** Creates the working data of one event, which are not part of the stored state. */
export function createRound(): RoundData {
  return {
    queue: [],
    expected: new Set(),
    scores: new Map(),
    startScores: new Map(),
    unmoved: new Set(),
    losers: new Set(),
    kept: 0,
    restarts: new Map(),
    outgoing: [],
    trace: [],
    prints: [],
  };
}

/** Empties the working data for the next event. */
export function beginRound({ round, work }: EngineState): void {
  // Clearing allocates a new table, even for an empty one.
  if (round.queue.length > 0) round.queue.length = 0;
  if (round.scores.size > 0) round.scores.clear();
  if (round.startScores.size > 0) round.startScores.clear();
  if (round.unmoved.size > 0) round.unmoved.clear();
  if (round.losers.size > 0) round.losers.clear();
  if (round.restarts.size > 0) round.restarts.clear();
  round.outgoing = [];
  round.trace = [];
  round.prints = [];
  work.reset();
}

/** Returns true for an instance that has not ended and is not about to. */
export function isLive({ status }: FlowInstance): boolean {
  return status !== "stopped" && status !== "finished" && status !== "stopping";
}

/** Returns true if it waits, starts or has started, and so takes part in the conversation. */
export function isListening({ status }: FlowInstance): boolean {
  return status === "waiting" || status === "starting" || status === "started";
}

export function nextUid({ data }: EngineState): string {
  data.ids += 1;
  return `${data.prefix}-${data.ids.toString(36)}`;
}

export function nextOrder({ data }: EngineState): number {
  data.orders += 1;
  return data.orders;
}

/** Returns the instance with this identifier, live or ended. */
export function findFlow({ data }: EngineState, uid: string | undefined): FlowInstance | undefined {
  return uid === undefined ? undefined : (data.flows.get(uid) ?? data.ended.get(uid));
}

/** Returns the instance of a target; undefined until it exists. */
export function targetOf(state: EngineState, target: FlowTarget): FlowInstance | undefined {
  return findFlow(state, target.instance ?? target.uid);
}

/** Returns the instance of a head; ended instances have no heads. */
export function instanceOf({ data }: EngineState, { flow }: Head): FlowInstance {
  const instance = data.flows.get(flow) ?? data.ended.get(flow);
  if (instance === undefined) throw new RangeError(`flow ${flow} is unknown`);
  return instance;
}

/**
 * The instance that started another one.
 *
 * INVARIANT: parents are older, so following them ends.
 */
export function parentOf(state: EngineState, instance: FlowInstance): FlowInstance | undefined {
  const { parent } = instance;
  return parent === undefined ? undefined : (state.data.flows.get(parent) ?? state.data.ended.get(parent));
}

/** Returns the instance and its ancestors, nearest first. */
export function* ancestry(state: EngineState, instance: FlowInstance): Iterable<FlowInstance> {
  for (let at: FlowInstance | undefined = instance; at !== undefined; at = parentOf(state, at)) yield at;
}

/** Returns true if `inner` is `outer`, or was started below it. */
export function isAround(state: EngineState, outer: FlowInstance, inner: FlowInstance): boolean {
  for (let at: FlowInstance | undefined = inner; at !== undefined; at = parentOf(state, at)) {
    if (at === outer) return true;
  }
  return false;
}

/** Returns the flow of an instance. A flow may be removed while variables refer to its ended instances. */
export function definitionOf(state: EngineState, { flow }: FlowInstance): CompiledFlow {
  return state.definitions.get(flow) ?? { ...REMOVED_FLOW, id: flow };
}

const REMOVED_FLOW: CompiledFlow = {
  id: "",
  module: "",
  parameters: [],
  returnMembers: [],
  elements: [],
  places: [],
  isActive: false,
  isNameless: false,
  isInterruptible: false,
  meta: {},
  metaTemplates: {},
  isHiddenFromPrompts: true,
  location: { file: "", line: 1, column: 1 },
  sourceText: "",
  hash: "",
};

/** Returns the source location of an instruction of an instance. */
export function placeAt(state: EngineState, instance: FlowInstance, address: number): ElementPlace | undefined {
  const { elements, places } = definitionOf(state, instance);
  return places[elements[address]?.place ?? -1];
}

/** Returns the instruction at which a head is. */
export function elementOf(
  state: EngineState,
  { head, instance }: PlacedHead,
): CompiledFlow["elements"][number] | undefined {
  return state.definitions.get(instance.flow)?.elements[head.address];
}

/** The table of variables that an instance uses. */
export function variablesOf(state: EngineState, instance: FlowInstance): Record<string, Value> {
  let owner: FlowInstance | undefined = instance;
  for (; owner !== undefined; owner = parentOf(state, owner)) if (!owner.sharesVariables) return owner.variables;
  throw new RangeError(`the parent of flow ${instance.uid} is unknown`);
}

/** Returns the action with this number, or the one that replaced it. */
export function actionOf({ data }: EngineState, id: number): ActionRecord {
  for (let at: number | undefined = id; at !== undefined;) {
    const action = data.actions.get(at);
    if (action === undefined) break;
    if (action.sharedWith === undefined) return action;
    at = action.sharedWith;
  }
  throw new RangeError(`action ${id} is unknown`);
}

/** The scores of the head in this round. */
export function scoresOf({ round }: EngineState, head: Head): readonly number[] {
  return round.scores.get(head.id) ?? NO_SCORES;
}

const NO_SCORES: readonly number[] = [];

/** Positive if the first list is better: element by element, where a missing tail counts as 1. */
export function compareScores(left: readonly number[], right: readonly number[]): number {
  const length = Math.max(left.length, right.length);
  for (let at = 0; at < length; at += 1) {
    const difference = (left[at] ?? 1) - (right[at] ?? 1);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The items with the best scores, in their order. */
export function bestOf<Item>(items: readonly Item[], scoresOfItem: (item: Item) => readonly number[]): Item[] {
  let best: Item[] = [];
  for (const item of items) {
    const [first] = best;
    const difference = first === undefined ? 1 : compareScores(scoresOfItem(item), scoresOfItem(first));
    if (difference > 0) best = [item];
    else if (difference === 0) best.push(item);
  }
  return best;
}

/**
 * Random numbers that are part of the state: equal seeds give equal conversations, and a stored state continues the
 * sequence. A counter passes through a mixing function, so the whole state is one 32-bit number.
 */
interface RandomState {
  random: number;
}

const STEP = 0x9e3779b9;

/** A number in [0, 1). */
export function nextRandom(state: RandomState): number {
  state.random = (state.random + STEP) >>> 0;
  let mixed = state.random;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
  return ((mixed ^ (mixed >>> 15)) >>> 0) / 0x1_0000_0000;
}

/** A whole number below `count`. */
export function nextIndex(state: RandomState, count: number): number {
  return count <= 1 ? 0 : Math.floor(nextRandom(state) * count);
}
