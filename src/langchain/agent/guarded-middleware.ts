import type { BaseMessage } from "@langchain/core/messages";
import type { AgentMiddleware } from "langchain";
import type { Guardrails } from "../guardrails.js";
import { hostOf } from "../host.js";
import { isMessage, isObject } from "../values/message-kinds.js";
import { registeredVerdict } from "../values/registered-verdict.js";
import { type ModelRequestLike, reviewResponse } from "./agent-model.js";
import { type GuardrailsMiddlewareOptions, readOptions } from "./middleware-options.js";

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
      const said: unknown = isObject(answer) && Array.isArray(answer["messages"]) ? answer["messages"][0] : answer;
      if (isMessage(said) && registeredVerdict(said) !== undefined) released.push(said);
      return answer;
    });
    return reviewResponse(host, guard, { request, response, released });
  };
  return { ...middleware, wrapModelCall } as Middleware;
}
