import type { EventDraft } from "../engine/events.js";
import type { RailDecision } from "./decision.js";
import type { ActivatedRail, ExecutedAction } from "./result.js";

/** Flows of the pipeline itself, which the log omits. */
const BOOKKEEPING: ReadonlySet<string> = new Set(
  "process user input,run input rails,run dialog rails,run retrieval rails,process bot message,run output rails".split(
    ",",
  ),
);

/** The flow that renders a refusal. */
const WORDING = "generate bot message";

/** Returns true if the steps of a flow belong to the rail rather than to the surrounding pipeline. */
export function isOfRail(flow: unknown): boolean {
  return typeof flow === "string" && flow !== WORDING && !BOOKKEEPING.has(flow);
}

/** Verdict fields included in the log. */
const DETAILS = ["reason", "categories", "score", "threshold", "metadata"] as const;

/** Row for actions started by an event from outside. */
const ROOT = "root";

interface Row {
  readonly name: string;
  readonly rail?: RailDecision;
  readonly decisions: string[];
  readonly executedActions: ExecutedAction[];
  readonly startedAt: number;
  readonly finishedAt?: number;
}

/** Steps and actions of a rail's run. */
export interface RailActivity {
  readonly steps: readonly string[];
  readonly actions: readonly ExecutedAction[];
  readonly startedAt: number;
  readonly finishedAt: number;
}

/** Rails and flows of a turn in run order, with their decisions. */
export class ActivityLog {
  readonly #rows: Row[] = [];
  #current: Row | undefined;

  /** Records a step of a conversation flow. */
  step(flow: string, step: EventDraft, now: number): void {
    if (BOOKKEEPING.has(flow)) return;
    const decision = stepName(step);
    if (decision !== undefined) this.#open(flow, now).decisions.push(decision);
  }

  action(action: ExecutedAction): void {
    (this.#current ?? this.#open(ROOT, action.startedAt)).executedActions.push(action);
  }

  rail(decision: RailDecision, { steps, actions, startedAt, finishedAt }: RailActivity): void {
    const decisions = [...steps];
    if (isBlock(decision) && !decisions.includes("stop")) decisions.push("stop");
    const name = decision.flow ?? decision.rail;
    this.#rows.push({ name, rail: decision, decisions, executedActions: [...actions], startedAt, finishedAt });
  }

  /** Adds the rails of another log. */
  add(log: ActivityLog): void {
    this.#rows.push(...log.#rows);
  }

  /** For concurrent rails: `close` sorts those that ended since then into the given order. */
  openOrder(): { close(rails: readonly string[]): void } {
    const from = this.#rows.length;
    const place = (row: Row, rails: readonly string[]): number => rails.indexOf(row.rail?.rail ?? "");
    return {
      close: (rails) => {
        const ended = this.#rows.splice(from);
        this.#rows.push(...ended.sort((a, b) => place(a, rails) - place(b, rails)));
      },
    };
  }

  rails(finishedAt: number): readonly ActivatedRail[] {
    return this.#rows.map((row, index) => toActivatedRail(row, this.#rows[index + 1]?.startedAt ?? finishedAt));
  }

  #open(name: string, startedAt: number): Row {
    if (this.#current?.name === name) return this.#current;
    const row: Row = { name, decisions: [], executedActions: [], startedAt };
    this.#rows.push(row);
    this.#current = row;
    return row;
  }
}

/** Describes a step for the log; events that a flow only creates are not listed. */
export function stepName(step: EventDraft): string | undefined {
  if (step.type === "BotIntent") return String(step["intent"]);
  return step.type === "StartInternalSystemAction" ? `execute ${String(step["action_name"])}` : undefined;
}

function isBlock({ status, shadow }: RailDecision): boolean {
  return (status === "blocked" || status === "error") && shadow === undefined;
}

function toActivatedRail(row: Row, nextStart: number): ActivatedRail {
  const { name, rail, decisions, executedActions, startedAt } = row;
  const finishedAt = row.finishedAt ?? nextStart;
  const details = DETAILS.filter((key) => rail?.[key] !== undefined).map((key) => [key, rail?.[key]] as const);
  return {
    type: rail ? rail.stage : isGeneration(row) ? "generation" : "dialog",
    name,
    decisions,
    executedActions,
    stop: rail ? isBlock(rail) : decisions.includes("stop"),
    ...(details.length === 0 ? {} : { additionalInfo: Object.fromEntries(details) }),
    startedAt,
    finishedAt,
    durationMs: finishedAt - startedAt,
  };
}

/** A turn whose first stage already answered has no intent: its model call was the response. */
function isGeneration({ name, executedActions }: Row): boolean {
  if (name === WORDING) return true;
  const [action, ...others] = executedActions;
  if (name !== "generate user intent" || action === undefined || others.length > 0) return false;
  const [call, ...more] = action.llmCalls;
  return more.length === 0 && (call?.task === "general" || call?.task === "passthrough");
}
