import { omitUndefined, withVariables, writeOwn } from "../engine/plain-data.js";
import type { Entry, StageOutcome, RailsStage } from "../turn/decision.js";
import type { RailOutcome, StageRequest } from "./rail-dialect.js";
import type { RailServices } from "./services.js";
import type { Turn } from "../turn/turn.js";

const MARKERS = { input: markersOf("Input"), output: markersOf("Output"), retrieval: markersOf("Retrieval") };

function markersOf(stage: string) {
  return {
    start: `Start${stage}Rails`,
    end: `${stage}RailsFinished`,
    railStart: `Start${stage}Rail`,
    railEnd: `${stage}RailFinished`,
  };
}

const TRIGGERED = { input: "triggered_input_rail", output: "triggered_output_rail", retrieval: undefined } as const;

/** An event that only reports the position in the pipeline; the engine runs only if some flow waits for it. */
function marker(services: RailServices, type: string, flow?: string): Entry {
  const event = flow === undefined ? { type } : { type, flow_id: flow };
  return services.awaited.has(type) ? event : { note: event, isMarker: true };
}

/** Returns true if a flow waits for a marker of this stage. */
export function areMarkersAwaited(services: Pick<RailServices, "awaited">, stage: RailsStage): boolean {
  return Object.values(MARKERS[stage]).some((type) => services.awaited.has(type));
}

export function withMarkers(services: RailServices, stage: RailsStage, outcome: StageOutcome): StageOutcome {
  const { start, end } = MARKERS[stage];
  const entries = [marker(services, start), ...outcome.entries, ...(outcome.blocked ? [] : [marker(services, end)])];
  return { ...outcome, entries };
}

/** Returns the outcome without variables, except for the one that names the rail. */
export function withoutNotes(outcome: StageOutcome): StageOutcome {
  const names = new Set<string>(Object.values(TRIGGERED).filter((name) => name !== undefined));
  const kept = Object.entries(outcome.contextUpdates ?? {}).filter(([name]) => names.has(name));
  return { ...outcome, contextUpdates: Object.fromEntries(kept) };
}

/** Collects the results of rails in the order in which they ran or would have run. */
export class OutcomeCollector {
  readonly #services: RailServices;
  readonly #stage: RailsStage;
  readonly #original: Readonly<Record<string, unknown>>;
  readonly #entries: Entry[] = [];
  #updates: Record<string, unknown> | undefined;
  /** Last rail that wrote each variable. */
  #writers: Map<string, string> | undefined;
  /** Current variables; undefined after a change, until they are read. */
  #context: Readonly<Record<string, unknown>> | undefined;

  constructor(services: RailServices, { stage, context }: StageRequest) {
    this.#services = services;
    this.#stage = stage;
    this.#original = context;
    this.#context = context;
  }

  get context(): Readonly<Record<string, unknown>> {
    return (this.#context ??= withVariables(this.#original, this.#updates ?? NO_UPDATES));
  }

  /** With a turn, the rails ran concurrently, so two writers of one variable cause a warning. */
  add(outcome: RailOutcome, turn?: Turn): void {
    const markers = MARKERS[this.#stage];
    this.#entries.push(marker(this.#services, markers.railStart, outcome.flow), ...outcome.entries);
    if (!outcome.blocked) this.#entries.push(marker(this.#services, markers.railEnd, outcome.flow));
    const { contextUpdates } = outcome;
    for (const name of Object.keys(contextUpdates)) this.#set(name, contextUpdates[name], outcome.flow, turn);
  }

  #set(name: string, value: unknown, flow: string, turn: Turn | undefined): void {
    const updates = this.#updates;
    const now = updates !== undefined && Object.hasOwn(updates, name) ? updates : this.#original;
    // A rail without access to the others' variables may set one to its current value.
    if (Object.hasOwn(now, name) && Object.is(now[name], value)) return;
    const writer = this.#writers?.get(name);
    if (turn && writer !== undefined && !Object.is(updates?.[name], value)) {
      const message = `parallel rails \`${writer}\` and \`${flow}\` both write \`$${name}\`; the later one wins`;
      turn.trace.push({ type: "warning", code: "CO-406", message, flow });
    }
    (this.#writers ??= new Map()).set(name, flow);
    writeOwn((this.#updates ??= {}), name, value);
    this.#context = undefined;
  }

  passed(): StageOutcome {
    return this.#outcome(false, null);
  }

  blockedBy(outcome: RailOutcome): StageOutcome {
    const { flow, refusal, exception } = outcome;
    return { ...this.#outcome(true, flow), ...omitUndefined({ refusal, exception }) };
  }

  #outcome(blocked: boolean, triggered: string | null): StageOutcome {
    const variable = TRIGGERED[this.#stage];
    if (variable !== undefined && (this.#original[variable] ?? null) !== triggered) {
      (this.#updates ??= {})[variable] = triggered;
    }
    return outcomeOf(blocked, this.#entries, this.#updates);
  }
}

const NO_UPDATES = {};

/** Written out twice: a key added to a copy gives each object its own hidden class. */
export function outcomeOf(
  blocked: boolean,
  entries: readonly Entry[],
  contextUpdates: StageOutcome["contextUpdates"] | undefined,
): StageOutcome {
  return contextUpdates === undefined ? { blocked, entries } : { blocked, entries, contextUpdates };
}
