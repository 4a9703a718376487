import {
  ANY,
  type Colang1Program,
  type CompiledFlow,
  type Element,
  type ElementOf,
  successorsOf,
} from "../elements.js";
import type { Colang1State } from "./state.js";

/** A flow that may start on an event, by its first matcher or after a prefix that must run first. */
export interface Starter {
  readonly flow: CompiledFlow;
  /** Load order; decides ties. */
  readonly order: number;
}

/** Flows of a program by the events that start them, built once per program. */
export interface ProgramIndex {
  readonly flows: ReadonlyMap<string, CompiledFlow>;
  readonly initialisers: readonly CompiledFlow[];
  /** Flows that may start on a type, whatever its intent, in load order. */
  readonly byType: ReadonlyMap<string, readonly Starter[]>;
  /** Flows that may start on `type:intent`, including those of `byType`, in load order. */
  readonly byIntent: ReadonlyMap<string, readonly Starter[]>;
}

/** Cache of `indexOf`. */
export const indexes = new WeakMap<Colang1Program, ProgramIndex>();
const NONE: readonly Starter[] = [];

export const UTTERANCE = "UtteranceUserActionFinished";

/** Returns the index of a program, built on first use. */
export function indexOf(program: Colang1Program): ProgramIndex {
  const known = indexes.get(program);
  if (known) return known;
  const built = buildIndex(program);
  indexes.set(program, built);
  return built;
}

/** Returns the flows of a program followed by the LLM-written flows of a conversation. */
export function flowsWith({ flows }: ProgramIndex, written: Colang1State["flows"]): ReadonlyMap<string, CompiledFlow> {
  for (const _id in written) return new Map([...Object.entries(written), ...flows]);
  return flows;
}

/** Returns the flows that may start on an event, in load order. */
export function startersOf(index: ProgramIndex, type: string, intent: unknown): readonly Starter[] {
  if (typeof intent === "string" && (type === "UserIntent" || type === "BotIntent")) {
    const specific = index.byIntent.get(`${type}:${intent}`);
    if (specific) return specific;
  }
  return index.byType.get(type) ?? NONE;
}

function buildIndex(program: Colang1Program): ProgramIndex {
  const byType = new Map<string, Starter[]>();
  const byIntent = new Map<string, Starter[]>();
  for (const [order, flow] of program.flows.entries()) {
    if (flow.isSubflow || flow.isInitialiser) continue;
    const starter = { flow, order };
    const { types, intents } = startKeys(flow);
    for (const type of types) add(byType, type, starter);
    for (const key of intents) {
      // A flow that starts on every intent is found by the type alone.
      if (!types.has(key.slice(0, key.indexOf(":")))) add(byIntent, key, starter);
    }
  }
  for (const [key, starters] of byIntent) {
    const general = byType.get(key.slice(0, key.indexOf(":")));
    if (general)
      byIntent.set(
        key,
        [...starters, ...general].sort((a, b) => a.order - b.order),
      );
  }
  return {
    flows: new Map(program.flows.map((flow) => [flow.id, flow])),
    initialisers: program.flows.filter((flow) => flow.isInitialiser && !flow.isSubflow),
    byType,
    byIntent,
  };
}

function add(map: Map<string, Starter[]>, key: string, starter: Starter): void {
  const list = map.get(key);
  if (list) list.push(starter);
  else map.set(key, [starter]);
}

/** Elements that a flow cannot pass before it has started. */
const END_PREFIX: ReadonlySet<Element["kind"]> = new Set(["Run", "Emit", "Stop", "Call", "Return"]);

interface StartKeys {
  readonly types: Set<string>;
  /** `UserIntent:<intent>`, `BotIntent:<intent>`. */
  readonly intents: Set<string>;
}

/** Returns the events of a flow's first matchers, on every path through its prefix. */
function startKeys(flow: CompiledFlow): StartKeys {
  const keys: StartKeys = { types: new Set(), intents: new Set() };
  const seen = new Set<number>();
  const open = [0];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const element = flow.elements[at];
    if (!element || seen.has(at)) continue;
    seen.add(at);
    if (element.kind === "Match" || element.kind === "Say") addKeys(keys, element, flow);
    else if (!END_PREFIX.has(element.kind)) open.push(...successorsOf(element, at));
  }
  return keys;
}

function addKeys(keys: StartKeys, element: ElementOf<"Match" | "Say">, flow: CompiledFlow): void {
  if (element.kind === "Say") {
    const { content } = element;
    keys.intents.add(`BotIntent:${content.type === "value" ? content.source : content.intent}`);
    return;
  }
  for (const matcher of element.matchers) {
    if (matcher.kind === "Event") {
      // User flows see the utterance only once the input stage has passed it (CO-318).
      keys.types.add(matcher.type === UTTERANCE && flow.tier === "user" ? "UserMessage" : matcher.type);
      continue;
    }
    const type = matcher.kind === "User" ? "UserIntent" : "BotIntent";
    for (const intent of matcher.intents) {
      if (intent === ANY) keys.types.add(type);
      else keys.intents.add(`${type}:${intent}`);
    }
  }
}
