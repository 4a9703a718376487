import type { AIMessage, BaseMessage } from "@langchain/core/messages";
import { andThen, isPromise, type MaybePromise } from "../../engine/async.js";
import { type Runnable, RunnableBinding, RunnableSequence } from "@langchain/core/runnables";
import { extraTextOf } from "../values/response.js";
import { releaseResponse } from "../values/read-response.js";
import { violation } from "../blocked.js";
import { extractText } from "../values/content.js";
import { GuardedChatModel, type GuardedModelFields } from "../guarded-chat-model.js";
import { runAndClose } from "../call.js";
import { reviewInput, reviewResponse } from "../review/review.js";
import {
  stateOf,
  turnOf,
  openAgentCall,
  writeVerdict,
  type AgentGuard,
  quarantineNode,
  shownBlock,
  turnVerdict,
  withTurnVerdict,
  writeState,
} from "./agent-state.js";
import {
  type AgentState,
  type ModelRequestLike,
  pendingFor,
  refusalMessage,
  reviewedBy,
  reviewTurnOf,
} from "./agent-turn.js";
import type { Block } from "../../turn/decision.js";
import { isMessage, isObject, roleOf } from "../values/message-kinds.js";
import { shapeError } from "../shape-error.js";
import { readCallingResponse } from "../structured/structured-response.js";
import { readToolCalls, callTools } from "../tools/tool-calls.js";
import { verdictOf } from "../verdict.js";
import { bindingAround } from "../models/model-traits.js";
import { assignParts, isCommand, visitCommand } from "../tools/tool-output.js";
import { restore } from "../tools/restored-output.js";
import { restoringHandlers } from "../streaming/restored-handlers.js";
import { maskMessages, type MaskedMessages } from "./agent-pseudonyms.js";
import { hideRefused } from "./refused-calls.js";
import { startOf, variablesOf } from "./agent-starts.js";
import { rewriteMessages } from "../values/read-user-input.js";

/** Stores all decisions of the turn so far, together with the response the agent uses. */
function keepVerdict({ state }: ModelRequestLike, modelResponse: unknown): void {
  const guardState = stateOf(state);
  if (guardState === undefined) return;
  const { messages = [] } = state as Partial<AgentState>;
  const { update } = modelResponse as { readonly update?: unknown };
  const holder: unknown = isCommand(modelResponse) ? update : modelResponse;
  const added: unknown = isMessage(holder) ? [holder] : isObject(holder) ? holder["messages"] : undefined;
  const all = [...messages, ...(Array.isArray(added) ? added.filter(isMessage) : [])];
  writeState(withTurnVerdict(guardState, turnVerdict(all, guardState)));
}

/**
 * Guards one model call. The handler receives a guarded model, so nothing of its output is visible before review. A
 * response from elsewhere (inner middleware that called another model or made one up) is reviewed here.
 */
export async function guardModelCall<Request extends ModelRequestLike, Response>(
  guard: AgentGuard,
  request: Request,
  handler: (request: Request) => Promise<Response> | Response,
): Promise<Response | AIMessage> {
  const isKnown =
    guard.inputHook !== "wrapModelCall" && startOf(guard, turnOf(request.state, request.runtime)) !== undefined;
  const starting = isKnown ? { request, changed: [] } : reviewTurnOf(guard, request);
  const start = isPromise(starting) ? await starting : starting;
  if (start.refusal !== undefined) return start.refusal;
  const modelResponse = await askModel(guard, start.request, handler);
  keepVerdict(start.request, modelResponse);
  return withChanged(modelResponse, start.changed);
}

/** With a structured response, the agent writes all messages of its state again, as they were before the input rails. */
function withChanged<Response>(modelResponse: Response, changed: readonly BaseMessage[]): Response {
  if (changed.length === 0 || !isObject(modelResponse) || isMessage(modelResponse)) return modelResponse;
  const { messages } = modelResponse as { readonly messages?: unknown };
  return Array.isArray(messages)
    ? { ...modelResponse, messages: [...(messages as unknown[]), ...changed] }
    : modelResponse;
}

async function askModel<Request extends ModelRequestLike, Response>(
  guard: AgentGuard,
  request: Request,
  handler: (request: Request) => Promise<Response> | Response,
): Promise<Response | AIMessage> {
  const reviewing = reviewUnseen(guard, request);
  const unseen = isPromise(reviewing) ? await reviewing : reviewing;
  if (unseen.block !== undefined) return refusalMessage(shownBlock(guard, unseen.block, guard.blockedInputMessage));
  const released: BaseMessage[] = [];
  const blocks: Block[] = [];
  const { messages } = unseen;
  const masks = guard.host.runtime.hasPseudonyms;
  const masked = masks ? await maskedRequest(guard, request, messages) : { messages, table: undefined };
  const node = quarantineNode(guard.host);
  try {
    const guarding = guardModel(request.model, {
      host: guard.host,
      onBlocked: guard.onBlocked,
      rails: { ...guard.rails, input: false },
      refusal: guard.blockedOutputMessage,
      ofAgent: true,
      variables: variablesOf(guard, turnOf(request.state, request.runtime)),
      pseudonyms: masked.table,
      callbacks: masked.table === undefined ? node.handlers : restoringHandlers(node.handlers, () => masked.table),
      onBlock: (block) => blocks.push(block),
      onReleased: (message) => {
        released.push(message);
        writeVerdict(request.runtime, verdictOf(message) ?? { blocked: false, decisions: [] });
      },
    });
    const model = isPromise(guarding) ? await guarding : guarding;
    const modelResponse = await handler({ ...request, model, messages: [...masked.messages] });
    rethrowBlock(guard, blocks);
    const responding = reviewModelResponse(guard, request, modelResponse, released);
    const reviewed = isPromise(responding) ? await responding : responding;
    return isMessage(reviewed) && roleOf(reviewed) === "assistant"
      ? hideRefused(reviewed as AIMessage, guard)
      : reviewed;
  } catch (error) {
    rethrowBlock(guard, blocks);
    // A refusal matches no response schema; it still replaces the response.
    const refusal = released.at(-1);
    if (guard.onBlocked === "refuse" && refusal !== undefined && verdictOf(refusal)?.blocked === true) {
      return refusal as AIMessage;
    }
    throw error;
  } finally {
    node.restore();
  }
}

/**
 * Before a model call: input rails over messages that arrived after the turn began and are not tool results, such as
 * those added by other middleware.
 */
function reviewUnseen(
  guard: AgentGuard,
  { messages, state, runtime }: ModelRequestLike,
): MaybePromise<{ readonly messages: readonly BaseMessage[]; readonly block?: Block }> {
  const pendingInput = pendingFor(guard, messages);
  if (pendingInput === undefined) return { messages };
  const isSeen = reviewedBy(guard, turnOf(state, runtime));
  const seen = new Set(pendingInput.pending.filter((index) => isSeen(pendingInput.messages[index] as BaseMessage)));
  if (seen.size === pendingInput.pending.length) return { messages };
  return runAndClose(openAgentCall(guard, runtime, state), (call) =>
    andThen(reviewInput(pendingInput, call, seen), ({ block, texts, verdict }) => {
      writeVerdict(runtime, verdict);
      if (block !== undefined) return { messages, block };
      return { messages: rewriteMessages(pendingInput, texts).map((message) => restore(message, call.pseudonyms)) };
    }),
  );
}

/** Messages as the model receives them, with pseudonyms in place of values if rails created any. */
function maskedRequest(
  guard: AgentGuard,
  { runtime, state }: ModelRequestLike,
  messages: readonly BaseMessage[],
): Promise<MaskedMessages> {
  return runAndClose(openAgentCall(guard, runtime, state), (call) => maskMessages(messages, call));
}

/** Rethrows the first block: inner middleware may have caught its error and called a fallback model. */
function rethrowBlock(guard: AgentGuard, [block]: readonly Block[]): void {
  if (guard.onBlocked === "throw" && block !== undefined) throw violation(block);
}

/** Guards the agent's model, in any form that agents accept, and returns it in the same form. */
function guardModel(model: unknown, fields: Omit<GuardedModelFields, "inner">): MaybePromise<unknown> {
  if (isObject(model)) {
    const { _getModelInstance: resolve } = model as { _getModelInstance?: () => Promise<unknown> };
    if (typeof resolve === "function") return resolve.call(model).then((made) => guardModel(made, fields));
    if ("_streamResponseChunks" in model)
      return new GuardedChatModel({ inner: model as unknown as Runnable, ...fields });
    if (RunnableBinding.isRunnableBinding(model)) {
      return andThen(guardModel(model.bound, fields), (inner) => bindingAround(model, inner as Runnable));
    }
    const steps = RunnableSequence.isRunnableSequence(model) ? model.steps : [];
    const at = steps.findIndex((step) => "_streamResponseChunks" in step || RunnableBinding.isRunnableBinding(step));
    if (at !== -1) {
      const guarding = guardModel(steps[at], fields);
      return andThen(guarding, (step) => RunnableSequence.from(steps.with(at, step as Runnable) as never));
    }
  }
  throw shapeError("expected a chat model", model, "give the agent a chat model");
}

/**
 * Reviews the handler's response, unless the guarded model has released it.
 *
 * @param released - messages that the guarded model has released
 */
export function reviewModelResponse<Response>(
  guard: AgentGuard,
  request: ModelRequestLike,
  modelResponse: Response,
  released: readonly BaseMessage[],
): MaybePromise<Response | AIMessage> {
  if (released.some((message) => message === modelResponse)) return modelResponse;
  return reviewUnknown(guard, request, modelResponse, released);
}

async function reviewUnknown<Response>(
  guard: AgentGuard,
  request: ModelRequestLike,
  modelResponse: Response,
  released: readonly BaseMessage[],
): Promise<Response | AIMessage> {
  if (isCommand(modelResponse)) {
    // INVARIANT: a command may carry messages of inner middleware; none enters the state without review.
    const parts = await visitCommand(modelResponse, async (message) =>
      roleOf(message) === "assistant" ? reviewModelResponse(guard, request, message, released) : message,
    );
    // The agent has collected this command and writes it whatever is returned here, so it is changed in place.
    return assignParts(modelResponse, parts) as Response;
  }
  const structured = isObject(modelResponse) && !isMessage(modelResponse) && Array.isArray(modelResponse["messages"]);
  const firstMessage: unknown = structured
    ? (modelResponse as unknown as { messages: unknown[] }).messages[0]
    : modelResponse;
  if (!isMessage(firstMessage))
    throw shapeError("expected a response of the agent's model", modelResponse, "return a message");
  if (released.some((message) => isSame(message, firstMessage))) return modelResponse;
  const tools = [...(request.tools ?? [])];
  const { block, response, texts, verdict, status } = await runAndClose(
    openAgentCall(guard, request.runtime, request.state),
    (call) => reviewResponse(readCallingResponse(firstMessage, callTools(tools)), call, { tools, strip: !structured }),
  );
  writeVerdict(request.runtime, verdict);
  if (block !== undefined) {
    const shown = shownBlock(guard, block, guard.blockedOutputMessage);
    return response.refuse(refusalMessage(shown).text, shown.verdict) as AIMessage;
  }
  const after = releaseResponse(response, texts[0] ?? response.text, verdict) as AIMessage;
  if (!structured) return after;
  // The structured value still contains the text that a rail changed in the message.
  return status === "modified"
    ? refusalMessage({ refusal: "", verdict: { ...verdict, blocked: true } })
    : modelResponse;
}

/** Returns true if both messages have the same text and tool calls; other middleware may copy a message. */
function isSame(released: BaseMessage, message: BaseMessage): boolean {
  if (released === message) return true;
  const what = (each: BaseMessage): string =>
    JSON.stringify([extractText(each, { reasoning: true }), extraTextOf(each, ""), readToolCalls(each)]);
  return what(released) === what(message);
}
