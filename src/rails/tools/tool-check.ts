import { omitUndefined } from "../../engine/plain-data.js";
import type { GuardrailsEvent } from "../../engine/events.js";
import { parseFlowReference } from "../../engine/flow-reference.js";
import { assignContext } from "../../turn/conversation.js";
import {
  type GuardrailsMetadata,
  type RailDecision,
  type RailStatus,
  summarizeDecisions,
  type ToolStage,
} from "../../turn/decision.js";
import { joinLines } from "../../turn/extra-text.js";
import type { TurnOptions } from "../../turn/options.js";
import { alonePlan, type RailGroup, isNamed, selectFrom } from "../plan.js";
import { runGroup } from "../run-group.js";
import type { RailServices } from "../services.js";
import { railsForTool, TOOL_VALIDATION } from "./tool-rails.js";
import { type ToolSubject, toolVariables } from "./tool-subject.js";
import type { Turn } from "../../turn/turn.js";

/** Result of the rails on a tool call or a tool result. */
export interface ToolCheck {
  readonly status: RailStatus;
  /** The arguments afterwards, when a rail changed them. */
  readonly args?: Readonly<Record<string, unknown>>;
  /** The result afterwards, with its extra lines. */
  readonly result: string;
  /** Message to the model that called. */
  readonly refusal?: string;
  readonly exception?: GuardrailsEvent;
  readonly decisions: readonly RailDecision[];
  readonly verdict: GuardrailsMetadata;
}

/** The rails that run for a tool in this call. */
export function selectToolRails(
  services: RailServices,
  stage: ToolStage,
  tool: string,
  options: TurnOptions,
): readonly string[] {
  return selectFrom(railsForTool(services.config.settings.rails, stage, tool), options.rails?.execution);
}

/**
 * Runs the rails for one tool over a call or a result: those that may change it in their order, those that only judge side
 * by side, unless `parallel` says otherwise. The first block ends it.
 */
export async function checkTool(
  services: RailServices,
  call: Turn,
  stage: ToolStage,
  subject: ToolSubject,
): Promise<ToolCheck> {
  const { options } = call;
  const listed = selectToolRails(services, stage, subject.tool, options);
  const selected = subject.failed === true ? listed.filter((rail) => !isNamed(rail, TOOL_VALIDATION[stage])) : listed;
  const { result = "", extra = "" } = subject;
  const whole = joinLines(result, extra);
  const unchanged = { status: "passed", result: whole } as const;
  if (selected.length === 0) return { ...unchanged, decisions: [], verdict: summarizeDecisions([]) };
  const turn = call.part();
  if (subject.userMessage !== undefined) turn.userTexts = [subject.userMessage];
  const variables: Record<string, unknown> = { ...call.variables };
  assignContext(variables, options.context);
  assignContext(variables, subject.context);
  const original = { ...variables, ...toolVariables(subject, stage) };
  const request = {
    turn,
    stage,
    config: options.config ?? {},
    cancellation: turn.cancellation,
    past: () => [],
  };
  try {
    let context: Readonly<Record<string, unknown>> = original;
    // A schema describes the result alone; all other rails read its extra lines too.
    const alone = extra === "" ? selected : selected.filter((rail) => isNamed(rail, TOOL_VALIDATION[stage]));
    const others = extra === "" ? [] : selected.filter((rail) => !alone.includes(rail));
    const first = planOf(services, alone, stage, original);
    const shown = extra === "" ? original : withResult(original, whole);
    for (const [index, group] of [...first, ...services.railPlans.of(stage, others)].entries()) {
      if (index === first.length) context = withResult(context, whole);
      const outcomes = await runGroup(services, { ...request, context }, group);
      context = Object.assign({}, context, ...outcomes.map(({ contextUpdates }) => contextUpdates)) as typeof original;
      for (const { contextUpdates } of outcomes) call.assign(contextUpdates);
      const last = outcomes.at(-1);
      if (last?.blocked === true) {
        const status = last.decision.status === "error" ? "error" : "blocked";
        const { refusal, exception } = last;
        return { ...unchanged, ...omitUndefined({ refusal, exception }), status, ...verdictOf(services, turn) };
      }
    }
    return {
      ...unchanged,
      ...changesOf(shown, extra === "" || others.length > 0 ? context : shown),
      ...verdictOf(services, turn),
    };
  } finally {
    turn.close();
  }
}

function withResult(context: Readonly<Record<string, unknown>>, text: string): Readonly<Record<string, unknown>> {
  return { ...context, tool_message: text };
}

/** INVARIANT: what cannot be read is judged by no rail, so it is refused whatever the rails are. */
function planOf(
  services: RailServices,
  selected: readonly string[],
  stage: ToolStage,
  { tool_problem: problem }: Readonly<Record<string, unknown>>,
): readonly RailGroup[] {
  if (problem === null) return services.railPlans.of(stage, selected);
  const isValidation = (rail: string): boolean => parseFlowReference(rail).id === TOOL_VALIDATION[stage];
  const listed = selected.find(isValidation) ?? TOOL_VALIDATION[stage];
  return [listed, ...selected.filter((rail) => rail !== listed)].map((rail) => alonePlan(rail));
}

function verdictOf(services: RailServices, { decisions }: Turn): Pick<ToolCheck, "decisions" | "verdict"> {
  return { decisions, verdict: summarizeDecisions(decisions, services.onError !== "allow") };
}

function changesOf(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Partial<Pick<ToolCheck, "status" | "args" | "result">> {
  const { tool_args: args, tool_message: message } = after;
  const hasNewArgs = args !== before["tool_args"] && typeof args === "object" && args !== null && !Array.isArray(args);
  const hasNewText = message !== before["tool_message"] && typeof message === "string";
  return {
    ...(hasNewArgs || hasNewText ? { status: "modified" as const } : {}),
    ...(hasNewArgs ? { args: args as Readonly<Record<string, unknown>> } : {}),
    ...(hasNewText ? { result: message } : {}),
  };
}
