import type { RailsConfig } from "../../config/rails-config.js";
import { attempt } from "../../engine/walk.js";
import { Guardrails } from "../../langchain/guardrails.js";
import type { LlmCallRecord } from "../../llm/task/call-model.js";
import type { Interaction } from "../../tracing/interaction.js";
import type { GuardrailsMetadata } from "../../turn/decision.js";
import { flowsOf, stepsOf } from "../../turn/flow-steps.js";
import type { TurnLog, TurnResult } from "../../turn/result.js";
import { spansOf } from "./describe-span.js";
import type { PlaygroundFlow, PlaygroundStep, PlaygroundTurn } from "./wire.js";

/** Data of a finished turn. */
export interface TurnParts {
  readonly user: string;
  readonly reply: string;
  readonly verdict: GuardrailsMetadata | undefined;
  /** Absent if the call ended before its trace. */
  readonly trace: Interaction | undefined;
  /** Turns of the dialog with their logs. */
  readonly results: readonly TurnResult[];
  readonly config: RailsConfig;
  /** Message of the error that ended the turn. */
  readonly failure?: string;
}

/** Maximum number of steps and flows of a turn that the page shows. */
const MAX_STEPS = 500;
const MAX_FLOWS = 200;

/** Returns a turn with all details that the page shows. */
export function describeTurn({ user, reply, verdict, trace, results, config, failure }: TurnParts): PlaygroundTurn {
  const logs = results.map(({ log }) => log);
  const calls = logs.flatMap(({ llmCalls = [] }) => llmCalls);
  const steps = results.flatMap((result) => result.trace?.() ?? []);
  const { blocked = false, rail, stage } = verdict ?? {};
  return {
    user,
    reply,
    blocked,
    ...(rail === undefined ? {} : { rail }),
    ...(stage === undefined ? {} : { stage }),
    durationMs: trace === undefined ? 0 : Math.round((trace.finishedAt - trace.startedAt) * 100) / 100,
    spans: trace === undefined ? [] : spansOf(trace, calls),
    steps: stepsOf(steps, config, false)
      .slice(0, MAX_STEPS)
      .map(({ kind, flow, text, location }): PlaygroundStep => ({
        kind,
        flow,
        text,
        ...(location === undefined ? {} : { file: location.file, line: location.line }),
      })),
    flows: explainFlows(logs.at(-1), config),
    problems: [...(failure === undefined ? [] : [failure]), ...logs.flatMap(problemsOf)],
    script: scriptOf(calls),
  };
}

/** Returns the reasons why each flow of the configuration acted or did not act. Flows that no event concerned come last. */
function explainFlows(log: TurnLog | undefined, config: RailsConfig): readonly PlaygroundFlow[] {
  if (log === undefined) return [];
  const names = [...new Set(flowsOf(config))].slice(0, MAX_FLOWS);
  const flows = names.flatMap((name) => attempt(() => log.why(name)) ?? []);
  const isUnseen = ({ outcome }: PlaygroundFlow): number => (outcome === "unseen" ? 1 : 0);
  return flows.sort((left, right) => isUnseen(left) - isUnseen(right));
}

function problemsOf({ errors, warnings, reason }: TurnLog): readonly string[] {
  return [
    ...errors.map(({ code, message }) => `${code}: ${message}`),
    ...warnings.map(({ code, message }) => `${code}: ${message}`),
    ...(reason === undefined ? [] : [reason]),
  ];
}

/** Returns the completions as the script of a test case: judges by task or model type, all others under the main model. */
function scriptOf(calls: readonly LlmCallRecord[]): PlaygroundTurn["script"] {
  const tasks = new Set(Guardrails.catalog().flatMap(({ needs: { tasks = [] } = {} }) => tasks));
  // Some rails also call the main model.
  tasks.delete("general");
  const reply: string[] = [];
  const models: Record<string, string[]> = Object.create(null) as Record<string, string[]>;
  for (const { task, completion } of calls) {
    const [name = task] = task.split(" ");
    const type = /\$model=["']?([\w-]+)/.exec(task)?.[1] ?? (tasks.has(name) ? name : undefined);
    if (type === undefined) reply.push(completion);
    else (models[type] ??= []).push(completion);
  }
  return { reply, models: { ...models } };
}
