import { omitUndefined, type Made, isMap, describeValue } from "../engine/plain-data.js";
import { DEFAULT_REFUSAL } from "../engine/default-refusal.js";
import { parseFlowReference } from "../engine/flow-reference.js";
import { ActionError, GuardrailsError, ColangRuntimeError, type OnError } from "../diagnostics/errors.js";
import type { GuardrailsEvent } from "../engine/events.js";
import { type RailDecision, type RailStage, type RailStatus, isToolStage, sumUsage } from "../turn/decision.js";
import { redactData, redactDetails, textsIn } from "../turn/redact-data.js";
import { cannotQuote } from "../actions/fixed-details.js";
import { createRedactor, type Redactor } from "../turn/redactor.js";
import type { RailOutcome, RailRequest, RailNotes } from "./rail-dialect.js";
import type { RailServices } from "./services.js";
import { toolMetadata } from "./tools/tool-subject.js";
import { reportProblem } from "../turn/problem-log.js";

/** The variable that the rails of a stage review and may rewrite. */
export const REWRITTEN = {
  input: "user_message",
  output: "bot_message",
  retrieval: "relevant_chunks",
  tool_output: "tool_args",
  tool_input: "tool_message",
} as const;

export function decisionStage(stage: RailRequest["stage"]): RailStage {
  return isToolStage(stage) ? "execution" : stage;
}

/** Start time and notes of the run of a rail. */
export interface RailRecord {
  readonly startedAt: number;
  readonly notes: RailNotes;
}

/** Returns the decision of a run, without the texts that only its outcome knows: refusal, error, policy. */
export function baseDecision(
  request: RailRequest,
  flow: string,
  status: RailStatus,
  record: RailRecord,
): Made<RailDecision> {
  const usage = sumUsage(record.notes.llmCalls);
  const { score, threshold, ...texts } = record.notes.details;
  const redacted = cannotQuote(texts) ? texts : redactDetails(texts, subjectRedactor(request));
  const { reason, categories, metadata: details } = redacted;
  const { stage, rail, about } = request;
  const metadata = isToolStage(stage) ? { ...details, ...toolMetadata(request.context, stage) } : details;
  const durationMs = request.turn.now() - record.startedAt;
  // Assigned field by field: a loop over the fields takes longer than most rails.
  const decision: Made<RailDecision> = { status, stage: decisionStage(stage), rail, flow, durationMs };
  if (about !== undefined) decision.about = about;
  if (reason !== undefined) decision.reason = reason;
  if (categories !== undefined) decision.categories = categories;
  if (score !== undefined) decision.score = score;
  if (threshold !== undefined) decision.threshold = threshold;
  if (metadata !== undefined) decision.metadata = metadata;
  if (usage !== undefined) decision.usage = usage;
  return decision;
}

const DEEPEST_CAUSE = 5;

/** Returns the policy for a failure: as set for the rail, which its error carries, otherwise that of the runtime. */
export function policyFor(services: RailServices, error: unknown): OnError {
  return ownPolicy(error) ?? services.onError;
}

function ownPolicy(error: unknown): OnError | undefined {
  let cause = error;
  for (let depth = 0; depth < DEEPEST_CAUSE && cause instanceof Error; depth += 1) {
    if (ActionError.isInstance(cause) && cause.onError !== undefined) return cause.onError;
    cause = cause.cause;
  }
  return undefined;
}

/** A failed rail. */
interface FailedRail {
  readonly flow: string;
  readonly onError: OnError;
}

/** Reports a failed rail in the log, and returns its decision with the status `error`. */
export async function errorDecision(
  services: RailServices,
  request: RailRequest,
  { flow, error, onError }: FailedRail & { readonly error: unknown },
  record: RailRecord,
): Promise<RailDecision> {
  const { message: reason, cause } = redactError(error, request);
  const code = GuardrailsError.isInstance(error) ? error.code : "RL-104";
  const problem = { code, message: reason, flow, cause };
  reportProblem(services, request.turn, problem, {
    rail: request.rail,
    stage: decisionStage(request.stage),
    cause: error,
    effect: EFFECTS[request.isShadow === true ? "shadow" : onError],
  });
  const refusal = onError === "block" && request.isShadow !== true ? await refusalText(services, request) : undefined;
  const base = baseDecision(request, flow, "error", record);
  const metadata = isToolStage(request.stage) ? { ...base.metadata, code } : { code };
  return { ...base, reason, ...omitUndefined({ refusal, onError: ownPolicy(error) }), metadata };
}

const EFFECTS = {
  block: "the text it checked is blocked",
  allow: 'the text passed unchecked (`onError: "allow"`)',
  throw: "the call is rejected",
  shadow: "its shadow verdict is unknown",
} as const;

/** Variables with conversation texts, besides the one that the rails of a stage review. */
const CONVERSATION = ["user_message", "bot_message"] as const;

/** INVARIANT: decisions, errors and logs never quote texts that a rail reviewed, even if a model wrote them. */
function subjectRedactor({ context, stage }: Pick<RailRequest, "context" | "stage">): Redactor | undefined {
  const names = new Set<string>([REWRITTEN[stage], ...CONVERSATION]);
  return createRedactor([...names].flatMap((name) => textsIn(context[name])));
}

/** INVARIANT: the exception of a rail quotes neither the text it reviewed nor texts that rails of the turn rewrote. */
export function raisedRedactor({ context, stage, turn }: RailRequest): Redactor | undefined {
  const rewritten = turn.rewrites.map(({ from }) => ({ text: from, replacement: turn.rewritesTo(from) }));
  return createRedactor([...textsIn(context[REWRITTEN[stage]]), ...rewritten]);
}

/** Returns an error of the same class without quotes of the texts that the rail reviewed. */
export function redactError(
  error: unknown,
  request: Pick<RailRequest, "context" | "stage">,
): { readonly message: string; readonly cause: unknown } {
  const message = error instanceof Error ? error.message : String(error);
  const redactor = subjectRedactor(request);
  return {
    message: redactor?.redact(message) ?? message,
    cause: redactData(error, redactor, "mark"),
  };
}

/** Renders the configured `bot refuse to respond`; if that fails too, a fixed text, since a block must hold. */
async function refusalText(services: RailServices, request: RailRequest): Promise<string> {
  try {
    const text = await services.rails.refusal(request.context);
    if (text !== undefined && text !== "") return reworded(services, request, text);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const problem = { code: "PR-101", message, cause: error };
    reportProblem(services, request.turn, problem, { flow: "bot refuse to respond" });
  }
  return reworded(services, request, DEFAULT_REFUSAL);
}

/** Returns the refusal configured for the rail and the user's language. */
export function reworded(
  { refusals }: RailServices,
  { rail, context }: RailRequest,
  text: string,
  categories?: readonly string[],
): string {
  if (refusals === undefined) return text;
  const userText = context["user_message"] ?? context["last_user_message"];
  return refusals.reword(parseFlowReference(rail).id, text, userText, categories);
}

/** Returns the outcome of a failed rail under its policy: a pass, an exception event or a refusal. */
export function failedOutcome(
  services: RailServices,
  request: RailRequest,
  { flow, onError }: FailedRail,
  decision: RailDecision,
): RailOutcome {
  const base = { reference: request.rail, flow, contextUpdates: {}, decision };
  if (onError === "allow") return { ...base, blocked: false, entries: [] };
  if (services.config.settings.enable_rails_exceptions) {
    const exception: GuardrailsEvent = {
      type: FAILURE_EVENTS[request.stage],
      message: `Rail \`${flow}\` failed, so it blocked.`,
    };
    return { ...base, blocked: true, exception, entries: [exception] };
  }
  const refusal = decision.refusal ?? "";
  return {
    ...base,
    blocked: true,
    refusal,
    entries: [
      { note: { type: "BotIntent", intent: "refuse to respond" } },
      { type: "StartUtteranceBotAction", script: refusal },
    ],
  };
}

/** Types of the events for a failed rail, by stage, with `enable_rails_exceptions`. */
const FAILURE_EVENTS = {
  input: "InputRailException",
  output: "OutputRailException",
  retrieval: "RetrievalRailException",
  tool_output: "ToolOutputRailException",
  tool_input: "ToolInputRailException",
} as const;

type Variables = Readonly<Record<string, unknown>>;

const TEXT = { what: "a text", is: (value: unknown) => typeof value === "string" };

/** Valid values of variables with texts and arguments. */
const EXPECTED = new Map<string, { readonly what: string; readonly is: (value: unknown) => boolean }>([
  ["user_message", TEXT],
  ["bot_message", TEXT],
  ["relevant_chunks", TEXT],
  ["tool_message", TEXT],
  ["relevant_chunks_sep", { what: "a list of texts", is: isTexts }],
  ["tool_args", { what: "a map", is: isMap }],
]);

/**
 * Checks the texts that a rail assigned. INVARIANT: a rail that should rewrite a text and leaves none fails, so neither
 * the old text nor an empty one is released.
 *
 * @param updates - variables that the rail changed; a list of chunks becomes one text and its parts
 * @throws ColangRuntimeError RL-108 for a value that is not a text, or arguments of a tool that are not a map
 */
export function checkRewritten(flow: string, before: Variables, updates: Record<string, unknown>): void {
  const { relevant_chunks: chunks } = updates;
  if (isTexts(chunks) && chunks.length > 0) {
    if (!Object.hasOwn(updates, "relevant_chunks_sep")) updates["relevant_chunks_sep"] = [...chunks];
    updates["relevant_chunks"] = chunks.join("\n");
  }
  for (const name of Object.keys(updates)) {
    const expected = EXPECTED.get(name);
    const value = updates[name] ?? undefined;
    // A variable that had no value has nothing to lose.
    if (expected === undefined || (value === undefined && (before[name] ?? undefined) === undefined)) continue;
    if (expected.is(value)) continue;
    const message = `expected the rail \`${flow}\` to leave ${expected.what} in \`$${name}\`, got ${describeValue(updates[name])}`;
    throw new ColangRuntimeError(message, { code: "RL-108", flow });
  }
}

export function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
