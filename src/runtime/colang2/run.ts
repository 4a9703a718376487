import type { EngineConversation, Round } from "../../colang2/engine/conversation.js";
import type { GuardrailsEvent } from "../../engine/events.js";
import type { ActionRun } from "../action-context.js";
import type { ActionRegistry } from "../../actions/registry.js";
import type { Colang2Program } from "../../colang2/program.js";
import type { Colang2Generation } from "./generation/services.js";
import type { Diagnostic } from "../../diagnostics/diagnostic.js";
import type { ModelSet } from "../../llm/model.js";
import type { LlmTasks } from "../../llm/task/task.js";
import type { RailServices } from "../../rails/services.js";
import type { EventSource } from "./complete-event.js";
import type { HistoryEntry } from "../../colang2/engine/state/records.js";

/** One run of a program: a conversation, or a rail in a state of its own. */
export interface Colang2Run extends ActionRun {
  readonly engine: EngineConversation;
  /** What happened before, for prompts and actions. */
  readonly past: () => readonly GuardrailsEvent[];
  /** What happened in this run, in the order in which the engine saw it. */
  readonly events: GuardrailsEvent[];
  /** Texts that output rails have passed, or that rails themselves said: they need no second look. */
  readonly released: Set<string>;
  /** It runs ahead of the verdict of the input rails: nothing that it does may be seen. */
  readonly isAhead?: boolean;
  /** What a rail on tools said when it refused the call of a tool. */
  toolRefusal?: string | undefined;
  /** All that came from the user's side in this call and was not heard before, as the rails left it: results of tools too. */
  heard?: () => readonly string[];
  /** Told of rounds that an action makes, which change the program while it runs. */
  noteRound?: (round: Round) => void;
}

/** What was said in a run so far. */
export function utterancesOf(events: readonly GuardrailsEvent[]): string[] {
  return events.flatMap(({ type, final_script: text }) =>
    type === "UtteranceBotActionFinished" && typeof text === "string" && text !== "" ? [text] : [],
  );
}

/** The parts of a Colang 2.x runtime, fixed when it is created. Nothing here changes during a call. */
export interface Colang2Services extends RailServices {
  readonly program: Colang2Program;
  /** Texts that flows say literally. */
  readonly writtenTexts: ReadonlySet<string>;
  /** Whether the configuration has a dialog, and is not rails alone. */
  readonly hasDialog: boolean;
  /** For stages on their own: the flows `input rails` and `output rails` of the configuration count as listed. */
  readonly stages: RailServices;
  /** Flows of the configuration that stand where its listed rails could: `input rails`, `output rails`. */
  readonly ownRailFlows: ReadonlySet<string>;
  readonly registry: ActionRegistry;
  /** What actions that generate are made of, for the stages of the dialog on their own. */
  readonly generation: Colang2Generation;
  /** Our own actions that look things up and ask models and do nothing else, as flows name them. */
  readonly askingActions: ReadonlySet<string>;
  /** Actions that compete with nothing, as flows name them. */
  readonly neutralActions: { has(name: string): boolean };
  readonly tasks: LlmTasks;
  readonly models: ModelSet;
  readonly kb: unknown;
  readonly actionParams: Readonly<Record<string, unknown>>;
  readonly events: EventSource;
  readonly instantActions: ReadonlySet<string>;
  readonly warnings: readonly Diagnostic[];
}

/** What prompts show of a run: what was said by whom, under the names that the history knows. */
export function historyEvents(events: readonly GuardrailsEvent[]): GuardrailsEvent[] {
  const shown: GuardrailsEvent[] = [];
  for (const { type, final_transcript: heard, final_script: said } of events) {
    if (type === "UtteranceUserActionFinished" && typeof heard === "string") {
      shown.push({ type: "UserMessage", text: heard });
    } else if (type === "UtteranceBotActionFinished" && typeof said === "string" && said !== "") {
      shown.push({ type: "StartUtteranceBotAction", script: said });
    }
  }
  return shown;
}

/** What was said elsewhere, as prompts of Colang 2.x show it: as if the flows had heard and said it (spec colang-2 8.4). */
export function spokenEntries(events: readonly GuardrailsEvent[]): readonly HistoryEntry[] {
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
