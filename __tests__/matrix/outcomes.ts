import { AsyncLocalStorage } from "node:async_hooks";
import type { Runnable } from "@langchain/core/runnables";
import { Guardrails, type GuardrailsOptions, inputModeration, outputModeration } from "../../src/index.js";
import type { Cell } from "./cell.js";
import { MatrixModel } from "./matrix-model.js";

export const DIALECTS = ["1.0", "2.x"] as const;
export type Dialect = (typeof DIALECTS)[number];

/** Meaning of a rail that finds the marker. */
export const OUTCOMES = ["block", "mask", "error", "timeout"] as const;
export type Outcome = (typeof OUTCOMES)[number];

export const MARKER = /zqm\d{5}x/g;
export const MASK = "[hidden]";
export const REFUSAL = "REFUSED";

/** The cell that runs, for actions and models that many cells share. */
export const currentCell = new AsyncLocalStorage<Cell>();

const STAGES = {
  input: ["review user", "user_message"],
  output: ["review bot", "bot_message"],
  retrieval: ["review evidence", "relevant_chunks"],
  tool_output: ["review call", "tool_args"],
  tool_input: ["review result", "tool_message"],
} as const;

const camel = (name: string): string => `${name[0]?.toUpperCase()}${name.slice(1)}Action`;

function railsIn(dialect: Dialect, outcome: Outcome): string {
  const rails = Object.values(STAGES).map(([rail, variable]) => {
    if (dialect === "1.0") {
      return outcome === "mask"
        ? `define subflow ${rail}\n  $${variable} = execute hide(text=$${variable})\n`
        : `define subflow ${rail}\n  $allowed = execute look(text=$${variable})\n  if not $allowed\n    bot refuse\n    stop\n`;
    }
    return outcome === "mask"
      ? `flow ${rail}\n  global $${variable}\n  $${variable} = await ${camel("hide")}(text=$${variable})\n`
      : `flow ${rail}\n  global $${variable}\n  $allowed = await ${camel("look")}(text=$${variable})\n  if not $allowed\n    bot say "${REFUSAL}"\n    abort\n`;
  });
  const head = dialect === "1.0" ? `define bot refuse\n  "${REFUSAL}"\n` : "import core\n";
  return [head, ...rails].join("\n");
}

/** A text, or the values of an object, with every marker hidden. */
function hide(value: unknown): unknown {
  if (typeof value === "string") return value.replaceAll(MARKER, MASK);
  if (Array.isArray(value)) return value.map(hide);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [hide(key), hide(inner)]));
}

const ACTIONS: Readonly<Record<Exclude<Outcome, "mask">, (text: string) => unknown>> = {
  block: () => false,
  error: (text) => {
    throw new Error(`cannot read ${text}`);
  },
  timeout: () => new Promise(() => undefined),
};

const made = new Map<string, Promise<Guardrails>>();

/** The configuration of a dialect whose rails of all stages do the same with a marker; made once. */
export function guardrailsOf(dialect: Dialect, outcome: Outcome): Promise<Guardrails> {
  const key = `${dialect} ${outcome}`;
  let guardrails = made.get(key);
  if (guardrails === undefined) made.set(key, (guardrails = make(dialect, outcome)));
  return guardrails;
}

function make(dialect: Dialect, outcome: Outcome): Promise<Guardrails> {
  const flows = Object.entries(STAGES).map(([stage, [rail]]) => [stage, { flows: [rail] }]);
  return Guardrails.fromConfig(
    { colang: railsIn(dialect, outcome), config: { colang_version: dialect, rails: Object.fromEntries(flows) } },
    optionsOf(outcome),
  );
}

const steps = new Map<string, Runnable>();

/** A step without a configuration folder; made once for each dialect and outcome. */
export function moderationOf({ dialect, outcome }: Cell, stage: "input" | "output"): Runnable {
  const key = `${dialect} ${outcome} ${stage}`;
  let step = steps.get(key);
  if (step === undefined) {
    const makeStep = stage === "input" ? inputModeration : outputModeration;
    const colang = railsIn(dialect, outcome);
    const settings = { colang_version: dialect };
    step = makeStep({ ...optionsOf(outcome), rails: [STAGES[stage][0]], colang, settings }) as unknown as Runnable;
    steps.set(key, step);
  }
  return step;
}

function optionsOf(outcome: Outcome): GuardrailsOptions {
  const look = (text: string): boolean => {
    const cell = currentCell.getStore();
    const found = text.match(MARKER) !== null;
    if (found && cell !== undefined) cell.wasReviewed = true;
    return found;
  };
  return {
    llm: new MatrixModel(() => currentCell.getStore()),
    timeoutMs: 5,
    onDecision: (decision) => void currentCell.getStore()?.left.push(JSON.stringify(decision)),
    actions: {
      look: ({ text }: { text: unknown }) => {
        const whole = JSON.stringify(text ?? "");
        return look(whole) ? ACTIONS[outcome as keyof typeof ACTIONS](whole) : true;
      },
      hide: ({ text }: { text: unknown }) => {
        look(JSON.stringify(text ?? ""));
        return hide(text);
      },
    },
  };
}
