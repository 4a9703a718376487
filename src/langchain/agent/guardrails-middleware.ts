import { type AgentMiddleware, createMiddleware } from "langchain";
import { listedToolRails } from "../../rails/tools/tool-rails.js";
import type { Guardrails } from "../guardrails.js";
import { hostOf } from "../host.js";
import {
  type AgentGuard,
  type AgentRuntime,
  agentStateSchema,
  type GuardrailsMiddlewareOptions,
  readOptions,
} from "./agent-state.js";
import { guardModelCall, reviewModelResponse } from "./agent-model.js";
import { type AgentState, type ModelRequestLike, reviewTurn } from "./agent-turn.js";
import { guardHooks } from "./agent-hooks.js";
import { guardToolCall, type ToolRequestLike } from "./agent-tool.js";
import { addRefusals } from "./refused-calls.js";
import type { BaseMessage } from "@langchain/core/messages";
import { isMessage, isObject } from "../values/message-kinds.js";
import { registeredVerdict } from "../verdict.js";

/**
 * Guards an agent made by `createAgent`: input rails at the start of a turn, output and dialog rails around its model,
 * tool rails around tool calls. Blocked content enters neither the agent's state nor its streams, at any position in
 * the list of middleware. One checkpoint is the exception: LangGraph saves the caller's input before the first model
 * call. `guardrails.wrap(agent.graph)` keeps a blocked message out of that one too.
 *
 * @throws InputShapeError when the first argument is not a guardrails object
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
  const guard = readOptions(hostOf(guardrails), options);
  const { host, rails } = guard;
  const hasRails = (stage: "input" | "output"): boolean =>
    rails[stage] !== false && host.runtime.railNames(stage).length > 0;
  const listed = rails.execution === false ? [] : listedToolRails(host.runtime.config.settings.rails);
  // Tools without rails of their own are checked by the input and output rails.
  const guardsTools = hasRails("output") || hasRails("input") || listed.length > 0;
  const guardsCalls = listed.some(({ stage }) => stage === "tool_output");
  const guardsModel = guardsTools || (host.runtime.hasDialog && rails.dialog !== false);
  const beforeAgent = (state: object, runtime: AgentRuntime) => reviewTurn(guard, state as AgentState, runtime);
  const wrapModelCall = (request: ModelRequestLike, handler: (request: ModelRequestLike) => unknown) =>
    guardModelCall(guard, request, handler);
  const wrapToolCall = (request: ToolRequestLike, handler: (request: ToolRequestLike) => unknown) =>
    guardToolCall(guard, request, handler, { startsTurn: true });
  const afterModel = (state: object, runtime: AgentRuntime) => addRefusals((state as AgentState).messages, runtime);
  const reviewsBefore = rails.input !== false && options.inputHook !== "wrapModelCall";
  // A hook without work would still cost the agent a step, or its streaming.
  const hooks = {
    name: guard.name,
    stateSchema: agentStateSchema,
    ...(reviewsBefore ? { beforeAgent: { hook: beforeAgent, canJumpTo: ["end"] } } : {}),
    ...(guardsModel ? { wrapModelCall } : {}),
    ...(guardsCalls ? { afterModel: { hook: afterModel, canJumpTo: ["tools"] } } : {}),
    ...(guardsTools ? { wrapToolCall } : {}),
  };
  const middleware = createMiddleware(hooks as unknown as Parameters<typeof createMiddleware>[0]);
  return middleware as unknown as AgentMiddleware;
}

/**
 * Runs only the input rails of `guardrailsMiddleware`.
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
  const withDefaults = { name: "InputRailsMiddleware", enableToolRails: false, ...options };
  return guardrailsMiddleware(guardrails, { ...withDefaults, enableOutputRails: false });
}

/**
 * Runs only the output rails of `guardrailsMiddleware`.
 *
 * @example
 * ```ts
 * createAgent({ model, tools, middleware: [outputRailsMiddleware(guardrails)] });
 * ```
 */
export function outputRailsMiddleware(
  guardrails: Guardrails,
  options: Omit<GuardrailsMiddlewareOptions, "enableInputRails" | "enableOutputRails" | "inputHook"> = {},
): AgentMiddleware {
  const withDefaults = { name: "OutputRailsMiddleware", enableToolRails: false, ...options };
  return guardrailsMiddleware(guardrails, { ...withDefaults, enableInputRails: false });
}

type WrapModelCall = (
  request: ModelRequestLike,
  handler: (request: ModelRequestLike) => Promise<unknown>,
) => Promise<unknown> | unknown;

/**
 * Reviews what a middleware itself produces: answers it makes up, messages of its commands, and all that its hooks write
 * to the agent's state, such as a summary. If rails block that, its write is dropped and the refusal ends the turn. Its
 * `wrapToolCall` runs between the rails of the tool. `guardrailsMiddleware` cannot see the hooks of other middleware, the
 * commands of inner middleware once a model was called, nor anything produced outside of it.
 *
 * @throws InputShapeError when the first argument is not a guardrails object
 *
 * @example
 * ```ts
 * createAgent({ model, tools, middleware: [guardrailsMiddleware(guardrails), guardedMiddleware(guardrails, router)] });
 * ```
 */
export function guardedMiddleware<Middleware extends Pick<AgentMiddleware, "wrapModelCall">>(
  guardrails: Guardrails,
  middleware: Middleware,
  options: Omit<GuardrailsMiddlewareOptions, "name" | "inputHook"> = {},
): Middleware {
  const guard = readOptions(hostOf(guardrails), options);
  const wrap = middleware.wrapModelCall as WrapModelCall | undefined;
  const hooks = {
    ...guardHooks(guard, middleware),
    ...(wrap && { wrapModelCall: guardWrap(guard, wrap.bind(middleware)) }),
  };
  return Object.keys(hooks).length === 0 ? middleware : { ...middleware, ...hooks };
}

function guardWrap(guard: AgentGuard, wrap: WrapModelCall): WrapModelCall {
  return async (request, handler) => {
    const released: BaseMessage[] = [];
    const result = await wrap(request, async (given) => {
      const response = await handler(given);
      // A message released by an inner guard carries its verdict.
      const message: unknown =
        isObject(response) && Array.isArray(response["messages"]) ? response["messages"][0] : response;
      if (isMessage(message) && registeredVerdict(message) !== undefined) released.push(message);
      return response;
    });
    return reviewModelResponse(guard, request, result, released);
  };
}
