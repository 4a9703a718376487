import { ActionError } from "../diagnostics/errors.js";
import { parseFlowReference } from "../colang1/flow-reference.js";
import type { GuardrailsEvent } from "../engine/events.js";
import type { Entry } from "./entry.js";
import { runRail, type RailOutcome } from "./run-rail.js";
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
  const rails = selectRails(services, request.turn, request.stage);
  if (rails.length === 0) return { blocked: false, entries: [] };
  const earlier = request.stage === "input" ? request.turn.userTexts.slice(0, -1) : [];
  const checkAll = services.config.settings.security.check_all_user_messages;
  const entries: Entry[] = [marker(services, MARKERS[request.stage].start)];
  if (checkAll) {
    for (const [index, text] of earlier.entries()) {
      const subject = { ...request, context: { ...request.context, user_message: text } };
      const outcome = await runOver(services, subject, rails);
      entries.push(...outcome.entries);
      if (outcome.blocked) return { ...outcome, entries };
      const rewritten = outcome.contextUpdates?.["user_message"];
      if (typeof rewritten === "string") request.turn.userTexts[index] = rewritten;
    }
  }
  const outcome = await runOver(services, request, rails);
  entries.push(...outcome.entries);
  if (outcome.blocked) return { ...outcome, entries };
  const rewritten = outcome.contextUpdates?.["user_message"];
  if (request.stage === "input" && typeof rewritten === "string" && request.turn.userTexts.length > 0) {
    request.turn.userTexts[request.turn.userTexts.length - 1] = rewritten;
  }
  entries.push(marker(services, MARKERS[request.stage].end));
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

/** Per call, a stage is on or off, or a list names the rails that run [D-30]. */
export function selectRails(services: RuntimeServices, turn: Turn, stage: RailsStage): readonly string[] {
  const configured = services.config.settings.rails[stage].flows;
  const selection = turn.options.rails?.[stage];
  if (selection === undefined || selection === true) return configured;
  if (selection === false) return [];
  const wanted = new Set(selection.flatMap((name) => [name, parseFlowReference(name).id]));
  return configured.filter((rail) => wanted.has(rail) || wanted.has(parseFlowReference(rail).id));
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
      for (const promise of running) promise.catch(() => undefined);
      const collected = new Collected(services, request);
      collected.add(blocked);
      return collected.blockedBy(blocked);
    }
    const outcomes = await Promise.all(running);
    const collected = new Collected(services, request);
    for (const outcome of outcomes) collected.add(outcome, request.turn);
    return collected.passed();
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
