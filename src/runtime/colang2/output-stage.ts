import type { EventDraft, GuardrailsEvent } from "../../engine/events.js";
import type { Cancellation } from "../../engine/async.js";
import { finishStage } from "../../rails/run-stage.js";
import { selectRails } from "../../rails/plan.js";
import { fedEvents, type StageOutcome, summarizeDecisions, type RailsStage } from "../../turn/decision.js";
import { instantEvents } from "./host-loop.js";
import { historyEvents, type Colang2Run, type Colang2Services, utterancesOf } from "./run.js";
import { type LocalAction, startLocal } from "./local-actions.js";
import { ColangRuntimeError } from "../../diagnostics/errors.js";
import type { TraceEvent, TraceOffer } from "../../engine/explain.js";
import { logProblem } from "../../turn/problem-log.js";

/**
 * The action of the generated flow `output rails`: runs the listed output rails over a text and returns their verdict.
 */
export function launchOutputRails(services: Colang2Services, run: Colang2Run, request: GuardrailsEvent): LocalAction {
  const text = String(request["text"] ?? "");
  return startLocal(run, NOT_EMITTED, async (cancellation) => {
    const outcome = await judge(services, run, text, cancellation);
    const rewritten = release(run, text, outcome);
    const value = { passed: !outcome.blocked, refusal: outcome.refusal ?? null };
    const name = "RunOutputRailsAction";
    const end = { status: "success", is_success: true, return_value: value };
    const finished = { type: `${name}Finished`, action_uid: request["action_uid"], action_name: name, ...end };
    return { events: [...eventsOf(outcome, rewritten), finished] };
  });
}

/** Reason for cancelling rails whose verdict is no longer needed: a user may interrupt the bot while they run. */
const NOT_EMITTED = "the utterance was cancelled";

/**
 * Reviews an utterance of a flow that bypasses `bot say`. INVARIANT: with listed output rails, nothing is emitted that
 * they have not passed.
 */
export function launchUtterance(
  services: Colang2Services,
  run: Colang2Run,
  request: GuardrailsEvent,
): LocalAction | undefined {
  const script = typeof request["script"] === "string" ? request["script"] : "";
  if (run.scope === "rail" || run.released.has(script)) return undefined;
  if (selectRails(services, run.turn.options, "output").length === 0) return undefined;
  return startLocal(run, NOT_EMITTED, async (cancellation) => {
    const outcome = await judge(services, run, script, cancellation);
    const text = release(run, script, outcome);
    const emitted = outcome.blocked ? outcome.refusal : text;
    const events = instantEvents("UtteranceBotAction", { ...request, script: emitted ?? "" });
    const notEmitted = { is_success: false, was_stopped: true, failure_reason: "blocked by an output rail" };
    const ended = events.map((event) =>
      outcome.blocked && event.type.endsWith("Finished") ? { ...event, ...notEmitted } : event,
    );
    return { events: [...eventsOf(outcome, emitted ?? ""), ...ended], isEmitted: true };
  });
}

async function judge(
  services: Colang2Services,
  run: Colang2Run,
  text: string,
  cancellation: Cancellation,
): Promise<StageOutcome> {
  if (run.scope === "rail") return { blocked: false, entries: [] };
  const reviewed = run.recorded?.output;
  if (reviewed !== undefined) {
    delete run.recorded?.output;
    return reviewed;
  }
  // A streamed response was reviewed while it was generated.
  const known = run.turn.responseReview?.outcomeFor(text);
  const request = {
    turn: run.turn,
    stage: "output",
    context: { ...run.engine.globals, bot_message: text },
    config: run.config,
    cancellation,
    past: () => [...run.past(), ...historyEvents(run.events)],
  } as const;
  return finishStage(services, request, known);
}

/** Marks a text as releasable without further review, and returns it as the rails left it. */
function release(run: Colang2Run, text: string, { blocked, refusal, contextUpdates }: StageOutcome): string {
  const rewritten = contextUpdates?.["bot_message"];
  const passed = typeof rewritten === "string" ? rewritten : text;
  if (!blocked) run.released.add(passed);
  else if (refusal !== undefined) run.released.add(refusal);
  return passed;
}

/** Variables set and events sent by the rails. Their utterances are part of the verdict. */
function eventsOf({ blocked, contextUpdates, entries, refusal }: StageOutcome, text: string): EventDraft[] {
  // INVARIANT: no variable keeps a blocked text.
  const data = { ...contextUpdates, bot_message: blocked ? (refusal ?? null) : text };
  // The flow that requested the verdict emits the refusal.
  const sent = fedEvents(entries).filter(({ type }) => !(blocked && type.includes("UtteranceBotAction")));
  return [{ type: "ContextUpdate", data }, ...sent];
}

/**
 * Streams utterances of flows as they are emitted, after the output rails have passed them.
 *
 * INVARIANT: a possible refusal waits for the end of the turn, where the caller decides about a block. So does a text
 * that may be a wrapped model's whole response, which holds more than its text.
 */
export class EarlyUtterances {
  readonly #services: Colang2Services;
  readonly #run: Colang2Run;
  readonly #own: OwnRails;
  #waiting: string[] = [];
  #hasSaid = false;
  #isTakenBack = false;

  private constructor(services: Colang2Services, run: Colang2Run, ownRails: OwnRails) {
    this.#services = services;
    this.#run = run;
    this.#own = ownRails;
  }

  /** Returns undefined if the call is not streamed, the response is released whole, or no flow speaks. */
  static open(services: Colang2Services, run: Colang2Run, ownRails: OwnRails): EarlyUtterances | undefined {
    const { emitText, stream } = run.turn.options;
    if (emitText === undefined || stream === undefined || stream.mode === "buffer" || !services.hasDialog)
      return undefined;
    return new EarlyUtterances(services, run, ownRails);
  }

  note(event: GuardrailsEvent): void {
    // An exception event replaces all utterances.
    this.#isTakenBack ||= event.type.endsWith("Exception");
    this.#waiting.push(...utterancesOf([event]));
  }

  async writeText(): Promise<void> {
    const { turn } = this.#run;
    if (this.#waiting.length === 0 || this.#isTakenBack || this.#own.isPending || this.#mayBeAnswer()) return;
    if (summarizeDecisions(turn.decisions, this.#services.onError !== "allow").blocked) return;
    const texts = this.#waiting;
    this.#waiting = [];
    this.#hasSaid = true;
    for (const text of texts) await turn.options.emitText?.(text);
  }

  #mayBeAnswer(): boolean {
    const { turn } = this.#run;
    if (this.#hasSaid || turn.generated === undefined) return false;
    return turn.rewritesTo(turn.generated.text).startsWith(this.#waiting.join("\n"));
  }
}

const STAGES: ReadonlyMap<string, RailsStage> = new Map([
  ["input rails", "input"],
  ["output rails", "output"],
]);

/** Sessions store only the variables of their last turns, so older texts no longer appear anywhere. */
const MAX_BLOCKED = 1_000;

/**
 * Observes the flows `input rails` and `output rails` of a program that defines them: they run inside the conversation,
 * and their outcome is a decision like that of any other rail.
 */
export class OwnRails {
  readonly #services: Colang2Services;
  readonly #run: Colang2Run;
  readonly #open = new Map<string, { readonly startedAt: number; readonly start: number }>();
  #hasFailed = false;
  readonly #blocked = new Set<string>();

  constructor(services: Colang2Services, run: Colang2Run) {
    this.#services = services;
    this.#run = run;
  }

  /** Blocked texts; in a long session the latest ones. */
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
        // A flow that fails while no rail runs is not part of one.
        this.#hasFailed ||= this.#open.size > 0;
        // An LLM-written flow is logged without its name, which may quote the conversation.
        const isConfigured = this.#services.program.flows.some(({ id }) => id === entry.flow);
        logProblem(this.#services, { code: entry.code, flow: isConfigured ? entry.flow : undefined });
      }
      if (entry.type !== "started" && entry.type !== "finished" && entry.type !== "aborted") continue;
      const stage = STAGES.get(entry.flow);
      if (stage === undefined || !this.#services.ownRailFlows.has(entry.flow)) continue;
      if (entry.type === "started") {
        const { turn, events } = this.#run;
        this.#open.set(entry.instance, { startedAt: turn.now(), start: utterancesOf(events).length });
      } else this.#end(entry, stage, trace);
    }
  }

  #end(entry: FlowEnd, stage: RailsStage, trace: readonly TraceEvent[]): void {
    const { instance, flow } = entry;
    const why = entry.type === "aborted" ? entry.why : undefined;
    const opened = this.#open.get(instance);
    if (opened === undefined) return;
    this.#open.delete(instance);
    const hasFailed = this.#hasFailed;
    if (this.#open.size === 0) this.#hasFailed = false;
    const { turn, events } = this.#run;
    // A rail stopped from outside has decided nothing. Nor has one of a text that is not sent since another flow acted instead.
    if (why !== undefined && ENDED_BY_OTHERS.has(why)) return;
    if (why !== undefined && stage === "output" && !hasFailed && LOST.test(why) && trace.some(beatsOutputRails)) return;
    const durationMs = turn.now() - opened.startedAt;
    if (why === undefined) return turn.recordDecision({ stage, rail: flow, flow, durationMs, status: "passed" });
    // `bot say` stores its pending text in a variable.
    const texts = stage === "output" ? [this.#run.engine.global("bot_message")] : turn.userTexts;
    for (const text of texts) if (typeof text === "string") this.#hide(text);
    const utterances = utterancesOf(events).slice(opened.start);
    const refusal = utterances.length === 0 ? {} : { refusal: utterances.join("\n") };
    const isError = why.startsWith("error") || hasFailed;
    if (isError) this.#fail(flow, stage);
    turn.recordDecision({ stage, rail: flow, flow, durationMs, status: isError ? "error" : "blocked", ...refusal });
  }

  /** A rail inside the conversation cannot be skipped, so `onError: "allow"` does not apply to it. */
  #fail(flow: string, stage: RailsStage): void {
    const isThrown = this.#services.onError === "throw";
    const effect = isThrown ? "the call is rejected" : "the message is blocked";
    logProblem(this.#services, { code: "RL-104", rail: flow, stage, effect });
    if (!isThrown) return;
    const error = new ColangRuntimeError(`the flow \`${flow}\` failed`, { code: "RL-104", flow });
    this.#run.turn.rejection ??= { error };
  }

  #hide(text: string): void {
    this.#blocked.delete(text);
    this.#blocked.add(text);
    const [oldest] = this.#blocked;
    if (this.#blocked.size > MAX_BLOCKED && oldest !== undefined) this.#blocked.delete(oldest);
  }
}

type FlowEnd = Extract<TraceEvent, { readonly type: "finished" | "aborted" }>;

/** Reasons of a flow that lost against another one, or waited for a flow that did. */
const LOST = /^(conflict$|impossible: )/;

/** Returns true if a flow that is not part of the output rails acted instead of them. */
function beatsOutputRails(entry: TraceEvent): boolean {
  return entry.type === "decided" && entry.others.some(actsInOutputRails) && !actsInOutputRails(entry.winner);
}

function actsInOutputRails({ flow, callers = [] }: TraceOffer): boolean {
  return flow === "output rails" || callers.includes("output rails");
}

const ENDED_BY_OTHERS: ReadonlySet<string> = new Set([
  "parent_ended",
  "scope_ended",
  "stop_request",
  "deactivated",
  "removed",
]);
