import { DEFAULT_STREAM_PLAN, type StreamPlan } from "../../turn/stream-plan.js";
import type { Host } from "../host.js";

/** What a host says about its streams. */
export function planOf(host: Host): StreamPlan {
  return host.streaming ?? DEFAULT_STREAM_PLAN;
}

/** How long an answer may stand still: as long as any action may take. */
export function stallMsOf(host: Host): number {
  return host.runtime.config.settings.actions.timeout_ms;
}
