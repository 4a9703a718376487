import type { MaybePromise } from "../engine/async.js";
import { isEmpty, type Made } from "../engine/plain-data.js";
import type { RailDecision } from "../turn/decision.js";
import type { Turn } from "../turn/turn.js";
import type { RailRequest } from "./rail-dialect.js";
import { runRail } from "./run-rail.js";
import type { RailServices } from "./services.js";

/** Request to run shadow rails. */
type ShadowRequest = Omit<RailRequest, "rail" | "isShadow">;

/**
 * Shadow rails of a stage. INVARIANT: they run in a copy of the turn, of which only decisions and model costs are kept;
 * their texts, events, variables and errors are dropped.
 */
export class ShadowRails {
  readonly #services: RailServices;
  readonly #rails: readonly string[];
  readonly #turn: Turn;
  #copy: Turn | undefined;
  #running: Promise<unknown> | undefined;

  constructor(services: RailServices, turn: Turn, rails: readonly string[]) {
    this.#services = services;
    this.#rails = rails;
    this.#turn = turn;
  }

  /** Starts the rails over the text as left by the rails that may change it. */
  start(request: ShadowRequest): void {
    if (this.#copy !== undefined) return;
    const turn = this.#turn.fork(this.#turn.counts, false);
    this.#copy = turn;
    const order = turn.openOrder();
    const running = this.#rails.map(async (rail) =>
      runRail(this.#services, { ...request, turn, rail, onFinalText: undefined, onBlock: undefined, isShadow: true }),
    );
    // The decision of a rail reports its failure.
    this.#running = Promise.allSettled(running).then(() => order.close(this.#rails));
  }

  /** Waits for the rails, if started, and reports their decisions. */
  async finish(): Promise<void> {
    const copy = this.#copy;
    if (copy === undefined) return;
    try {
      await this.#running;
      for (const decision of copy.decisions) this.#turn.recordDecision(inShadow(decision));
      this.#turn.llmCalls.push(...copy.llmCalls);
    } finally {
      copy.close();
    }
  }

  /** Returns the outcome of other work after the rails have finished. */
  async after<Outcome>(work: () => MaybePromise<Outcome>): Promise<Outcome> {
    try {
      return await work();
    } finally {
      await this.finish();
    }
  }
}

/** Returns a decision that does not count. Its refusal is left out, since no rail has reviewed it. */
function inShadow({ refusal: _refusal, metadata, ...decision }: RailDecision): RailDecision {
  const shown: Made<RailDecision> = { ...decision, shadow: true };
  const { exception: _exception, ...rest } = metadata ?? {};
  if (!isEmpty(rest)) shown.metadata = rest;
  return shown;
}
