import type { CallbackManagerForChainRun } from "@langchain/core/callbacks/manager";
import { patchConfig, type RunnableConfig } from "@langchain/core/runnables";
import type { RailDecision } from "../turn/decision.js";
import type { RailSelection, TurnOptions } from "../turn/options.js";
import { quarantineConfig } from "./callbacks.js";
import type { Host } from "./host.js";
import { redactConfig } from "./redaction/redact-config.js";

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

/** The options as our own run is opened with: with listeners that are told no more than the host allows. */
export function traced<Options extends RunnableConfig>(options: Options, host: Pick<Host, "redactTraces">): Options;
export function traced<Options extends RunnableConfig>(
  options: Options | undefined,
  host: Pick<Host, "redactTraces">,
): Options | undefined;
export function traced<Options extends RunnableConfig>(
  options: Options | undefined,
  { redactTraces }: Pick<Host, "redactTraces">,
): Options | undefined {
  return redactTraces === true ? redactConfig(options) : options;
}

/** The child config of a call, its quarantined twin and the options for the runtime. */
export function openCall(
  config: GuardrailsCallOptions,
  run: CallbackManagerForChainRun | undefined,
  host: Pick<Host, "rawTokens" | "redactTraces">,
): GuardedCall {
  // Who comes without a run of ours comes from one that LangChain opened.
  const { rails, ...rest } = run === undefined ? traced(config, host) : config;
  const announce = patchConfig(rest, run === undefined ? {} : { callbacks: run.getChild() });
  const inner = quarantineConfig(announce, host.rawTokens);
  return { announce, config: inner, options: { config: inner, ...(rails === undefined ? {} : { rails }) } };
}
