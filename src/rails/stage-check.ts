import { isPromise, type MaybePromise } from "../engine/async.js";
import { omitUndefined } from "../engine/plain-data.js";
import { parseFlowReference } from "../engine/flow-reference.js";
import type { GuardrailsEvent } from "../engine/events.js";
import { createDiagnostic } from "../diagnostics/diagnostic.js";
import { DiagnosticError, InputShapeError } from "../diagnostics/errors.js";
import { didYouMean } from "../diagnostics/suggestion.js";
import type { ResponseReview } from "../turn/response.js";
import {
  hasStatus,
  summarizeDecisions,
  type RailDecision,
  type RailStatus,
  isToolStage,
  RAILS_STAGES,
  type RailsStage,
  type StageOutcome,
} from "../turn/decision.js";
import { appendTurn, EMPTY_HISTORY, historyEvents, assignContext, userMessages } from "../turn/conversation.js";
import type { RailSubject, StageResult } from "../turn/result.js";
import type { StreamPlan } from "../turn/stream-plan.js";
import { reasoningOf, type Turn } from "../turn/turn.js";
import { CHUNK_PLACES, placedChunks } from "./chunk-places.js";
import { ReviewSession } from "./review/review-session.js";
import { runRail } from "./run-rail.js";
import { finishStage, runRailsOfStage } from "./run-stage.js";
import type { RailServices } from "./services.js";
import type { StageRequest } from "./rail-dialect.js";

/**
 * Runs the rails of one stage over given texts, as part of the turn; later stages see the variables they set.
 *
 * @throws InputShapeError if the subject lacks the text that the stage checks
 */
export async function checkStage(...given: Parameters<typeof reviewStage>): Promise<StageResult> {
  return reviewStage(...given);
}

/** Like `checkStage`, but synchronous if no rail is asynchronous; errors are then thrown synchronously. */
export function reviewStage(
  services: RailServices,
  turn: Turn,
  stage: RailsStage,
  subject: RailSubject,
): MaybePromise<StageResult> {
  const request = stageRequest(turn.part(), stage, subject);
  noteReasoning(services, request.turn, subject);
  const finish = (outcome: StageOutcome): StageResult => {
    request.turn.close();
    turn.assign(outcome.contextUpdates);
    return toResult(services, request, outcome);
  };
  const fail = (error: unknown): never => {
    request.turn.close();
    throw error;
  };
  let running: MaybePromise<StageOutcome>;
  try {
    running = runRailsOfStage(services, request);
  } catch (error) {
    return fail(error);
  }
  return isPromise(running) ? running.then(finish, fail) : finish(running);
}

/** The output rails for a response that is still being generated. */
export interface StageReview {
  /** Set if the response may be released in parts. */
  readonly review?: ResponseReview | undefined;
  /** Reviews the complete response; reviewed parts are not reviewed again. */
  finish(subject: RailSubject): Promise<StageResult>;
  /** Detaches from the caller's signal if there is nothing to finish. */
  close(): void;
}

/** Opens the review of a streamed response, as part of the turn. */
export function openStageReview(services: RailServices, turn: Turn, plan: StreamPlan | undefined): StageReview {
  const request = stageRequest(turn.part(), "output", { botMessage: "" });
  const review = plan === undefined ? undefined : ReviewSession.open(services, request, plan);
  request.turn.responseReview = review;
  return {
    review,
    finish: async (complete) => {
      const context = { ...request.context, ...contextOf(request.turn, complete, "output") };
      const whole = { ...request, context };
      noteReasoning(services, request.turn, complete);
      try {
        const known = review?.outcomeFor(complete.botMessage);
        const outcome = await finishStage(services, whole, known);
        turn.assign(outcome.contextUpdates);
        return toResult(services, whole, outcome);
      } finally {
        request.turn.close();
      }
    },
    close: () => request.turn.close(),
  };
}

function noteReasoning(services: RailServices, turn: Turn, { reasoning = "" }: RailSubject): void {
  if (reasoning === "" || !services.config.settings.rails.output.apply_to_reasoning_traces) return;
  turn.reasoning = { text: reasoning };
}

function toResult(services: RailServices, request: StageRequest, outcome: StageOutcome): StageResult {
  const { turn } = request;
  const { contextUpdates: updates = {} } = outcome;
  const textIn = (name: string): string => textOf(Object.hasOwn(updates, name) ? updates[name] : request.context[name]);
  const { decisions } = turn;
  const verdict = summarizeDecisions(decisions, services.onError !== "allow");
  const modified = hasStatus(decisions, "modified");
  const blocking: RailStatus = hasStatus(decisions, "blocked") ? "blocked" : "error";
  const status: RailStatus = outcome.blocked ? blocking : modified ? "modified" : "passed";
  const { textAt: blockedAt, refusal, exception } = outcome;
  const isRetrieval = request.stage === "retrieval";
  const chunks = isRetrieval ? placedChunks({ ...request.context, ...updates }) : undefined;
  return {
    status,
    userMessage: textIn("user_message"),
    userMessages: [...turn.readTexts],
    botMessage: textIn("bot_message"),
    relevantChunks: textIn("relevant_chunks"),
    ...reasoningOf(turn),
    ...omitUndefined({ chunks, blockedAt, refusal, exception }),
    decisions,
    verdict,
  };
}

/**
 * Runs one rail as a classifier: a block is a decision rather than an error.
 *
 * @throws DiagnosticError `CO-209` for an unknown rail; InputShapeError if the subject lacks the text it checks
 */
export async function checkRail(
  services: RailServices,
  turn: Turn,
  reference: string,
  subject: RailSubject & { readonly stage: RailsStage },
): Promise<RailDecision> {
  requireRail(services, reference);
  const request = stageRequest(turn.part(), subject.stage, subject);
  try {
    const outcome = await runRail(services, { ...request, rail: reference });
    turn.assign(outcome.contextUpdates);
    return outcome.decision;
  } finally {
    request.turn.close();
  }
}

/** @throws DiagnosticError `CO-209` for an unknown rail, with the closest name */
function requireRail(services: RailServices, reference: string): string {
  const { id } = parseFlowReference(reference);
  if (services.rails.has(id)) return id;
  const hint = didYouMean(id, [...services.rails.names]);
  throw new DiagnosticError([createDiagnostic("CO-209", `rail \`${id}\` is not defined`, { hint })]);
}

/**
 * Returns the stage of a rail: the one that lists it, or the one it is written for.
 *
 * @throws DiagnosticError `CO-209` for an unknown rail; InputShapeError for a tool rail
 */
export function stageOfRail(services: RailServices, reference: string): RailsStage | undefined {
  const id = requireRail(services, reference);
  const { rails } = services.config.settings;
  const listed = RAILS_STAGES.find((stage) =>
    rails[stage].flows.some((flow) => flow === reference || parseFlowReference(flow).id === id),
  );
  const stage = listed ?? services.rails.stageOf(reference);
  if (stage === undefined || !isToolStage(stage)) return stage;
  throw new InputShapeError(`the rail \`${id}\` checks tool calls; guard a tool with \`guardrails.tool(tool)\``);
}

function stageRequest(turn: Turn, stage: RailsStage, subject: RailSubject): StageRequest {
  const needed = {
    input: subject.userMessage ?? subject.userMessages?.at(-1),
    output: subject.botMessage,
    retrieval: subject.relevantChunks,
  }[stage];
  if (needed === undefined) {
    const name = { input: "user message", output: "bot message", retrieval: "retrieved text" }[stage];
    throw new InputShapeError(`expected a ${name} for the ${stage} rails, got none`);
  }
  const { userMessage } = subject;
  if (subject.extras !== undefined) turn.extras = subject.extras;
  const users = subject.userMessages ?? (userMessage === undefined ? [] : [userMessage]);
  turn.userTexts = [...users];
  const events: GuardrailsEvent[] = (subject.history ?? []).map(({ role, content }) =>
    role === "user" ? { type: "UserMessage", text: content } : { type: "StartUtteranceBotAction", script: content },
  );
  const past = historyEvents(appendTurn(EMPTY_HISTORY, [...events, ...userMessages(users)]));
  return {
    turn,
    stage,
    context: contextOf(turn, subject, stage),
    config: turn.options.config ?? {},
    cancellation: turn.cancellation,
    past: () => past,
  };
}

function contextOf(turn: Turn, subject: RailSubject, stage: RailsStage): Readonly<Record<string, unknown>> {
  const context: Record<string, unknown> = { ...turn.variables };
  assignContext(context, turn.options.context);
  assignContext(context, subject.context);
  const user = subject.userMessage ?? subject.userMessages?.at(-1);
  if (user !== undefined) Object.assign(context, { user_message: user, last_user_message: user });
  if (subject.botMessage !== undefined) context["bot_message"] = subject.botMessage;
  if (subject.relevantChunks !== undefined) {
    const chunks = [subject.relevantChunks].flat();
    Object.assign(context, { relevant_chunks: chunks.join("\n"), relevant_chunks_sep: chunks, _own_evidence: true });
    if (stage === "retrieval") context[CHUNK_PLACES] = [...chunks.keys()];
  }
  return context;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
