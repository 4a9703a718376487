import type { GuardrailsMetadata } from "../../turn/decision.js";
import { isMessage, isObject } from "../values/message-kinds.js";
import { shapeError } from "../shape-error.js";
import { verdictOf } from "../verdict.js";

/** Direction after a verdict. */
export type VerdictRoute = "passed" | "blocked";

/**
 * A conditional edge by the verdict on the last message: behind an input node that is the refusal, or the user's message.
 *
 * @throws InputShapeError for a state without messages
 *
 * @example
 * ```ts
 * graph.addConditionalEdges("guard", routeOnVerdict, { passed: "agent", blocked: END });
 * ```
 */
export function routeOnVerdict(state: { readonly messages?: unknown }): VerdictRoute {
  const { messages } = state;
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  if (!isMessage(last)) {
    const hint = "give the node a `verdictKey` and route with `routeOnVerdictIn(verdictKey)`";
    throw shapeError("this state has no messages to read a verdict from", state, hint);
  }
  return verdictOf(last)?.blocked === true ? "blocked" : "passed";
}

/**
 * A conditional edge by the verdict in a channel, for states without messages and for retrieval nodes.
 *
 * @example
 * ```ts
 * graph.addConditionalEdges("retrieve", routeOnVerdictIn("verdict"), { passed: "answer", blocked: END });
 * ```
 */
export function routeOnVerdictIn(verdictKey: string): (state: object) => VerdictRoute {
  return (state) => {
    const verdict: unknown = (state as Readonly<Record<string, unknown>>)[verdictKey];
    if (!isObject(verdict) || typeof verdict["blocked"] !== "boolean") {
      const hint = "run the node before it with this `verdictKey`, and declare the channel";
      throw shapeError(`there is no verdict in the channel \`${verdictKey}\``, state, hint);
    }
    return (verdict as unknown as GuardrailsMetadata).blocked ? "blocked" : "passed";
  };
}
