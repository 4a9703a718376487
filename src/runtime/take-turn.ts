import { InputShapeError, LimitError } from "../diagnostics/errors.js";
import { advance } from "../colang1/engine/advance.js";
import { markCallStart } from "../colang1/engine/rollback.js";
import { serializeState } from "../colang1/engine/snapshot.js";
import { contextOf } from "../colang1/engine/state.js";
import type { EventDraft, GuardrailsEvent } from "../engine/events.js";
import { appendTurn, historyEvents, readMessages, utteranceDraft, type TurnInput } from "./conversation.js";
import { openConversation, type OpenConversation, type StoredConversation } from "./conversation-state.js";
import { buildResult } from "./build-result.js";
import type { TurnMessage, TurnOptions } from "./options.js";
import type { TurnResult } from "./result.js";
import { runAction } from "./run-action.js";
import { runLoop } from "./run-loop.js";
import type { Run } from "./run.js";
import type { RuntimeServices } from "./services.js";
import { scrubBlocked } from "./scrub-blocked.js";
import { Turn } from "./turn.js";

/**
 * One whole turn: messages become events, the loop runs until nothing is pending, the result and the new state come
 * out. A turn that throws leaves the stored state as it was.
 *
 * @throws InputShapeError for messages that make no turn; ModelError when a model call fails
 */
export async function takeTurn(
  services: RuntimeServices,
  messages: readonly TurnMessage[],
  options: TurnOptions,
  stored: unknown,
): Promise<{ result: TurnResult; state: unknown }> {
  const input = readMessages(messages);
  const conversation = openConversation(services, stored, input);
  const turn = new Turn({
    options,
    limits: services.limits,
    clock: services.clock,
    userTexts: input.userTexts,
    onDecision: services.onDecision,
  });
  const run = createRun(conversation, turn);
  turn.trace.push(...conversation.trace);
  try {
    const first = firstEvent(input, options);
    setVariables(services, run, input, options);
    await runGuarded(services, run, first);
  } finally {
    turn.close();
  }
  scrubBlocked(run, input.userTexts);
  const history = run.failed ? conversation.history : appendTurn(conversation.history, run.events);
  const state: StoredConversation = { version: 1, engine: serializeState(services.program, run.state), history };
  const result = buildResult(services, run, options.state === undefined ? undefined : state);
  return { result, state };
}

function createRun(conversation: OpenConversation, turn: Turn): Run {
  let past: readonly GuardrailsEvent[] | undefined;
  return {
    turn,
    scope: "conversation",
    state: markCallStart(conversation.engine),
    past: () => (past ??= historyEvents(conversation.history)),
    events: [],
    config: turn.config ?? {},
    cancellation: turn.cancellation,
    perform: runAction,
    stopped: false,
    failed: false,
  };
}

/** Which event drives the turn; a final assistant text is checked instead of answered. */
function firstEvent(input: TurnInput, options: TurnOptions): EventDraft {
  if (input.event !== undefined) return input.event;
  const text = input.userTexts.at(-1);
  if (input.assistantText !== undefined) {
    if (options.rails?.dialog !== false) {
      throw new InputShapeError(
        "the last message is from the assistant, so there is nothing to answer; " +
          'check it with `rails: ["output"]`, `check()` or `output()`, or end with a user message',
      );
    }
    return utteranceDraft(text ?? input.lastUser ?? "");
  }
  if (text === undefined) {
    throw new InputShapeError("the messages hold no user message and no event, so there is no turn to take");
  }
  return utteranceDraft(text);
}

/** Variables of the call come in as one `ContextUpdate`, so that flows see how they changed. */
function setVariables(services: RuntimeServices, run: Run, input: TurnInput, options: TurnOptions): void {
  const data: Record<string, unknown> = { ...input.context, ...options.context };
  if (input.assistantText !== undefined) data["bot_message"] = input.assistantText;
  const generationOptions = wireOptions(options);
  if (generationOptions !== undefined || contextOf(run.state)["generation_options"]) {
    data["generation_options"] = generationOptions ?? null;
  }
  if (Object.keys(data).length === 0) return;
  const event = services.createEvent({ type: "ContextUpdate", data });
  run.state = advance(services.program, run.state, event).state;
  run.events.push(event);
}

/** `$generation_options` in the spelling of the wire; absent when the call asks for nothing special. */
function wireOptions(options: TurnOptions): Record<string, unknown> | undefined {
  const { rails, llmParams, outputVars } = options;
  if (rails === undefined && llmParams === undefined && outputVars === undefined) return undefined;
  return {
    rails: { input: true, output: true, retrieval: true, dialog: true, ...rails },
    llm_params: llmParams ?? null,
    output_vars: outputVars ?? null,
  };
}

/** A limit ends the turn like a failure: the user sees the apology, the dialog goes back, the error is in the log. */
async function runGuarded(services: RuntimeServices, run: Run, first: EventDraft): Promise<void> {
  const before = run.state;
  try {
    await runLoop(services, run, [first]);
  } catch (error) {
    if (!LimitError.isInstance(error)) throw error;
    run.failed = true;
    run.turn.problems.push({ code: error.code, message: error.message, cause: error });
    run.state = before;
    run.events.length = 0;
    run.events.push({ type: "StartUtteranceBotAction", script: services.config.settings.messages.internal_error });
  }
}
