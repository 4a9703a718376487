import type { GuardrailsEvent } from "../engine/events.js";

/** The three stages as values. */
export interface CanonicalForm {
  readonly intent: string;
  readonly score: number | null;
  readonly alternatives: readonly { readonly intent: string; readonly score: number }[];
  readonly source: "embeddings" | "llm";
}

export interface NextStep {
  /** The bot's canonical form; absent when a flow runs an action first, or waits. */
  readonly intent?: string;
  readonly action?: string;
  readonly source: "flow" | "llm";
  readonly flow?: string;
}

export interface BotUtterance {
  readonly text: string;
  readonly source: "predefined" | "variable" | "llm" | "generator";
}

export interface FlowResult {
  readonly messages: readonly { readonly role: "assistant"; readonly content: string }[];
  readonly variables: Readonly<Record<string, unknown>>;
  readonly events: readonly GuardrailsEvent[];
  readonly status: "finished" | "waiting" | "stopped" | "failed";
}
