import type { EventDraft, GuardrailsEvent } from "../../engine/events.js";
import type { Cancellation } from "../../engine/async.js";
import { runRailsOfStage } from "../../rails/run-stage.js";
import { selectRails } from "../../rails/plan.js";
import { fedEvents, type StageOutcome, summarizeDecisions } from "../../turn/decision.js";
import { instantEvents } from "./host-loop.js";
import { historyEvents, type Colang2Run, type Colang2Services, utterancesOf } from "./run.js";
import type { LocalAction, LocalOutcome } from "./local-actions.js";
import type { OwnRails } from "./rails/own-rails.js";

/** The action of the generated flow `output rails`: the listed output rails over a text, with their verdict as its value. */
export function launchOutputRails(services: Colang2Services, run: Colang2Run, request: GuardrailsEvent): LocalAction {
  const text = String(request["text"] ?? "");
  return judged(run, (cancellation) =>
    judge(services, run, text, cancellation).then((outcome) => {
      const { text: rewritten, refusal } = release(run, text, outcome);
      const value = { passed: !outcome.blocked, refusal: refusal ?? null };
      return { events: [...eventsOf(outcome, rewritten), finished(request, value)] };
    }),
  );
}

/**
 * Reviews an utterance that no output rail has seen, of a flow that bypasses `bot say`. INVARIANT: with
 * listed output rails nothing is said that they have not passed.
 */
export function launchUtterance(
  services: Colang2Services,
  run: Colang2Run,
  request: GuardrailsEvent,
): LocalAction | undefined {
  const script = typeof request["script"] === "string" ? request["script"] : "";
  if (run.scope === "rail" || run.released.has(script)) return undefined;
  if (selectRails(services, run.turn.options, "output").length === 0) return undefined;
  return judged(run, (cancellation) =>
    judge(services, run, script, cancellation).then((outcome): LocalOutcome => {
      const { text, refusal } = release(run, script, outcome);
      const said = outcome.blocked ? refusal : text;
      const events = instantEvents("UtteranceBotAction", { ...request, script: said ?? "" });
      const unsaid = { is_success: false, was_stopped: true, failure_reason: "blocked by an output rail" };
      const ended = outcome.blocked ? events.map((event) => withEnd(event, unsaid)) : events;
      return { events: [...eventsOf(outcome, said ?? ""), ...ended], isEmitted: true };
    }),
  );
}

/** Cancels the rails when their verdict is no longer needed. */
function judged(run: Colang2Run, judge: (cancellation: Cancellation) => Promise<LocalOutcome>): LocalAction {
  const cancellation = run.cancellation.child();
  return {
    // A user may interrupt the bot while rails look at what it is about to say.
    isAsync: true,
    done: judge(cancellation).finally(() => cancellation.release()),
    stop: () => cancellation.abort(new DOMException("what was to be said is not said", "AbortError")),
  };
}

function withEnd(event: EventDraft, end: Readonly<Record<string, unknown>>): EventDraft {
  return event.type.endsWith("Finished") ? { ...event, ...end } : event;
}

async function judge(
  services: Colang2Services,
  run: Colang2Run,
  text: string,
  cancellation: Cancellation,
): Promise<StageOutcome> {
  if (run.scope === "rail") return { blocked: false, entries: [] };
  // An answer that streamed was reviewed on its way.
  const known = run.turn.answerReview?.outcomeFor(text);
  if (known !== undefined) return known;
  return runRailsOfStage(services, {
    turn: run.turn,
    stage: "output",
    context: { ...run.engine.globals, bot_message: text },
    config: run.config,
    cancellation,
    past: () => [...run.past(), ...historyEvents(run.events)],
  });
}

function release(
  run: Colang2Run,
  text: string,
  { blocked, refusal, contextUpdates }: StageOutcome,
): { readonly text: string; readonly refusal: string | undefined } {
  const rewritten = contextUpdates?.["bot_message"];
  const passed = typeof rewritten === "string" ? rewritten : text;
  if (!blocked) run.released.add(passed);
  else if (refusal !== undefined) run.released.add(refusal);
  return { text: passed, refusal };
}

/** Variables that the rails set, and the events that they sent. What they said is part of the verdict. */
function eventsOf({ blocked, contextUpdates, entries, refusal }: StageOutcome, text: string): EventDraft[] {
  // INVARIANT: no variable keeps a text that was blocked.
  const data = { ...contextUpdates, bot_message: blocked ? (refusal ?? null) : text };
  // The refusal of a rail is said by the flow that asked for the verdict.
  const sent = fedEvents(entries).filter(({ type }) => !(blocked && type.includes("UtteranceBotAction")));
  return [{ type: "ContextUpdate", data }, ...sent];
}

function finished(request: GuardrailsEvent, value: unknown): EventDraft {
  const name = "RunOutputRailsAction";
  const end = { status: "success", is_success: true, return_value: value };
  return { type: `${name}Finished`, action_uid: request["action_uid"], action_name: name, ...end };
}

/**
 * Gives the reader of a stream the utterances of flows as they are said: output rails have passed a text before it is.
 *
 * INVARIANT: what may be a refusal waits for the end of the turn, where the caller decides what becomes of a block. So does
 * what may be the whole of a wrapped model's answer, which has more to it than its text.
 */
export class EarlyUtterances {
  readonly #services: Colang2Services;
  readonly #run: Colang2Run;
  readonly #own: OwnRails;
  #waiting: string[] = [];
  #hasSaid = false;
  #isTakenBack = false;

  private constructor(services: Colang2Services, run: Colang2Run, own: OwnRails) {
    this.#services = services;
    this.#run = run;
    this.#own = own;
  }

  /** Undefined if the call is not read as a stream, the answer leaves as a whole, or no flow speaks. */
  static open(services: Colang2Services, run: Colang2Run, own: OwnRails): EarlyUtterances | undefined {
    const { emitText, stream } = run.turn.options;
    if (emitText === undefined || stream === undefined || stream.mode === "buffer" || !services.hasDialog)
      return undefined;
    return new EarlyUtterances(services, run, own);
  }

  note(event: GuardrailsEvent): void {
    // An exception event takes the place of all that was said.
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
