import type { BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { GuardrailsMetadata, RailDecision } from "../turn/decision.js";
import { cloneMessage } from "./models/clone-message.js";
import { isVerdict, registerVerdict, VERDICT_KEY } from "./values/registered-verdict.js";
import { redactDetails } from "../turn/redact-data.js";
import { createRedactor } from "../turn/redactor.js";

/** The name of the custom event sent for every decision. */
export const DECISION_EVENT = "guardrails.decision";

/**
 * A copy of the message with the verdict in `response_metadata.guardrails`. INVARIANT: in a stream exactly one chunk
 * carries it, since joining chunks adds up numbers and joins strings.
 */
export function withVerdict<M extends BaseMessage>(message: M, verdict: GuardrailsMetadata): M {
  return cloneMessage(message, {
    response_metadata: { ...message.response_metadata, guardrails: registerVerdict(verdict) },
  });
}

/**
 * The verdict of an answer that came from a guarded runnable.
 *
 * @example
 * ```ts
 * const answer = await guardrails.wrap(model).invoke("hi");
 * if (verdictOf(answer)?.blocked) console.log("blocked by", verdictOf(answer)?.rail);
 * ```
 */
export function verdictOf(message: BaseMessage): GuardrailsMetadata | undefined {
  const verdict: unknown = message.response_metadata?.[VERDICT_KEY];
  return isVerdict(verdict) ? verdict : undefined;
}

/**
 * The decisions without reasons and details that quote the texts the rails looked at: an action that fails, or a judge that
 * explains itself, often repeats what it was given, and the verdict travels with the refusal.
 */
export function withoutQuotes(
  decisions: readonly RailDecision[],
  texts: readonly (string | undefined)[],
): readonly RailDecision[] {
  const isBare = ({ reason, categories, metadata }: RailDecision): boolean =>
    reason === undefined && categories === undefined && metadata === undefined;
  if (decisions.every(isBare)) return decisions;
  const redactor = createRedactor(texts.filter((text) => text !== undefined));
  return decisions.map((decision) => redactDetails(decision, redactor));
}

/**
 * Emits each decision to the handlers of the run: as a custom event (`streamEvents`, `handleCustomEvent`), and in a graph
 * on its `custom` stream.
 */
export async function announceDecisions(
  decisions: readonly RailDecision[],
  config: RunnableConfig | undefined,
): Promise<void> {
  if (decisions.length === 0 || config === undefined) return;
  for (const decision of decisions) writeToGraph(config, { type: DECISION_EVENT, ...decision });
  if (config.callbacks === undefined) return;
  const { dispatchCustomEvent } = await import("@langchain/core/callbacks/dispatch/web");
  for (const decision of decisions) await dispatchCustomEvent(DECISION_EVENT, decision, config);
}

/** Puts something on the `custom` stream of the graph around the call, if there is one. */
export function writeToGraph(config: RunnableConfig, value: object): void {
  const { writer } = config as { writer?: unknown };
  if (typeof writer === "function") (writer as (value: object) => void)(value);
}
