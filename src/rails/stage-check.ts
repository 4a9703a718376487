import { DiagnosticError, InputShapeError } from "../diagnostics/errors.js";
import { createDiagnostic } from "../diagnostics/diagnostic.js";
import { didYouMean } from "../diagnostics/suggestion.js";
import { parseFlowReference } from "../engine/flow-reference.js";
import { describeUnavailableRail } from "../engine/unavailable-rails.js";
import type { GuardrailsEvent } from "../engine/events.js";
import { reasoningOf } from "../turn/turn.js";
import { assignContext } from "../turn/messages.js";
import { summarizeDecisions, type RailDecision, type RailStage, type RailStatus } from "../turn/decision.js";
import { appendTurn, EMPTY_HISTORY, historyEvents } from "../turn/history.js";
import type { AnswerReview, TurnOptions } from "../turn/options.js";
import type { RailSubject, StageResult } from "../turn/result.js";
import { runRail } from "./run-rail.js";
import { runRailsOfStage } from "./run-stage.js";
import type { StageOutcome } from "../turn/entry.js";
import { checkSelection } from "./select-rails.js";
import type { StageRequest } from "./stage-request.js";
import type { RailsStage } from "../turn/stages.js";
import type { RailServices } from "./services.js";
import { ReviewSession } from "./review/review-session.js";
import { Turn } from "../turn/turn.js";

/** Runs the rails of one stage over given texts; nothing is generated but what a rail asks for. */
export async function checkStage(
  services: RailServices,
  stage: RailsStage,
  subject: RailSubject,
  options: TurnOptions,
): Promise<StageResult> {
  checkSelection(services, options);
  const request = stageRequest(services, stage, subject, options);
  noteReasoning(services, request, subject);
  const outcome = await runRailsOfStage(services, request).finally(() => request.turn.close());
  return toResult(services, request, outcome);
}

/** The output rails over an answer that is still being made, outside of a turn. */
export interface StageReview {
  /** There when the answer may be handed on part by part; without it, only as a whole. */
  readonly review?: AnswerReview | undefined;
  /** What the rails made of the complete answer. What they saw part by part, they do not look at again. */
  finish(subject: RailSubject): Promise<StageResult>;
  /** Lets go of the caller's signal, when there is nothing to finish. */
  close(): void;
}

/** @throws InputShapeError when `rails` names a rail that is none */
export function openStageReview(services: RailServices, subject: RailSubject, options: TurnOptions): StageReview {
  checkSelection(services, options);
  const request = stageRequest(services, "output", { botMessage: "", ...subject }, options);
  const review = options.stream === undefined ? undefined : ReviewSession.open(services, request, options.stream);
  request.turn.answerReview = review;
  return {
    review,
    finish: async (complete) => {
      const context = { ...request.context, ...contextOfSubject(complete, options) };
      const whole = { ...request, context };
      noteReasoning(services, request, complete);
      try {
        const known = review?.outcomeFor(complete.botMessage);
        return toResult(services, whole, known ?? (await runRailsOfStage(services, whole)));
      } finally {
        request.turn.close();
      }
    },
    close: () => request.turn.close(),
  };
}

function noteReasoning(services: RailServices, { turn }: StageRequest, { reasoning = "" }: RailSubject): void {
  if (reasoning === "" || !services.config.settings.rails.output.apply_to_reasoning_traces) return;
  turn.reasoning = { text: reasoning };
}

function toResult(services: RailServices, request: StageRequest, outcome: StageOutcome): StageResult {
  const context = { ...request.context, ...outcome.contextUpdates };
  const { decisions } = request.turn;
  const verdict = summarizeDecisions(decisions, services.onError !== "allow");
  const modified = decisions.some((decision) => decision.status === "modified");
  const blocking: RailStatus = decisions.some((decision) => decision.status === "blocked") ? "blocked" : "error";
  const status: RailStatus = outcome.blocked ? blocking : modified ? "modified" : "passed";
  return {
    status,
    userMessage: textOf(context["user_message"]),
    botMessage: textOf(context["bot_message"]),
    relevantChunks: textOf(context["relevant_chunks"]),
    ...reasoningOf(request.turn),
    ...(outcome.refusal === undefined ? {} : { refusal: outcome.refusal }),
    ...(outcome.exception === undefined ? {} : { exception: outcome.exception }),
    decisions,
    verdict,
  };
}

/** Runs one rail as a classifier; a block is an answer, not an error. */
export async function checkRail(
  services: RailServices,
  reference: string,
  subject: RailSubject,
  options: TurnOptions,
): Promise<RailDecision> {
  const { id } = parseFlowReference(reference);
  if (!services.rails.has(id)) {
    const names = [...services.rails.names];
    const unavailable = describeUnavailableRail(id);
    throw new DiagnosticError([
      createDiagnostic("CO-209", unavailable?.message ?? `rail \`${id}\` is not defined`, {
        hint: unavailable?.hint ?? didYouMean(id, names),
      }),
    ]);
  }
  const stage = stageOf(services, reference, id, subject);
  const request = stageRequest(services, stage, subject, options);
  const outcome = await runRail(services, { ...request, rail: reference }).finally(() => request.turn.close());
  return outcome.decision;
}

function stageOf(services: RailServices, reference: string, id: string, subject: RailSubject): RailsStage {
  const { rails } = services.config.settings;
  for (const stage of ["input", "output", "retrieval"] as const satisfies readonly RailStage[]) {
    if (rails[stage].flows.some((flow) => flow === reference || parseFlowReference(flow).id === id)) return stage;
  }
  if (subject.botMessage !== undefined) return "output";
  return subject.userMessage === undefined && subject.relevantChunks !== undefined ? "retrieval" : "input";
}

function stageRequest(
  services: RailServices,
  stage: RailsStage,
  subject: RailSubject,
  options: TurnOptions,
): StageRequest {
  const needed = { input: subject.userMessage, output: subject.botMessage, retrieval: subject.relevantChunks }[stage];
  if (needed === undefined) {
    const name = { input: "user message", output: "bot message", retrieval: "retrieved text" }[stage];
    throw new InputShapeError(`${stage} rails check a ${name}, and none was given`);
  }
  const turn = new Turn({
    options,
    limits: services.limits,
    clock: services.clock,
    userTexts: subject.userMessage === undefined ? [] : [subject.userMessage],
    onDecision: services.onDecision,
  });
  const past = pastOf(subject);
  return {
    turn,
    stage,
    context: contextOfSubject(subject, options),
    config: options.config ?? {},
    cancellation: turn.cancellation,
    past: () => past,
  };
}

function contextOfSubject(subject: RailSubject, options: TurnOptions): Readonly<Record<string, unknown>> {
  const context: Record<string, unknown> = {};
  assignContext(context, options.context);
  assignContext(context, subject.context);
  if (subject.userMessage !== undefined) {
    context["user_message"] = subject.userMessage;
    context["last_user_message"] = subject.userMessage;
  }
  if (subject.botMessage !== undefined) context["bot_message"] = subject.botMessage;
  if (subject.relevantChunks !== undefined) {
    const chunks = typeof subject.relevantChunks === "string" ? [subject.relevantChunks] : subject.relevantChunks;
    context["relevant_chunks"] = chunks.join("\n");
    context["relevant_chunks_sep"] = [...chunks];
    context["_own_evidence"] = true;
  }
  return context;
}

function pastOf(subject: RailSubject): readonly GuardrailsEvent[] {
  const events: GuardrailsEvent[] = (subject.history ?? []).map(({ role, content }) =>
    role === "user" ? { type: "UserMessage", text: content } : { type: "StartUtteranceBotAction", script: content },
  );
  if (subject.userMessage !== undefined) events.push({ type: "UserMessage", text: subject.userMessage });
  return historyEvents(appendTurn(EMPTY_HISTORY, events));
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
