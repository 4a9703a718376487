import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { andThen, type MaybePromise } from "../../engine/async.js";
import type { Block } from "../../turn/decision.js";
import { redactData } from "../../turn/redact-data.js";
import { createRedactor } from "../../turn/redactor.js";
import { refusalOf } from "../blocked.js";
import { runAndClose, type GuardedCall } from "../call.js";
import { openInput, type Review, reviewInput } from "../review/review.js";
import { messageFingerprint } from "../tools/tool-calls.js";
import type { UserInput } from "../values/input-object.js";
import { roleOf } from "../values/message-kinds.js";
import { contextVariables } from "../values/plain-object.js";
import { readPending, rewriteMessages, wholeTexts } from "../values/read-user-input.js";
import { hiddenMessage, registeredVerdict, verdictOf, withVerdict } from "../verdict.js";
import { restoreInState } from "./agent-pseudonyms.js";
import { type AgentTurn, rememberStart, startOf, withToken } from "./agent-starts.js";
import {
  type AgentGuard,
  type AgentRuntime,
  type GuardrailsState,
  hasStarted,
  noteStart,
  openAgentCall,
  shownBlock,
  stateOf,
  turnOf,
  withState,
  writeState,
  writeVerdict,
} from "./agent-state.js";

export interface AgentState {
  readonly messages: readonly BaseMessage[];
}

/** Request that a middleware receives for a model call. */
export interface ModelRequestLike {
  readonly model: unknown;
  readonly messages: BaseMessage[];
  readonly tools?: readonly unknown[];
  readonly state: object;
  readonly runtime?: AgentRuntime | undefined;
}

/** The messages that the input rails of a guard have to review; undefined if there are none. */
export function pendingFor({ rails }: AgentGuard, messages: readonly BaseMessage[]): UserInput | undefined {
  return rails.input === false ? undefined : readPending(messages);
}

/** Result of the input rails at the start of a turn. */
interface TurnStart {
  readonly own: GuardrailsState;
  /** Messages that replace those of the state with the same id. */
  readonly changed: readonly BaseMessage[];
  readonly refusal?: AIMessage;
}

/** Hook `beforeAgent`: runs the input rails over all user messages since the last response. */
export function reviewTurn(
  guard: AgentGuard,
  state: AgentState,
  runtime: AgentRuntime | undefined,
): MaybePromise<object | undefined> {
  const pendingInput = pendingFor(guard, state.messages);
  if (pendingInput === undefined) return undefined;
  return andThen(startTurn(guard, { state, given: pendingInput }, runtime), (start) => {
    const { own, changed, refusal } = start;
    if (refusal !== undefined) return withState(own, { messages: [...changed, refusal], jumpTo: "end" });
    if (changed.length === 0 && writeState(own)) return undefined;
    return withState(own, changed.length === 0 ? {} : { messages: changed });
  });
}

/** A tool call of a turn whose start this process does not know: reviews it, and returns the block if rails block it now. */
export async function restartTurn(
  guard: AgentGuard,
  state: object,
  runtime: AgentRuntime | undefined,
): Promise<{ readonly state: object; readonly block?: Block | undefined }> {
  if (startOf(guard, turnOf(state, runtime)) !== undefined) return { state };
  const { messages = [] } = state as Partial<AgentState>;
  const pendingInput = pendingFor(guard, messages);
  if (pendingInput === undefined) return { state };
  const { own, refusal } = await startTurn(guard, { state: { ...state, messages }, given: pendingInput }, runtime);
  const verdict = refusal === undefined ? undefined : verdictOf(refusal);
  if (refusal !== undefined && verdict !== undefined) return { state, block: { refusal: refusal.text, verdict } };
  writeState(own);
  return { state: withState(own, { ...state }) };
}

/** A model call at the start of a turn. */
interface StartedCall<Request> {
  readonly request: Request;
  /** Messages of the state that the input rails have changed. */
  readonly changed: readonly BaseMessage[];
  /** Set if an input rail blocked. */
  readonly refusal?: AIMessage | undefined;
}

/** In the hook `wrapModelCall`: the same before the first model call of a turn, and the request as the model may see it. */
export function reviewTurnOf<Request extends ModelRequestLike>(
  guard: AgentGuard,
  request: Request,
): MaybePromise<StartedCall<Request>> {
  const state = request.state as AgentState;
  const pendingInput = pendingFor(guard, state.messages);
  if (pendingInput === undefined || continuesTurn(guard, pendingInput, request)) return { request, changed: [] };
  const isKnown = ({ own }: TurnStart): boolean =>
    pendingIn(pendingInput).every(reviewedBy(guard, turnOf(withState(own, { ...state }), request.runtime)));
  const earlier = startsOf.get(state.messages)?.get(guard);
  const starting =
    earlier !== undefined && isKnown(earlier)
      ? earlier
      : startTurn(guard, { state, given: pendingInput }, request.runtime);
  return andThen(starting, (start) => {
    const { own, changed, refusal } = start;
    const starts = startsOf.get(state.messages) ?? new Map<AgentGuard, TurnStart>();
    startsOf.set(state.messages, starts.set(guard, start));
    // The verdict of the turn is written after the model's call.
    if (refusal !== undefined || changed.length > 0) writeState(own, changed);
    const after = new Map(changed.map((message) => [message.id, message]));
    const edit = (message: BaseMessage): BaseMessage =>
      (message.id === undefined ? undefined : after.get(message.id)) ?? message;
    const messages = changed.length === 0 ? request.messages : request.messages.map(edit);
    if (refusal === undefined && changed.length > 0) editInPlace(state.messages, edit);
    const edited = withState(own, { ...state, messages: state.messages.map(edit) });
    return { request: { ...request, messages, state: edited }, changed, refusal };
  });
}

/** Starts of the turn in one model node, by the messages of its state: a middleware around the guard may repeat the call. */
const startsOf = new WeakMap<readonly BaseMessage[], Map<AgentGuard, TurnStart>>();

/**
 * Puts messages in the place of those that the input rails have changed. INVARIANT: the node gives each middleware the same list,
 * and writes it again next to a structured response, so a middleware inside and the streams would see messages as they were sent.
 */
function editInPlace(messages: readonly BaseMessage[], edit: (message: BaseMessage) => BaseMessage): void {
  if (Object.isFrozen(messages)) return;
  (messages as BaseMessage[]).splice(0, messages.length, ...messages.map(edit));
}

/**
 * Returns true if this guard has reviewed the start of the turn whose messages wait: in this run, or before an interrupt, after
 * which the last message is the result of a tool.
 */
function continuesTurn(guard: AgentGuard, pendingInput: UserInput, { state, runtime }: ModelRequestLike): boolean {
  const last = (state as AgentState).messages.at(-1);
  const isInLoop = last !== undefined && roleOf(last) === "tool";
  if (!hasStarted(guard, stateOf(state)) && !isInLoop) return false;
  return pendingIn(pendingInput).some(reviewedBy(guard, turnOf(state, runtime)));
}

function pendingIn({ messages, pending }: UserInput): readonly BaseMessage[] {
  return pending.flatMap((index) => messages[index] ?? []);
}

function startTurn(
  guard: AgentGuard,
  { state, given: pendingInput }: { readonly state: AgentState; readonly given: UserInput },
  runtime: AgentRuntime | undefined,
): MaybePromise<TurnStart> {
  return runAndClose(openAgentCall(guard, runtime), (call) =>
    andThen(openInput(pendingInput, call), (input) =>
      andThen(reviewInput(input, call), (review) => {
        writeVerdict(runtime, review.verdict);
        const start =
          review.block === undefined
            ? passedStart(guard, turnOf(state, runtime), { given: pendingInput, input, review }, call)
            : blockedStart(guard, pendingInput, review.block);
        noteStart(guard, start.own);
        return start;
      }),
    ),
  );
}

function blockedStart(guard: AgentGuard, { pending, messages }: UserInput, block: Block): TurnStart {
  const shown = shownBlock(guard, block, guard.blockedInputMessage);
  const hidden = pending.map((index) => hiddenMessage(messages[index] as BaseMessage));
  const own: GuardrailsState = { passed: [], verdict: { ...block.verdict, blocked: true } };
  return { own, changed: hidden, refusal: refusalMessage(shown) };
}

interface ReviewedTurn {
  /** User messages as the agent holds them. */
  readonly given: UserInput;
  /** The same messages after the option `history` has been applied. */
  readonly input: UserInput;
  readonly review: Review;
}

function passedStart(
  guard: AgentGuard,
  turn: AgentTurn,
  { given: pendingInput, input, review: { texts, verdict } }: ReviewedTurn,
  call: GuardedCall,
): TurnStart {
  const { pseudonyms } = call;
  const rewritten = rewriteMessages(input, texts).map((message, index) =>
    restoreInState(message, turn.messages[index], pseudonyms),
  );
  const passed = pendingInput.pending.flatMap((index) => rewritten[index] ?? []).map(messageFingerprint);
  const assigned = contextVariables(call.conversation.variables);
  const variables = redactData(assigned, createRedactor(rewritesOf(pendingInput, texts))) ?? {};
  const token = rememberStart({ passed: new Set(passed), variables, thread: turn.thread });
  const starts = withToken(guard, turn, token);
  const own: GuardrailsState = { passed, verdict: { ...verdict, blocked: false }, starts };
  return { own, changed: rewritten.filter((message, index) => message !== turn.messages[index]) };
}

function rewritesOf(pendingInput: UserInput, texts: readonly string[]) {
  return wholeTexts(pendingInput).flatMap((text, index) =>
    text === texts[index] ? [] : [{ text, replacement: texts[index] }],
  );
}

/** Returns a test for messages of this turn that rails have checked, and that have not changed since. */
export function reviewedBy(guard: AgentGuard, turn: AgentTurn): (message: BaseMessage) => boolean {
  const passed = startOf(guard, turn)?.passed;
  return (message) => {
    const fingerprint = messageFingerprint(message);
    if (roleOf(message) === "tool") return registeredVerdict(message)?.fingerprint === fingerprint;
    return passed?.has(fingerprint) === true;
  };
}

/** Builds the agent's message for a block that happened before any model call. */
export function refusalMessage(block: Block): AIMessage {
  return withVerdict(new AIMessage({ content: refusalOf(block) }), block.verdict);
}
