import { LimitError } from "../../diagnostics/errors.js";
import { advance } from "../../colang1/engine/advance.js";
import { markCallStart } from "../../colang1/engine/state.js";
import type { EventDraft, GuardrailsEvent } from "../../engine/events.js";
import { isPromise } from "../../engine/async.js";
import {
  assignContext,
  planTurn,
  readMessages,
  userMessages,
  type TurnInput,
  appendTurn,
  type History,
  historyEvents,
} from "../../turn/conversation.js";
import { openConversation, storeConversation, type OpenConversation } from "./stored-conversation.js";
import { NO_EXTRAS } from "../../turn/extra-text.js";
import type { TurnMessage, TurnOptions } from "../../turn/options.js";
import { reportProblem } from "../../turn/problem-log.js";
import { reviewExceptions } from "../../rails/run-rail.js";
import { runAction } from "./run-action.js";
import { runLoop } from "./run-loop.js";
import { DirectTurn, goesDirectly, performRecorded, type TurnResults } from "./direct-turn.js";
import {
  conversationRun,
  findException,
  type Perform,
  type Run,
  type RuntimeServices,
  collectUtterances,
} from "./run.js";
import type { Turn } from "../../turn/turn.js";
import type { StoredTurn, TakenTurn } from "../dialect-host.js";
import { hideTexts } from "./hide-texts.js";
import { why, type FlowExplanation } from "../../engine/explain.js";
import { SOURCES_VARIABLE } from "../../generation/retrieve-chunks.js";
import { type ChunkSource } from "../../turn/response.js";
import { hasStatus, summarizeDecisions } from "../../turn/decision.js";
import type { Redactor } from "../../turn/redactor.js";
import type { TurnResult } from "../../turn/result.js";
import { turnResult } from "../guarded-response.js";
import { unknownFlow } from "../rail-facts.js";

/**
 * Runs one turn: messages become events, the loop runs until nothing is pending, and the result and the new state are
 * returned. A turn that throws leaves the stored state unchanged.
 *
 * @param stored - the conversation so far; undefined if none was stored
 * @param keep - true to store the conversation; otherwise there is no new state
 * @throws InputShapeError for invalid messages; ModelError if a model call fails
 */
export async function takeTurn(
  services: RuntimeServices,
  turn: Turn,
  messages: readonly TurnMessage[],
  { stored, keep }: StoredTurn,
): Promise<TakenTurn> {
  const { options } = turn;
  const input = readMessages(messages);
  const plan = planTurn(input, options.rails?.dialog !== false);
  const conversation = openConversation(services, stored, input);
  turn.userTexts = [...input.userTexts];
  turn.extras = input.extras ?? NO_EXTRAS;
  turn.instructions = input.instructions;
  const results: TurnResults | undefined = !keep && goesDirectly(services, turn, input) ? {} : undefined;
  const run = createRun(conversation, turn, results === undefined ? runAction : performRecorded(results, runAction));
  turn.trace.push(...conversation.trace);
  try {
    setVariables(services, run, input);
    await runGuarded(services, run, plan, results);
    turn.throwIfRejected();
  } finally {
    turn.close();
  }
  turn.assign(run.state.context);
  const hidden = hideTexts(run, input.userTexts, conversation.engine.context);
  const history = (): History =>
    run.failed ? conversation.history() : appendTurn(conversation.history(), hidden.events);
  const state = keep ? storeConversation(services, run, history()) : undefined;
  const { redactor } = hidden;
  const kept = options.state === undefined ? undefined : state;
  const result = buildResult(services, run, { state: kept, redactor });
  return { result, state };
}

function createRun(conversation: OpenConversation, turn: Turn, perform: Perform): Run {
  let past: readonly GuardrailsEvent[] | undefined;
  return conversationRun(turn, markCallStart(conversation.engine), {
    past: () => {
      past ??= historyEvents(conversation.history());
      // Computed each time, since input rails may have rewritten these texts.
      const earlier = turn.userTexts.slice(0, -1);
      return earlier.length === 0 ? past : [...past, ...userMessages(earlier)];
    },
    perform,
  });
}

/** The variables of a call arrive as one `ContextUpdate`, so that flows see the change. */
function setVariables(services: RuntimeServices, run: Run, input: TurnInput): void {
  const { options } = run.turn;
  const current = run.state.context;
  const data: Record<string, unknown> = { ...run.turn.variables, ...input.context };
  assignContext(data, options.context);
  if (input.assistantText !== undefined) data["bot_message"] = input.assistantText;
  else if (
    options.rails?.dialog === false &&
    Object.hasOwn(current, "bot_message") &&
    !Object.hasOwn(data, "bot_message")
  ) {
    // A response of an earlier turn is not the one to check in this call.
    data["bot_message"] = null;
  }
  // The input object of an earlier call does not apply to this call.
  if ((current["input"] ?? undefined) !== undefined && !Object.hasOwn(data, "input")) data["input"] = null;
  const generationOptions = wireOptions(options);
  if (generationOptions !== undefined || current["generation_options"]) {
    data["generation_options"] = generationOptions ?? null;
  }
  if (Object.keys(data).length === 0) return;
  const event = services.createEvent({ type: "ContextUpdate", data });
  const { state, trace } = advance(services.program, run.state, event);
  run.state = state;
  run.turn.trace.push(...trace);
  run.events.push(event);
}

/** `$generation_options` in wire spelling; absent if the call sets none. */
function wireOptions(options: TurnOptions): Record<string, unknown> | undefined {
  const { rails, llmParams, llmOutput, outputVars, log } = options;
  if ([rails, llmParams, llmOutput, outputVars, log].every((option) => option === undefined)) return undefined;
  return {
    rails: { input: true, output: true, retrieval: true, dialog: true, ...rails },
    llm_params: llmParams ?? null,
    llm_output: llmOutput === true,
    output_vars: outputVars ?? null,
    log: {
      activated_rails: log?.activatedRails === true,
      llm_calls: log?.llmCalls === true,
      internal_events: log?.internalEvents === true,
      colang_history: log?.colangHistory === true,
    },
  };
}

/**
 * A limit ends the turn like a failure: the user sees the apology, the dialog is rolled back, the error is logged.
 *
 * @param results - set if the turn may run without the engine; the engine reuses the recorded results
 */
async function runGuarded(
  services: RuntimeServices,
  run: Run,
  plan: readonly (readonly EventDraft[])[],
  results: TurnResults | undefined,
): Promise<void> {
  const before = run.state;
  try {
    if (results !== undefined && (await new DirectTurn(services, run, results).take())) return;
    for (const events of plan) {
      if (run.stopped || run.failed) return;
      const running = runLoop(services, run, events);
      if (isPromise(running)) await running;
    }
    await reviewExceptions(services, run, () => run.state.context);
  } catch (error) {
    if (!LimitError.isInstance(error)) throw error;
    run.failed = true;
    reportProblem(services, run.turn, { code: error.code, message: error.message, cause: error });
    run.state = before;
    run.events.length = 0;
    run.events.push({ type: "StartUtteranceBotAction", script: services.config.settings.messages.internal_error });
  }
}

/** Builds the result for the caller; `state` is set if the caller stores the conversation. */
function buildResult(
  services: RuntimeServices,
  run: Run,
  { state, redactor }: { readonly state: unknown; readonly redactor?: Redactor | undefined },
): TurnResult {
  const { turn } = run;
  const exception = findException(run.events);
  const verdict = summarizeDecisions(turn.decisions, services.onError !== "allow");
  const ended = verdict.blocked ? "blocked" : "answered";
  const status = run.failed ? "failed" : exception === undefined ? ended : "exception";
  return turnResult(services, turn, {
    status,
    utterances: collectUtterances(run.events),
    exception,
    verdict,
    userMessages: turn.readTexts,
    generated: status === "answered" ? turn.generated : undefined,
    variables: run.state.context,
    more: sources(run, verdict.blocked),
    events: run.events,
    history: () => [...run.past(), ...run.events],
    emptyReason: () => emptyReason(run),
    why: (flow) => explainFlow(services, run, flow),
    redactor,
    state,
  });
}

/**
 * Sources returned by the knowledge base in this turn, but not in earlier ones.
 *
 * INVARIANT: a block also drops what was found for the turn.
 */
function sources(run: Run, isBlocked: boolean): { sources?: readonly ChunkSource[] } {
  if (isBlocked) return {};
  for (const event of run.events.toReversed()) {
    if (event.type !== "ContextUpdate") continue;
    const found = (event["data"] as Readonly<Record<string, unknown>>)[SOURCES_VARIABLE];
    if (Array.isArray(found)) return { sources: found as readonly ChunkSource[] };
  }
  return {};
}

/** @throws DiagnosticError `CO-204` if no flow has that name */
function explainFlow(services: RuntimeServices, { state, turn }: Run, flow: string): FlowExplanation {
  const seen = turn.trace.some((entry) => (entry.type === "decided" ? entry.winner.flow : entry.flow) === flow);
  if (!seen && !services.flows.has(flow) && !Object.hasOwn(state.flows, flow))
    throw unknownFlow(services.program.flows, flow);
  return why(turn.trace, flow);
}

/** An empty reply is legal but always has an explanation. */
function emptyReason(run: Run): string {
  const decided = run.turn.trace.findLast((entry) => entry.type === "decided");
  if (hasStatus(run.turn.decisions, "blocked")) return "a rail blocked without saying anything";
  if (run.stopped) return "a flow stopped the turn before anything was said";
  if (decided?.type === "decided") return `flow \`${decided.winner.flow}\` took the last step and said nothing`;
  return "no flow had a step to take";
}
