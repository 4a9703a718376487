import { ColangRuntimeError } from "../../../diagnostics/errors.js";
import type { TraceEvent } from "../../../engine/explain.js";
import { logProblem } from "../../../turn/problem-log.js";
import type { RailsStage } from "../../../turn/decision.js";
import { type Colang2Run, utterancesOf, type Colang2Services } from "../run.js";

const STAGES: ReadonlyMap<string, RailsStage> = new Map([
  ["input rails", "input"],
  ["output rails", "output"],
]);

/** States of sessions hold the variables of their last turns, so that older texts stand nowhere any more. */
const MAX_BLOCKED = 1_000;

/**
 * Watches the flows `input rails` and `output rails` of a program that has its own: they run inside the conversation, and
 * what becomes of them is a decision like that of any other rail.
 */
export class OwnRails {
  readonly #services: Colang2Services;
  readonly #run: Colang2Run;
  readonly #open = new Map<string, { readonly startedAt: number; readonly said: number }>();
  #hasFailed = false;
  readonly #blocked = new Set<string>();

  constructor(services: Colang2Services, run: Colang2Run) {
    this.#services = services;
    this.#run = run;
  }

  /** Texts that were blocked; in a long session the latest ones. */
  get blocked(): readonly string[] {
    return [...this.#blocked];
  }

  /** True while one of them is undecided. */
  get isPending(): boolean {
    return this.#open.size > 0;
  }

  /** Called after each round of the engine. */
  note(trace: readonly TraceEvent[]): void {
    for (const entry of trace) {
      if (entry.type === "failed") {
        // A flow that fails while no rail runs is no part of one.
        this.#hasFailed ||= this.#open.size > 0;
        this.#log(entry);
      }
      if (entry.type !== "started" && entry.type !== "finished" && entry.type !== "aborted") continue;
      const stage = STAGES.get(entry.flow);
      if (stage === undefined || !this.#services.ownRailFlows.has(entry.flow)) continue;
      if (entry.type === "started") this.#begin(entry.instance);
      else this.#end(entry.instance, entry.flow, stage, entry.type === "aborted" ? entry.why : undefined);
    }
  }

  /** A flow that a model wrote is logged without its name, which may quote the conversation. */
  #log({ code, flow }: Extract<TraceEvent, { readonly type: "failed" }>): void {
    const isConfigured = this.#services.program.flows.some(({ id }) => id === flow);
    logProblem(this.#services, { code, flow: isConfigured ? flow : undefined });
  }

  #begin(instance: string): void {
    this.#open.set(instance, { startedAt: this.#run.turn.now(), said: utterancesOf(this.#run.events).length });
  }

  #end(instance: string, flow: string, stage: RailsStage, why: string | undefined): void {
    const opened = this.#open.get(instance);
    if (opened === undefined) return;
    this.#open.delete(instance);
    const hasFailed = this.#hasFailed;
    if (this.#open.size === 0) this.#hasFailed = false;
    const { turn, events } = this.#run;
    // A rail that was stopped from outside has decided nothing.
    if (why !== undefined && ENDED_BY_OTHERS.has(why)) return;
    const durationMs = turn.now() - opened.startedAt;
    const base = { stage, rail: flow, flow, durationMs };
    if (why === undefined) {
      turn.decide({ ...base, status: "passed" });
      return;
    }
    if (stage === "output") this.#holdBack();
    else for (const text of turn.userTexts) this.#hide(text);
    const said = utterancesOf(events).slice(opened.said);
    const refusal = said.length === 0 ? {} : { refusal: said.join("\n") };
    const isError = why.startsWith("error") || hasFailed;
    if (isError) this.#fail(flow, stage);
    turn.decide({ ...base, status: isError ? "error" : "blocked", ...refusal });
  }

  /** A rail inside the conversation cannot be passed over, so `onError: "allow"` does not apply to it. */
  #fail(flow: string, stage: RailsStage): void {
    const isThrown = this.#services.onError === "throw";
    const effect = isThrown ? "the call is rejected" : "the message is blocked";
    logProblem(this.#services, { code: "RL-104", rail: flow, stage, effect });
    if (!isThrown) return;
    const error = new ColangRuntimeError(`the flow \`${flow}\` failed`, { code: "RL-104", flow });
    this.#run.turn.rejection ??= { error };
  }

  /** `bot say` leaves what it was about to say in a variable. */
  #holdBack(): void {
    const { bot_message: text } = this.#run.engine.globals;
    if (typeof text === "string") this.#hide(text);
  }

  #hide(text: string): void {
    this.#blocked.delete(text);
    this.#blocked.add(text);
    const [oldest] = this.#blocked;
    if (this.#blocked.size > MAX_BLOCKED && oldest !== undefined) this.#blocked.delete(oldest);
  }
}

const ENDED_BY_OTHERS: ReadonlySet<string> = new Set([
  "parent_ended",
  "scope_ended",
  "stop_request",
  "deactivated",
  "removed",
]);
