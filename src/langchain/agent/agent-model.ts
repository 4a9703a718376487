import type { AIMessage, BaseMessage } from "@langchain/core/messages";
import { type Runnable, RunnableBinding, RunnableSequence } from "@langchain/core/runnables";
import { extraTextOf } from "../values/answer.js";
import { releaseAnswer } from "../values/read-answer.js";
import { violation } from "../blocked.js";
import { extractText } from "../values/content.js";
import { GuardedChatModel, type GuardedModelFields } from "../guarded-chat-model.js";
import { closing } from "../call.js";
import { reviewAnswer } from "../review/review.js";
import {
  stateOf,
  type AgentRuntime,
  openAgentCall,
  writeVerdict,
  type AgentGuard,
  quarantineNode,
  shownBlock,
} from "./agent-state.js";
import type { Block } from "../../turn/decision.js";
import { isMessage, isObject, roleOf } from "../values/message-kinds.js";
import { shapeError } from "../shape-error.js";
import { readCallingAnswer } from "../structured/structured-answer.js";
import { readToolCalls, callTools } from "../tools/tool-calls.js";
import { verdictOf } from "../verdict.js";
import { bindingAround } from "../models/model-traits.js";
import { refusalMessage, reviewUnseen } from "./agent-input.js";
import { isCommand, visitCommand } from "../tools/tool-output.js";
import { hideRefused } from "./refused-calls.js";

/** Request that a middleware receives for a model call. */
export interface ModelRequestLike {
  readonly model: unknown;
  readonly messages: BaseMessage[];
  readonly tools?: readonly unknown[];
  readonly state: object;
  readonly runtime?: AgentRuntime | undefined;
}

/**
 * One question to the model, guarded. The model is asked through a guarded one, so that nothing of its answer is seen
 * before it was reviewed; what comes back from elsewhere, because a middleware inside asked another model or made an
 * answer up, is reviewed here.
 */
export async function guardModelCall<Request extends ModelRequestLike, Response>(
  guard: AgentGuard,
  request: Request,
  handler: (request: Request) => Promise<Response> | Response,
): Promise<Response | AIMessage> {
  const unseen = await reviewUnseen(guard, request);
  if (unseen.block !== undefined) return refusalMessage(shownBlock(guard, unseen.block, guard.blockedInputMessage));
  const released: BaseMessage[] = [];
  const blocks: Block[] = [];
  const node = quarantineNode(guard.host);
  try {
    const model = await guardModel(request.model, {
      host: guard.host,
      onBlocked: guard.onBlocked,
      rails: { ...guard.rails, input: false },
      refusal: guard.blockedOutputMessage,
      ofAgent: true,
      variables: stateOf(request.state)?.variables,
      callbacks: node.handlers,
      onBlock: (block) => blocks.push(block),
      onReleased: (message) => {
        released.push(message);
        writeVerdict(request.runtime, verdictOf(message) ?? { blocked: false, decisions: [] });
      },
    });
    const response = await handler({ ...request, model, messages: [...unseen.messages] });
    rethrowBlock(guard, blocks);
    const reviewed = await reviewResponse(guard, request, response, released);
    return isMessage(reviewed) && roleOf(reviewed) === "assistant"
      ? hideRefused(reviewed as AIMessage, guard)
      : reviewed;
  } catch (error) {
    rethrowBlock(guard, blocks);
    // A refusal fits no schema that the agent may want an answer in; it is the answer all the same.
    const refusal = released.at(-1);
    if (guard.onBlocked === "refuse" && refusal !== undefined && verdictOf(refusal)?.blocked === true) {
      return refusal as AIMessage;
    }
    throw error;
  } finally {
    node.restore();
  }
}

/** Throws the first block again: a middleware inside may have caught its error and asked a fallback model. */
function rethrowBlock(guard: AgentGuard, [block]: readonly Block[]): void {
  if (guard.onBlocked === "throw" && block !== undefined) throw violation(block);
}

/** The model of an agent in any form agents take, guarded and in the same form. */
async function guardModel(model: unknown, fields: Omit<GuardedModelFields, "inner">): Promise<unknown> {
  if (isObject(model)) {
    const { _getModelInstance: resolve } = model as { _getModelInstance?: () => Promise<unknown> };
    if (typeof resolve === "function") return guardModel(await resolve.call(model), fields);
    if ("_streamResponseChunks" in model)
      return new GuardedChatModel({ ...fields, inner: model as unknown as Runnable });
    if (RunnableBinding.isRunnableBinding(model)) {
      return bindingAround(model, (await guardModel(model.bound, fields)) as Runnable);
    }
    const steps = RunnableSequence.isRunnableSequence(model) ? model.steps : [];
    const at = steps.findIndex((step) => "_streamResponseChunks" in step || RunnableBinding.isRunnableBinding(step));
    if (at !== -1)
      return RunnableSequence.from(steps.with(at, (await guardModel(steps[at], fields)) as Runnable) as never);
  }
  throw shapeError("this model cannot be guarded", model, "give the agent a chat model");
}

/**
 * Reviews the response of the handler, unless it was released by the guarded model.
 *
 * @param released - messages that the guarded model let go
 */
export async function reviewResponse<Response>(
  guard: AgentGuard,
  request: ModelRequestLike,
  response: Response,
  released: readonly BaseMessage[],
): Promise<Response | AIMessage> {
  if (isCommand(response)) {
    // INVARIANT: a command may bring messages of any middleware inside; none gets into the state unread.
    const parts = await visitCommand(response, async (message) =>
      roleOf(message) === "assistant" ? reviewResponse(guard, request, message, released) : message,
    );
    // The agent has collected this very command and writes it whatever is returned here, so it must be changed itself.
    return Object.assign(response, parts);
  }
  const structured = isObject(response) && !isMessage(response) && Array.isArray(response["messages"]);
  const given: unknown = structured ? (response as unknown as { messages: unknown[] }).messages[0] : response;
  if (!isMessage(given))
    throw shapeError("the answer of the agent's model cannot be read", response, "return a message");
  if (released.some((message) => isSame(message, given))) return response;
  const tools = [...(request.tools ?? [])];
  const { block, answer, texts, verdict, status } = await closing(
    openAgentCall(guard, request.runtime, request.state),
    (call) => reviewAnswer(readCallingAnswer(given, callTools(tools)), call, { tools, strip: !structured }),
  );
  writeVerdict(request.runtime, verdict);
  if (block !== undefined) {
    const shown = shownBlock(guard, block, guard.blockedOutputMessage);
    return answer.refuse(refusalMessage(shown).text, shown.verdict) as AIMessage;
  }
  const after = releaseAnswer(answer, texts[0] ?? answer.text, verdict) as AIMessage;
  if (!structured) return after;
  // The structured value still has the text that a rail changed in the message.
  return status === "modified" ? refusalMessage({ refusal: "", verdict: { ...verdict, blocked: true } }) : response;
}

/** Returns true if both messages have the same text and tool calls; other middleware may have copied one. */
function isSame(released: BaseMessage, message: BaseMessage): boolean {
  if (released === message) return true;
  const what = (each: BaseMessage): string =>
    JSON.stringify([extractText(each, { reasoning: true }), extraTextOf(each, ""), readToolCalls(each)]);
  return what(released) === what(message);
}
