import type { CallbackManagerForChainRun } from "@langchain/core/callbacks/manager";
import { patchConfig, type RunnableConfig } from "@langchain/core/runnables";
import type { RailDecision } from "../runtime/decision.js";
import type { RailSelection, TurnOptions } from "../runtime/options.js";
import { quarantineConfig, type RawTokens } from "./callbacks.js";

/** The options of one call of a guardrails runnable. */
export interface GuardrailsCallOptions extends RunnableConfig {
  /** Which rails run in this call: a boolean for a stage, or the names of its rails. */
  rails?: RailSelection;
}

/** What a blocked value becomes. */
export type OnBlocked = "refuse" | "throw" | ((decision: RailDecision, value: unknown) => unknown);

/** The surroundings of one call. */
export interface GuardedCall {
  /** For our own announcements: below our run, with all its listeners. */
  readonly announce: RunnableConfig;
  /** For everything that runs behind the rails: without streaming consumers. */
  readonly config: RunnableConfig;
  readonly options: TurnOptions;
}

/** The child config of a call, its quarantined twin and the options for the runtime. */
export function openCall(
  config: GuardrailsCallOptions,
  run: CallbackManagerForChainRun | undefined,
  rawTokens: RawTokens,
): GuardedCall {
  const { rails, ...rest } = config;
  const announce = patchConfig(rest, run === undefined ? {} : { callbacks: run.getChild() });
  const inner = quarantineConfig(announce, rawTokens);
  return { announce, config: inner, options: { config: inner, ...(rails === undefined ? {} : { rails }) } };
}
