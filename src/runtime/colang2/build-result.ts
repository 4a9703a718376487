import { splitActionEvent } from "../../colang2/action-events.js";
import type { GuardrailsEvent } from "../../engine/events.js";
import { reasoningOf, type Turn } from "../../turn/turn.js";
import { summarizeDecisions } from "../../turn/decision.js";
import type { TurnOptions } from "../../turn/options.js";
import { reportProblem } from "../../turn/problem-log.js";
import type { TurnResult } from "../../turn/result.js";
import type { Redactor } from "../../turn/redactor.js";
import { redactException } from "../../rails/review-exception.js";
import { outputData, turnLog } from "../turn-log.js";
import { callsOf } from "./tools/delegated-calls.js";
import { explainColang2Flow } from "./explain.js";
import { historyEvents } from "./run.js";
import { type Colang2Run, utterancesOf, type Colang2Services } from "./run.js";

/** The visible parts of a turn. */
interface VisibleTurn {
  readonly events: readonly GuardrailsEvent[];
  /** For the world outside. */
  readonly output: readonly GuardrailsEvent[];
  readonly state: unknown;
  /** Finds quotes of texts that a rail blocked or rewrote. */
  readonly redactor: Redactor | undefined;
}

export interface PendingResult {
  readonly status: TurnResult["status"];
  readonly text: string;
  readonly utterances: readonly string[];
  complete(told: VisibleTurn): TurnResult;
}

/** Puts together what the caller gets. */
export function buildColang2Result(
  services: Colang2Services,
  run: Colang2Run,
  ended: { readonly failed: boolean; readonly output: readonly GuardrailsEvent[] },
): PendingResult {
  const { turn } = run;
  const exception = run.events.findLast(({ type }) => type.endsWith("Exception"));
  const verdict = summarizeDecisions(turn.decisions, services.onError !== "allow");
  const spoken = exception === undefined ? utterancesOf(run.events) : [];
  if (spoken.length + ended.output.length === 0 && exception === undefined && !verdict.blocked)
    noteMain(services, turn);
  // What failed in silence would look like an answer.
  const isFailed = ended.failed || (spoken.length === 0 && !verdict.blocked && turn.problems.length > 0);
  const status = exception !== undefined ? "exception" : isFailed ? "failed" : verdict.blocked ? "blocked" : "answered";
  // A call that was refused and that no flow says anything about is refused to the user.
  const refused = spoken.length === 0 && status === "blocked" ? run.toolRefusal : undefined;
  const kept = refused === undefined ? spoken : [refused];
  const utterances = status === "failed" ? [services.config.settings.messages.internal_error] : kept;
  const text = utterances.join("\n");
  const generated = status === "answered" ? turn.generated : undefined;
  const isAnswer = generated !== undefined && turn.rewritesTo(saidFor(services, generated.text)) === text;
  return {
    status,
    text,
    utterances,
    complete: ({ events, output: sent, state, redactor }) => ({
      status,
      text,
      utterances,
      ...(exception === undefined
        ? {}
        : { exception: redactException(exception, { isWritten: (text) => services.rails.isWritten(text), redactor }) }),
      decisions: turn.decisions,
      verdict,
      userMessage: turn.userTexts.at(-1) ?? "",
      userMessages: [...(run.userSide?.() ?? turn.readTexts)],
      ...(isAnswer && generated !== undefined ? { generated } : {}),
      ...reasoningOf(turn),
      ...outputData(turn, run.engine.globals),
      ...(turn.options.llmOutput === true ? { llmOutput: turn.llmOutput } : {}),
      ...delegatedActions(services, turn.options, { output: sent, status }),
      log: turnLog(turn, {
        events,
        history: () => [...run.past(), ...historyEvents(events)],
        reason: text === "" ? emptyReason(run) : undefined,
        why: (flow) => explainColang2Flow(services, run, turn, flow),
        redactor,
      }),
      ...(state === undefined ? {} : { state }),
    }),
  };
}

/** Returns an answer as flows receive it: an empty one is replaced. */
function saidFor({ config }: Colang2Services, answer: string): string {
  return answer.trim() === "" ? config.settings.messages.no_answer : answer;
}

/** Reports a `main` that did not end by itself, since the bot is silent from then on. */
function noteMain(services: Colang2Services, turn: Turn): void {
  const { trace, problems } = turn;
  const end = trace.findLast((entry) => entry.type === "aborted" && entry.flow === "main");
  if (problems.length > 0 || end?.type !== "aborted") return;
  // INVARIANT: of the reason only its kind is told; the rest may quote what a rail blocked.
  const [reason = ""] = end.why.split(":");
  const meaning = MAIN_ENDS.get(reason);
  if (meaning === undefined) return;
  const problem = { code: "C2-407", message: `flow \`main\` cannot go on: ${meaning}`, flow: "main" };
  reportProblem(services, turn, problem, { flow: "main" });
}

const MAIN_ENDS: ReadonlyMap<string, string> = new Map([
  ["impossible", "what it waits for cannot come any more"],
  ["conflict", "another flow acted in its place"],
  ["budget", "the events of this turn are used up"],
  ["invalid_arguments", "the arguments of a flow do not fit"],
  ["scope_ended", "what it is a part of has ended"],
]);

/** Actions for the host outside, and all other events that were sent. */
function delegatedActions(
  services: Colang2Services,
  options: TurnOptions,
  { output, status }: { readonly output: readonly GuardrailsEvent[]; readonly status: TurnResult["status"] },
): Pick<TurnResult, "actions" | "toolCalls" | "events"> {
  const actions = output.filter(({ type }) => splitActionEvent(type)?.member === "Start");
  const events = output.filter((event) => !actions.includes(event) && !event.type.startsWith("UtteranceBotAction"));
  const calls = status === "answered" ? callsOf(services, output, options) : [];
  return {
    ...(actions.length === 0 ? {} : { actions }),
    ...(calls.length === 0 ? {} : { toolCalls: calls }),
    ...(events.length === 0 ? {} : { events }),
  };
}

function emptyReason({ turn }: Colang2Run): string {
  if (turn.decisions.some(({ status }) => status === "blocked")) return "a rail blocked without saying anything";
  return "no flow said anything";
}
