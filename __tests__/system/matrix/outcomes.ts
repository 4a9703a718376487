import { AsyncLocalStorage } from "node:async_hooks";
import type { Runnable } from "@langchain/core/runnables";
import { Guardrails, type GuardrailsOptions, inputModeration, outputModeration } from "../../../src/index.js";
import { defineAction } from "../../../src/langchain/rails.js";
import type { Cell } from "./cell.js";
import { MatrixModel } from "./matrix-model.js";

export const DIALECTS = ["1.0", "2.x"] as const;
export type Dialect = (typeof DIALECTS)[number];

/** Outcome of a rail that finds the marker. */
export const OUTCOMES = ["block", "mask", "error", "timeout"] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Outcome of a rail, whatever it finds. */
export type Behaviour = Outcome | "pass";

export const MARKER = /zqm\d{5}x/g;
export const MASK = "[hidden]";
export const REFUSAL = "REFUSED";

/** The cell that runs, for actions and models that many cells share. */
export const currentCell = new AsyncLocalStorage<Cell>();

/** Stages with the variable that their rails read. */
export const STAGES = {
  input: "user_message",
  output: "bot_message",
  retrieval: "relevant_chunks",
  tool_output: "tool_args",
  tool_input: "tool_message",
} as const;
export type Stage = keyof typeof STAGES;

/** Rails of a configuration by stage, each by its behaviour. */
export type RailPlan = Readonly<Record<Stage, readonly Behaviour[]>>;

export const railName = (stage: Stage, behaviour: Behaviour, at: number): string =>
  `${behaviour} ${stage.replace("_", " ")} ${"abcdefgh"[at] ?? "z"}`;

export const ruledBy = (behaviour: Behaviour): RailPlan => {
  const rails = [behaviour];
  return { input: rails, output: rails, retrieval: rails, tool_output: rails, tool_input: rails };
};

/** The names of a plan's rails, in the form of the configuration. */
export const flowsOf = (plan: RailPlan): Record<string, { flows: string[] }> =>
  Object.fromEntries(
    (Object.keys(STAGES) as Stage[]).map((stage) => [
      stage,
      { flows: plan[stage].map((behaviour, at) => railName(stage, behaviour, at)) },
    ]),
  );

/** The rails of a plan as flows of a dialect. */
export function colangOf(dialect: Dialect, plan: RailPlan): string {
  const rails = (Object.keys(STAGES) as Stage[]).flatMap((stage) =>
    plan[stage].map((behaviour, at) => railOf(dialect, behaviour, railName(stage, behaviour, at), STAGES[stage])),
  );
  const head = dialect === "1.0" ? `define bot refuse\n  "${REFUSAL}"\n` : "import core\n";
  return [head, ...rails].join("\n");
}

function railOf(dialect: Dialect, behaviour: Behaviour, name: string, variable: string): string {
  const text = `text=$${variable}`;
  if (dialect === "1.0") {
    return behaviour === "mask"
      ? `define subflow ${name}\n  $${variable} = execute hide(${text})\n`
      : `define subflow ${name}\n  $allowed = execute look_${behaviour}(${text})\n  if not $allowed\n    bot refuse\n    stop\n`;
  }
  const action = behaviour === "mask" ? "HideAction" : `Look${behaviour[0]?.toUpperCase()}${behaviour.slice(1)}Action`;
  return behaviour === "mask"
    ? `flow ${name}\n  global $${variable}\n  $${variable} = await ${action}(${text})\n`
    : `flow ${name}\n  global $${variable}\n  $allowed = await ${action}(${text})\n  if not $allowed\n    bot say "${REFUSAL}"\n    abort\n`;
}

/** A text, or the values of an object, with every marker hidden. */
function hide(value: unknown): unknown {
  if (typeof value === "string") return value.replaceAll(MARKER, MASK);
  if (Array.isArray(value)) return value.map(hide);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [hide(key), hide(inner)]));
}

const VERDICTS: Readonly<Record<Exclude<Behaviour, "mask">, (text: string) => unknown>> = {
  pass: () => true,
  block: () => false,
  error: (text) => {
    throw new Error(`cannot read ${text}`);
  },
  timeout: () => new Promise(() => undefined),
};

/** Records that a rail reviews the text; returns true if it contains the marker. */
function finds(text: string): boolean {
  const cell = currentCell.getStore();
  const found = text.match(MARKER) !== null;
  if (found && cell !== undefined) cell.wasReviewed = true;
  return found;
}

/** Actions and options that all configurations share; `isVerdict` promises that the rails only judge. */
export function optionsOf(isVerdict = false): GuardrailsOptions {
  const looks = Object.entries(VERDICTS).map(([behaviour, decide]) => {
    const name = `look_${behaviour}`;
    const look = ({ text }: { readonly text?: unknown }): unknown => {
      const whole = JSON.stringify(text ?? "");
      return finds(whole) ? decide(whole) : true;
    };
    return [name, isVerdict ? defineAction({ name, verdict: true }, look) : look] as const;
  });
  return {
    llm: new MatrixModel(() => currentCell.getStore()),
    timeoutMs: 5,
    onDecision: (decision) => currentCell.getStore()?.decide(decision),
    actions: {
      ...Object.fromEntries(looks),
      hide: ({ text }: { text: unknown }) => {
        finds(JSON.stringify(text ?? ""));
        return hide(text);
      },
    },
  };
}

const made = new Map<string, Promise<Guardrails>>();

/** The configuration of a dialect whose rails of all stages have the same outcome for a marker; created once. */
export function guardrailsOf(dialect: Dialect, outcome: Outcome): Promise<Guardrails> {
  const key = `${dialect} ${outcome}`;
  let guardrails = made.get(key);
  if (guardrails === undefined) {
    const plan = ruledBy(outcome);
    const config = { colang_version: dialect, rails: flowsOf(plan) };
    made.set(key, (guardrails = Guardrails.fromConfig({ colang: colangOf(dialect, plan), config }, optionsOf())));
  }
  return guardrails;
}

const steps = new Map<string, Runnable>();

/** A step without a configuration folder; created once for each dialect and outcome. */
export function moderationOf({ dialect, outcome }: Cell, stage: "input" | "output"): Runnable {
  const key = `${dialect} ${outcome} ${stage}`;
  let step = steps.get(key);
  if (step === undefined) {
    const makeStep = stage === "input" ? inputModeration : outputModeration;
    const colang = colangOf(dialect, ruledBy(outcome));
    const settings = { colang_version: dialect };
    const rails = [railName(stage, outcome, 0)];
    step = makeStep({ ...optionsOf(), rails, colang, settings }) as unknown as Runnable;
    steps.set(key, step);
  }
  return step;
}
