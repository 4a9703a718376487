import type { RunnableConfig } from "@langchain/core/runnables";
import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import type { GuardrailsMetadata } from "../../turn/decision.js";
import type { RailSelection } from "../../turn/options.js";
import { type GuardedCall, openCall } from "../call.js";
import type { Host } from "../host.js";
import { stateOf } from "./agent-state.js";

/** Runtime that the hooks of a middleware receive with the state. */
export interface AgentRuntime {
  readonly signal?: AbortSignal | undefined;
  readonly configurable?: Record<string, unknown> | undefined;
  readonly writer?: ((chunk: unknown) => void) | undefined;
}

/** The config of the agent's node that runs now; hooks are not handed it, but LangGraph keeps it at hand. */
export function nodeConfig(): RunnableConfig | undefined {
  return AsyncLocalStorageProviderSingleton.getRunnableConfig() as RunnableConfig | undefined;
}

/**
 * Opens the guarded call of a hook; the caller closes it. Hooks of one agent run share the variables that rails set through
 * the state of the agent.
 */
export function openAgentCall(
  host: Host,
  runtime: AgentRuntime | undefined,
  rails: RailSelection,
  state?: object,
): GuardedCall {
  const { runId: _id, runName: _name, ...config } = nodeConfig() ?? {};
  const { signal, configurable } = runtime ?? {};
  const own = {
    ...config,
    ...(config.signal === undefined && signal !== undefined ? { signal } : {}),
    ...(config.configurable === undefined && configurable !== undefined ? { configurable } : {}),
  };
  const call = openCall({ ...own, rails }, undefined, host);
  const variables = state === undefined ? undefined : stateOf(state)?.variables;
  if (variables !== undefined) call.conversation.assign(variables);
  return call;
}

/** A verdict on the `custom` stream of the graph, where there is one. */
export function writeVerdict(runtime: AgentRuntime | undefined, verdict: GuardrailsMetadata): void {
  if (verdict.decisions.length > 0) runtime?.writer?.({ type: "guardrails", ...verdict });
}
