import type { StageOutcome } from "../../turn/decision.js";
import type { SpeculationHooks } from "../speculation/run-concurrently.js";
import { runRailsOfStage } from "../../rails/run-stage.js";
import type { EngineConversation, Round } from "../../colang2/engine/conversation.js";
import type { GuardrailsEvent } from "../../engine/events.js";
import type { ActionRun, HostServices } from "../action-context.js";
import type { Colang2Program } from "../../colang2/program.js";
import type { Colang2Generation } from "./generation/services.js";
import type { RailServices } from "../../rails/services.js";
import type { EventSource } from "./complete-event.js";
import type { HistoryEntry } from "../../colang2/engine/state/records.js";
import type { Turn } from "../../turn/turn.js";

/** One run of a program: a conversation, or a rail in a state of its own. */
export interface Colang2Run extends ActionRun {
  readonly engine: EngineConversation;
  /** Texts that output rails have passed, or that rails themselves emitted: they are not reviewed again. */
  readonly released: Set<string>;
  /** True for a speculative run before the input verdict: none of its effects may be visible. */
  readonly isSpeculative?: boolean;
  /** Refusal of a rail on tools that blocked a call. */
  toolRefusal?: string | undefined;
  /** New texts of the user's side in this call as the rails left them, results of tools included. */
  userSide?: () => readonly string[];
  /** Receives rounds that an action makes, which change the program while it runs. */
  noteRound?: (round: Round) => void;
}

/** Returns the bot utterances among the events. */
export function utterancesOf(events: readonly GuardrailsEvent[]): string[] {
  return events.flatMap(({ type, final_script: text }) =>
    type === "UtteranceBotActionFinished" && typeof text === "string" && text !== "" ? [text] : [],
  );
}

/** Begins a run of the conversation itself. */
export function conversationRun(turn: Turn, engine: EngineConversation, past: Colang2Run["past"]): Colang2Run {
  const { config = {}, cancellation } = turn;
  return { turn, scope: "conversation", config, cancellation, engine, past, events: [], released: new Set() };
}

/** Dependencies of the Colang 2.x host. */
export interface Colang2Services extends HostServices {
  readonly program: Colang2Program;
  /** True if the configuration has a dialog, and is not rails alone. */
  readonly hasDialog: boolean;
  /** For stages on their own: the flows `input rails` and `output rails` of the configuration count as listed. */
  readonly stages: RailServices;
  /** Flows of the configuration that stand where its listed rails could: `input rails`, `output rails`. */
  readonly ownRailFlows: ReadonlySet<string>;
  readonly generation: Colang2Generation;
  /** Actions that compete with nothing, as flows name them. */
  readonly neutralActions: { has(name: string): boolean };
  readonly events: EventSource;
  readonly instantActions: ReadonlySet<string>;
}

/** Returns the utterances of user and bot among the events, under the names that histories use. */
export function historyEvents(events: readonly GuardrailsEvent[]): GuardrailsEvent[] {
  const shown: GuardrailsEvent[] = [];
  for (const { type, final_transcript: text, final_script: script } of events) {
    if (type === "UtteranceUserActionFinished" && typeof text === "string") {
      shown.push({ type: "UserMessage", text });
    } else if (type === "UtteranceBotActionFinished" && typeof script === "string" && script !== "") {
      shown.push({ type: "StartUtteranceBotAction", script });
    }
  }
  return shown;
}

/** Converts a history to log entries, as prompts of Colang 2.x show them. */
export function logEntriesOf(events: readonly GuardrailsEvent[]): readonly HistoryEntry[] {
  return events.flatMap(({ type, text, script }): readonly HistoryEntry[] => {
    if (type === "UserMessage" && typeof text === "string") {
      return [{ name: "UserActionLog", flow: "user said", parameter: text, intent: null }];
    }
    if (type === "StartUtteranceBotAction" && typeof script === "string" && script !== "") {
      return [{ name: "BotActionLog", flow: "bot say", parameter: script, intent: null }];
    }
    return [];
  });
}

/** The listed input rails over what the user said. */
export function judgeInput(
  services: Colang2Services,
  run: Colang2Run,
  text: string,
  hooks: SpeculationHooks = {},
): Promise<StageOutcome> {
  const { turn, config, cancellation, past, engine } = run;
  const context = { ...engine.globals, user_message: text, last_user_message: text };
  return runRailsOfStage(services, { turn, stage: "input", context, config, cancellation, past, ...hooks });
}
