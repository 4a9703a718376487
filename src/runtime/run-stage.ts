import { ActionError } from "../diagnostics/errors.js";
import type { GuardrailsEvent } from "../engine/events.js";
import type { Entry } from "./entry.js";
import { runRail, type RailOutcome } from "./run-rail.js";
import { selectRails } from "./select-rails.js";
import type { RailsStage, StageRequest } from "./stage-request.js";
import type { RuntimeServices } from "./services.js";
import type { Turn } from "./turn.js";

export interface StageOutcome {
  readonly blocked: boolean;
  /** Variables the rails changed; absent when none. */
  readonly contextUpdates?: Readonly<Record<string, unknown>>;
  /** Markers and what the rails said, in order. */
  readonly entries: readonly Entry[];
  readonly refusal?: string;
  readonly exception?: GuardrailsEvent;
}

const MARKERS = {
  input: {
    start: "StartInputRails",
    end: "InputRailsFinished",
    railStart: "StartInputRail",
    railEnd: "InputRailFinished",
  },
  output: {
    start: "StartOutputRails",
    end: "OutputRailsFinished",
    railStart: "StartOutputRail",
    railEnd: "OutputRailFinished",
  },
  retrieval: {
    start: "StartRetrievalRails",
    end: "RetrievalRailsFinished",
    railStart: "StartRetrievalRail",
    railEnd: "RetrievalRailFinished",
  },
} as const;

const TRIGGERED = { input: "triggered_input_rail", output: "triggered_output_rail", retrieval: undefined } as const;

/**
 * Runs the rails of a stage over the context: in configured order, or side by side where `parallel` asks for it, the
 * first block cancelling the others (spec colang-1 12). Input rails see every user text that was not answered yet.
 */
export async function runRailsOfStage(services: RuntimeServices, request: StageRequest): Promise<StageOutcome> {
  const rails = selectRails(services, request.turn.options, request.stage);
  if (rails.length === 0) return { blocked: false, entries: [] };
  const startedAt = request.turn.now();
  try {
    return request.stage === "input"
      ? await runOverUserTexts(services, request, rails)
      : withMarkers(services, request.stage, await runOver(services, request, rails));
  } finally {
    request.turn.spent[request.stage] += request.turn.now() - startedAt;
  }
}

/** The earlier texts first, each in its turn; what rails note about one is known to those of the next. */
async function runOverUserTexts(
  services: RuntimeServices,
  request: StageRequest,
  rails: readonly string[],
): Promise<StageOutcome> {
  const { userTexts } = request.turn;
  const last = Math.max(0, userTexts.length - 1);
  const entries: Entry[] = [];
  const updates: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  const checkAll = services.config.settings.security.check_all_user_messages;
  for (let index = checkAll ? 0 : last; index <= last; index += 1) {
    const text = index === last ? request.context["user_message"] : userTexts[index];
    const context = { ...request.context, ...updates, user_message: text };
    const outcome = await runOver(services, { ...request, context }, rails);
    entries.push(...outcome.entries);
    Object.assign(updates, outcome.contextUpdates);
    if (outcome.blocked) return withMarkers(services, "input", { ...outcome, contextUpdates: updates, entries });
    const rewritten = updates["user_message"];
    if (typeof rewritten === "string" && index < userTexts.length) userTexts[index] = rewritten;
    // What became of an earlier text is not the text of this turn.
    if (index < last) delete updates["user_message"];
  }
  const contextUpdates = Object.keys(updates).length === 0 ? {} : { contextUpdates: updates };
  return withMarkers(services, "input", { blocked: false, entries, ...contextUpdates });
}

function withMarkers(services: RuntimeServices, stage: RailsStage, outcome: StageOutcome): StageOutcome {
  const { start, end } = MARKERS[stage];
  const entries = [marker(services, start), ...outcome.entries, ...(outcome.blocked ? [] : [marker(services, end)])];
  return { ...outcome, entries };
}

function runOver(services: RuntimeServices, request: StageRequest, rails: readonly string[]): Promise<StageOutcome> {
  const { settings } = services.config;
  const parallel = request.stage !== "retrieval" && settings.rails[request.stage].parallel === true;
  return parallel && rails.length > 1 ? runTogether(services, request, rails) : runInOrder(services, request, rails);
}

function marker(services: RuntimeServices, type: string, flow?: string): Entry {
  return { draft: flow === undefined ? { type } : { type, flow_id: flow }, feed: services.awaited.has(type) };
}

async function runInOrder(
  services: RuntimeServices,
  request: StageRequest,
  rails: readonly string[],
): Promise<StageOutcome> {
  const collected = new Collected(services, request);
  for (const rail of rails) {
    const outcome = await runRail(services, { ...request, rail, context: collected.context });
    collected.add(outcome);
    if (outcome.blocked) return collected.blockedBy(outcome);
  }
  return collected.passed();
}

async function runTogether(
  services: RuntimeServices,
  request: StageRequest,
  rails: readonly string[],
): Promise<StageOutcome> {
  const cancellation = request.cancellation.child();
  try {
    const running = rails.map((rail) => runRail(services, { ...request, rail, cancellation }));
    const blocked = await firstBlock(running);
    if (blocked !== undefined) {
      cancellation.abort(new ActionError("another rail blocked first", { action: blocked.reference, code: "RL-105" }));
      const collected = new Collected(services, request);
      collected.add(blocked);
      return collected.blockedBy(blocked);
    }
    const outcomes = await Promise.all(running);
    const collected = new Collected(services, request);
    for (const outcome of outcomes) collected.add(outcome, request.turn);
    return collected.passed();
  } catch (error) {
    // With `onError: "throw"` one failure ends the call, and so the other rails.
    cancellation.abort(error);
    throw error;
  } finally {
    cancellation.release();
  }
}

/** The first rail to block, or undefined when all have passed. A rejection (onError: "throw") leaves at once. */
function firstBlock(running: readonly Promise<RailOutcome>[]): Promise<RailOutcome | undefined> {
  return new Promise((resolve, reject) => {
    let open = running.length;
    for (const promise of running) {
      promise.then((outcome) => {
        open -= 1;
        if (outcome.blocked) resolve(outcome);
        else if (open === 0) resolve(undefined);
      }, reject);
    }
  });
}

/** Puts the results of rails together, in configured order. */
class Collected {
  readonly #services: RuntimeServices;
  readonly #stage: RailsStage;
  readonly #original: Readonly<Record<string, unknown>>;
  readonly #updates: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  readonly #writers = new Map<string, string>();
  readonly #entries: Entry[] = [];
  #context: Readonly<Record<string, unknown>>;

  constructor(services: RuntimeServices, { stage, context }: StageRequest) {
    this.#services = services;
    this.#stage = stage;
    this.#original = context;
    this.#context = context;
  }

  get context(): Readonly<Record<string, unknown>> {
    return this.#context;
  }

  /** With a turn the rails ran side by side, so that two of them writing one variable is worth a warning. */
  add(outcome: RailOutcome, turn?: Turn): void {
    const markers = MARKERS[this.#stage];
    this.#entries.push(marker(this.#services, markers.railStart, outcome.flow), ...outcome.entries);
    if (!outcome.blocked) this.#entries.push(marker(this.#services, markers.railEnd, outcome.flow));
    for (const [name, value] of Object.entries(outcome.contextUpdates)) {
      const writer = this.#writers.get(name);
      if (turn && writer !== undefined && !Object.is(this.#updates[name], value)) {
        const message = `parallel rails \`${writer}\` and \`${outcome.flow}\` both write \`$${name}\`; the later one wins`;
        turn.trace.push({ type: "warning", code: "CO-406", message, flow: outcome.flow });
      }
      this.#writers.set(name, outcome.flow);
      this.#updates[name] = value;
    }
    this.#context = { ...this.#context, ...outcome.contextUpdates };
  }

  passed(): StageOutcome {
    return this.#outcome(false, null);
  }

  blockedBy(outcome: RailOutcome): StageOutcome {
    return {
      ...this.#outcome(true, outcome.flow),
      ...(outcome.refusal === undefined ? {} : { refusal: outcome.refusal }),
      ...(outcome.exception === undefined ? {} : { exception: outcome.exception }),
    };
  }

  #outcome(blocked: boolean, triggered: string | null): StageOutcome {
    const variable = TRIGGERED[this.#stage];
    if (variable !== undefined && (this.#original[variable] ?? null) !== triggered) this.#updates[variable] = triggered;
    const changed = Object.keys(this.#updates).length > 0;
    return {
      blocked,
      entries: this.#entries,
      ...(changed ? { contextUpdates: { ...this.#updates } } : {}),
    };
  }
}
