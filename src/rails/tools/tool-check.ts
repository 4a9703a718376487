import { isMap, omitUndefined } from "../../engine/plain-data.js";
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
import { alonePlan, type RailGroup, isNamed, selectFrom, verdictRails } from "../plan.js";
import { type GroupRequest, runGroup } from "../run-group.js";
import { ShadowRails } from "../run-shadow.js";
import type { RailServices } from "../services.js";
import { railsForTool, shadowForTool, TOOL_VALIDATION } from "./tool-rails.js";
import { type ToolSubject, toolVariables } from "./tool-subject.js";
import type { Turn } from "../../turn/turn.js";

/** Result of the tool rails on a call or a result. */
export interface ToolCheck {
  readonly status: RailStatus;
  /** The arguments after review, if a rail changed them. */
  readonly args?: Readonly<Record<string, unknown>>;
  /** The result after review, with its extra lines. */
  readonly result: string;
  /** Message to the calling model. */
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
 * Runs the rails for one tool over a call or a result: those that may change it in order, those that only judge
 * concurrently, unless `parallel` says otherwise. Stops at the first block.
 */
export async function checkTool(
  services: RailServices,
  call: Turn,
  stage: ToolStage,
  subject: ToolSubject,
): Promise<ToolCheck> {
  const { options } = call;
  const listed = selectToolRails(services, stage, subject.tool, options);
  const checking = subject.failed === true ? listed.filter((rail) => !isNamed(rail, TOOL_VALIDATION[stage])) : listed;
  const { result = "", extra = "" } = subject;
  const whole = joinLines(result, extra);
  if (checking.length === 0) {
    return { status: "passed", result: whole, decisions: [], verdict: summarizeDecisions([]) };
  }
  const turn = call.part();
  if (subject.userMessage !== undefined) turn.userTexts = [subject.userMessage];
  const variables: Record<string, unknown> = { ...call.variables };
  assignContext(variables, options.context);
  assignContext(variables, subject.context);
  const context = { ...variables, ...toolVariables(subject, stage) };
  const { config = {} } = options;
  const request = { turn, stage, context, config, cancellation: turn.cancellation, past: () => [] };
  const apart = shadowForTool(services.config.settings.rails, stage, subject.tool);
  const counting = apart.length === 0 ? checking : checking.filter((rail) => !apart.includes(rail));
  const shadow = shadowOf(services, request, checking, apart);
  const run = () => runRails(services, call, request, { rails: counting, whole, hasExtra: extra !== "", shadow });
  try {
    const check = await (shadow === undefined ? run() : shadow.after(run));
    const { decisions } = turn;
    return { ...check, decisions, verdict: summarizeDecisions(decisions, services.onError !== "allow") };
  } finally {
    turn.close();
  }
}

/** Request to run the rails of a tool. */
type ToolRequest = GroupRequest & { readonly stage: ToolStage };

/** Returns the shadow rails; none for unreadable content. */
function shadowOf(
  services: RailServices,
  { turn, stage, context }: ToolRequest,
  rails: readonly string[],
  ofTool: readonly string[],
): ShadowRails | undefined {
  const ofAll = services.railPlans.shadowsOf(stage, rails);
  const shadows = ofTool.length === 0 ? ofAll : rails.filter((rail) => ofAll.includes(rail) || ofTool.includes(rail));
  return shadows.length === 0 || context["tool_problem"] !== null
    ? undefined
    : new ShadowRails(services, turn, shadows);
}

async function runRails(
  services: RailServices,
  call: Turn,
  request: ToolRequest,
  given: {
    readonly rails: readonly string[];
    readonly whole: string;
    readonly hasExtra: boolean;
    readonly shadow: ShadowRails | undefined;
  },
): Promise<Omit<ToolCheck, "decisions" | "verdict">> {
  const { stage, context: original } = request;
  const { whole, hasExtra } = given;
  const selected = verdictRails(services.config.settings.rails, stage, given.rails);
  // A schema describes only the result; all other rails also read its extra lines.
  const alone = hasExtra ? selected.filter((rail) => isNamed(rail, TOOL_VALIDATION[stage])) : selected;
  const others = hasExtra ? selected.filter((rail) => !alone.includes(rail)) : [];
  const first = selected.length === 0 ? [] : planOf(services, alone, stage, original);
  const groups = [...first, ...services.railPlans.of(stage, others)];
  const lastRewriting = groups.findLastIndex(({ rewrites }) => rewrites);
  const shown = hasExtra ? withResult(original, whole) : original;
  let context = original;
  for (let index = 0; ; index += 1) {
    if (hasExtra && index === first.length) context = withResult(context, whole);
    if (index === lastRewriting + 1) {
      const read = hasExtra && index < first.length ? withResult(context, whole) : context;
      given.shadow?.start({ ...request, context: read });
    }
    const group = groups[index];
    if (group === undefined) break;
    const outcomes = await runGroup(services, { ...request, context }, group);
    context = Object.assign({}, context, ...outcomes.map(({ contextUpdates }) => contextUpdates)) as typeof original;
    for (const { contextUpdates } of outcomes) call.assign(contextUpdates);
    const last = outcomes.at(-1);
    if (last?.blocked === true) {
      const status = last.decision.status === "error" ? "error" : "blocked";
      const { refusal, exception } = last;
      return { status, result: whole, ...omitUndefined({ refusal, exception }) };
    }
  }
  const after = hasExtra && others.length === 0 ? shown : context;
  return { status: "passed", result: whole, ...changesOf(shown, after) };
}

function withResult(context: Readonly<Record<string, unknown>>, text: string): Readonly<Record<string, unknown>> {
  return { ...context, tool_message: text };
}

/** INVARIANT: rails cannot judge unreadable content, so it is always refused. */
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

function changesOf(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Partial<Pick<ToolCheck, "status" | "args" | "result">> {
  const { tool_args: args, tool_message: message } = after;
  const hasNewArgs = args !== before["tool_args"] && isMap(args);
  const hasNewText = message !== before["tool_message"] && typeof message === "string";
  return {
    ...(hasNewArgs || hasNewText ? { status: "modified" as const } : {}),
    ...(hasNewArgs ? { args } : {}),
    ...(hasNewText ? { result: message } : {}),
  };
}
