import { type AgentMiddleware, createMiddleware } from "langchain";
import { listedToolRails } from "../../rails/tools/tool-rails.js";
import type { Guardrails } from "../guardrails.js";
import { type Host, hostOf } from "../host.js";
import {
  type AgentRuntime,
  agentStateSchema,
  stateOf,
  turnVerdict,
  type AgentGuard,
  type GuardrailsMiddlewareOptions,
  readOptions,
} from "./agent-state.js";
import { type AgentState, reviewTurn } from "./agent-input.js";
import { guardModelCall, type ModelRequestLike, reviewResponse } from "./agent-model.js";
import { guardToolCall, type ToolRequestLike } from "./agent-tool.js";
import { answerRefused } from "./refused-calls.js";
import type { BaseMessage } from "@langchain/core/messages";
import { isMessage, isObject } from "../values/message-kinds.js";
import { registeredVerdict } from "../verdict.js";

/**
 * Guards an agent made by `createAgent`: input rails when a turn begins, output rails and dialog rails around its model,
 * rails on tools around their calls. What was blocked enters neither the agent's state nor any of its streams, wherever in
 * the list of middleware this one stands, and none of its checkpoints but one: LangGraph saves what the caller sends before
 * it asks a model. `guardrails.wrap(agent.graph)` keeps a blocked message out of that one too.
 *
 * @throws InputShapeError when the first argument is no guardrails object
 *
 * @example
 * ```ts
 * const agent = createAgent({ model, tools, middleware: [guardrailsMiddleware(guardrails)] });
 * ```
 */
export function guardrailsMiddleware(
  guardrails: Guardrails,
  options: GuardrailsMiddlewareOptions = {},
): AgentMiddleware {
  const host = hostOf(guardrails);
  const guard = readOptions(options);
  const beforeAgent = (state: object, runtime: AgentRuntime) => reviewTurn(host, guard, state as AgentState, runtime);
  const wrapModelCall = (request: ModelRequestLike, handler: (request: ModelRequestLike) => unknown) =>
    guardModelCall(host, guard, request, handler);
  const wrapToolCall = (request: ToolRequestLike, handler: (request: ToolRequestLike) => unknown) =>
    guardToolCall(host, guard, request, handler);
  const afterModel = (state: object, runtime: AgentRuntime) => answerRefused((state as AgentState).messages, runtime);
  const afterAgent = (state: object) => {
    const own = stateOf(state);
    return own && { _guardrails: { ...own, verdict: turnVerdict((state as AgentState).messages, own) } };
  };
  // A hook that does nothing would still cost the agent a step, or its streaming.
  const hooks = {
    name: guard.name,
    stateSchema: agentStateSchema,
    beforeAgent: { hook: beforeAgent, canJumpTo: ["end"] },
    ...(asksModel(host, guard) ? { wrapModelCall } : {}),
    ...(checksCalls(host, guard) ? { afterModel: { hook: afterModel, canJumpTo: ["model"] } } : {}),
    ...(runsTools(host, guard) ? { wrapToolCall } : {}),
    afterAgent,
  };
  const middleware = createMiddleware(hooks as unknown as Parameters<typeof createMiddleware>[0]);
  return middleware as unknown as AgentMiddleware;
}

/**
 * Only the input rails of `guardrailsMiddleware`.
 *
 * @example
 * ```ts
 * createAgent({ model, tools, middleware: [inputRailsMiddleware(guardrails)] });
 * ```
 */
export function inputRailsMiddleware(
  guardrails: Guardrails,
  options: Omit<GuardrailsMiddlewareOptions, "enableInputRails" | "enableOutputRails"> = {},
): AgentMiddleware {
  const given = { name: "InputRailsMiddleware", enableToolRails: false, ...options };
  return guardrailsMiddleware(guardrails, { ...given, enableOutputRails: false });
}

/**
 * Only the output rails of `guardrailsMiddleware`.
 *
 * @example
 * ```ts
 * createAgent({ model, tools, middleware: [outputRailsMiddleware(guardrails)] });
 * ```
 */
export function outputRailsMiddleware(
  guardrails: Guardrails,
  options: Omit<GuardrailsMiddlewareOptions, "enableInputRails" | "enableOutputRails"> = {},
): AgentMiddleware {
  const given = { name: "OutputRailsMiddleware", enableToolRails: false, ...options };
  return guardrailsMiddleware(guardrails, { ...given, enableInputRails: false });
}

/** Returns true if rails apply to the model; otherwise it streams unchanged. */
function asksModel({ runtime }: Host, { rails }: AgentGuard): boolean {
  if (rails.output !== false && runtime.railNames("output").length > 0) return true;
  if (runtime.hasDialog && rails.dialog !== false) return true;
  return hasToolRails(runtime, rails) || (rails.input !== false && runtime.railNames("input").length > 0);
}

function runsTools({ runtime }: Host, { rails }: AgentGuard): boolean {
  // What a tool says to the user itself passes the output rails.
  if (rails.output !== false && runtime.railNames("output").length > 0) return true;
  return hasToolRails(runtime, rails) || (rails.input !== false && runtime.railNames("input").length > 0);
}

function checksCalls({ runtime }: Host, { rails }: AgentGuard): boolean {
  const listed = listedToolRails(runtime.config.settings.rails);
  return rails.execution !== false && listed.some(({ stage }) => stage === "tool_output");
}

function hasToolRails(runtime: Host["runtime"], rails: AgentGuard["rails"]): boolean {
  return rails.execution !== false && listedToolRails(runtime.config.settings.rails).length > 0;
}

type WrapModelCall = (
  request: ModelRequestLike,
  handler: (request: ModelRequestLike) => Promise<unknown>,
) => Promise<unknown> | unknown;

/**
 * A middleware whose own words are reviewed: answers that it makes up, and messages of commands that it returns. Agents
 * collect the commands of a middleware without showing them to those around it when a model was asked before, so
 * `guardrailsMiddleware` never sees these; and it sees nothing of what stands outside of it.
 *
 * @throws InputShapeError when the first argument is no guardrails object
 *
 * @example
 * ```ts
 * createAgent({ model, tools, middleware: [guardrailsMiddleware(guardrails), guardedMiddleware(guardrails, router)] });
 * ```
 */
export function guardedMiddleware<Middleware extends Pick<AgentMiddleware, "wrapModelCall">>(
  guardrails: Guardrails,
  middleware: Middleware,
  options: Omit<GuardrailsMiddlewareOptions, "name"> = {},
): Middleware {
  const host = hostOf(guardrails);
  const guard = readOptions(options);
  const wrap = middleware.wrapModelCall as WrapModelCall | undefined;
  if (wrap === undefined) return middleware;
  const wrapModelCall: WrapModelCall = async (request, handler) => {
    const released: BaseMessage[] = [];
    const response = await wrap.call(middleware, request, async (given) => {
      const answer = await handler(given);
      // What a guard inside has let pass carries its verdict.
      const message: unknown = isObject(answer) && Array.isArray(answer["messages"]) ? answer["messages"][0] : answer;
      if (isMessage(message) && registeredVerdict(message) !== undefined) released.push(message);
      return answer;
    });
    return reviewResponse(host, guard, { request, response, released });
  };
  return { ...middleware, wrapModelCall } as Middleware;
}
