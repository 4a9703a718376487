import { why } from "../../colang1/engine/explain.js";
import { printHistory } from "../../colang1/print-history.js";
import { splitActionEvent } from "../../colang2/action-events.js";
import type { GuardrailsEvent } from "../../engine/events.js";
import { summarizeDecisions } from "../decision.js";
import type { TurnLog, TurnResult } from "../result.js";
import { turnStats } from "../turn-stats.js";
import { historyEvents } from "./history-events.js";
import { type Colang2Run, utterancesOf } from "./run.js";
import type { Colang2Services } from "./services.js";
import { unknownColang2Flow } from "./unknown-flow.js";

export interface Said {
  readonly status: TurnResult["status"];
  readonly text: string;
  readonly utterances: readonly string[];
  /** @param events - of the turn, without what was withheld */
  complete(events: readonly GuardrailsEvent[], state: unknown): TurnResult;
}

/** Puts together what the caller gets. */
export function buildColang2Result(
  services: Colang2Services,
  { run, output }: { readonly run: Colang2Run; readonly output: readonly GuardrailsEvent[] },
  ended: { readonly failed: boolean },
): Said {
  const { turn } = run;
  const exception = run.events.findLast(({ type }) => type.endsWith("Exception"));
  const verdict = summarizeDecisions(turn.decisions, services.onError !== "allow");
  const spoken = exception === undefined ? utterancesOf(run.events) : [];
  // What failed in silence would look like an answer.
  const isFailed = ended.failed || (spoken.length === 0 && !verdict.blocked && turn.problems.length > 0);
  const status = exception !== undefined ? "exception" : isFailed ? "failed" : verdict.blocked ? "blocked" : "answered";
  const utterances = status === "failed" ? [services.config.settings.messages.internal_error] : spoken;
  const text = utterances.join("\n");
  const { generated } = turn;
  const isAnswer = generated !== undefined && status === "answered" && turn.rewritesTo(generated.text) === text;
  return {
    status,
    text,
    utterances,
    complete: (events, state) => ({
      status,
      text,
      utterances,
      ...(exception === undefined ? {} : { exception }),
      decisions: turn.decisions,
      verdict,
      userMessage: turn.userTexts.at(-1) ?? "",
      ...(isAnswer ? { generated } : {}),
      ...outputData(run),
      ...(turn.options.llmOutput === true ? { llmOutput: turn.llmOutput } : {}),
      ...handedOut(output),
      log: buildLog(services, run, { text, events }),
      ...(state === undefined ? {} : { state }),
    }),
  };
}

function outputData({ turn, engine }: Colang2Run): { outputData?: Readonly<Record<string, unknown>> } {
  const wanted = turn.options.outputVars;
  if (wanted === undefined) return {};
  const context = engine.globals;
  if (wanted !== true) {
    return { outputData: Object.fromEntries(wanted.map((name) => [name, context[name] ?? null])) };
  }
  return { outputData: Object.fromEntries(Object.entries(context).filter(([name]) => !name.startsWith("_"))) };
}

/** Actions for the host outside, and all other events that were sent (spec colang-2 8.4). */
function handedOut(output: readonly GuardrailsEvent[]): Pick<TurnResult, "actions" | "events"> {
  const actions = output.filter(({ type }) => splitActionEvent(type)?.member === "Start");
  const events = output.filter((event) => !actions.includes(event) && !event.type.startsWith("UtteranceBotAction"));
  return { ...(actions.length === 0 ? {} : { actions }), ...(events.length === 0 ? {} : { events }) };
}

function buildLog(
  services: Colang2Services,
  run: Colang2Run,
  { text, events }: { readonly text: string; readonly events: readonly GuardrailsEvent[] },
): TurnLog {
  const { turn } = run;
  const { log, explain } = turn.options;
  const finishedAt = turn.now();
  return {
    stats: turnStats({ turn }, finishedAt),
    errors: turn.problems,
    warnings: turn.trace.flatMap((entry) => {
      if (entry.type !== "warning") return [];
      const { type: _type, ...warning } = entry;
      return [warning];
    }),
    ...(text === "" ? { reason: emptyReason(run) } : {}),
    ...(turn.activity === undefined ? {} : { activatedRails: turn.activity.rails(finishedAt) }),
    why: (flow) => {
      const known = services.program.flows.some(({ id }) => id === flow) || run.engine.state.definitions.has(flow);
      if (!known) throw unknownColang2Flow(services, flow);
      return why(turn.trace, flow);
    },
    ...(log?.llmCalls === true || explain === true ? { llmCalls: turn.llmCalls } : {}),
    ...(log?.internalEvents === true ? { internalEvents: events } : {}),
    ...(log?.colangHistory === true || explain === true
      ? { colangHistory: printHistory([...run.past(), ...historyEvents(events)]) }
      : {}),
  };
}

function emptyReason({ turn }: Colang2Run): string {
  if (turn.decisions.some(({ status }) => status === "blocked")) return "a rail blocked without saying anything";
  return "no flow said anything";
}
