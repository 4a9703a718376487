import type { RunnableConfig } from "@langchain/core/runnables";
import { DEFAULT_STREAM_PLAN, type StreamPlan } from "../../turn/stream-plan.js";
import type { Host } from "../host.js";

/** Returns the stream plan of a host. */
export function planOf(host: Host): StreamPlan {
  return host.streaming ?? DEFAULT_STREAM_PLAN;
}

/**
 * How long a chunk may wait for the reader of a stream, in milliseconds; 0 for any time. INVARIANT: a reader who left does
 * not hold up the later turns of a conversation.
 */
export function unreadMsOf(host: Host, config: RunnableConfig | undefined): number {
  const thread: unknown = config?.configurable?.["thread_id"];
  return thread === undefined || thread === null ? 0 : stallMsOf(host);
}

/** Longest pause of an answer, in milliseconds: that of an action. */
export function stallMsOf(host: Host): number {
  return host.runtime.config.settings.actions.timeout_ms;
}
