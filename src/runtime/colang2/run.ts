import type { StageOutcome } from "../../turn/decision.js";
import type { SpeculationHooks } from "../speculation/run-concurrently.js";
import { runRailsOfStage } from "../../rails/run-stage.js";
import type { EngineConversation, Round } from "../../colang2/engine/conversation.js";
import {
  type GuardrailsEvent,
  type EventDraft,
  type IdSource,
  readEvent,
  formatTimestamp,
  type Clock,
} from "../../engine/events.js";
import type { ActionRun, HostServices } from "../action-context.js";
import type { Colang2Program } from "../../colang2/program.js";
import type { Colang2Generation } from "./generation/services.js";
import type { RailServices } from "../../rails/services.js";
import type { HistoryEntry } from "../../colang2/engine/state/records.js";
import type { Turn } from "../../turn/turn.js";
import { MAX_EVENT_NAME, splitActionEvent, isInternalEvent, modalityOf } from "../../colang2/event-names.js";
import { RAIL_VARIABLES } from "../../engine/context-variables.js";
import { type ActionError, InputShapeError } from "../../diagnostics/errors.js";
import { type PlainData, writeOwn } from "../../engine/plain-data.js";

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
  /** Results that the turn had before the engine took it over. */
  recorded?: TurnResults;
  /** Variables of a run that has gone without the engine so far; absent where the engine has them. */
  readonly variables?: Readonly<Record<string, unknown>>;
  /** Receives rounds that an action makes, which change the program while it runs. */
  noteRound?: (round: Round) => void;
}

/** Result of an action as flows take it. */
export type PerformedAction =
  | {
      readonly ok: true;
      readonly value: PlainData;
      readonly updates: Readonly<Record<string, unknown>>;
      readonly events: readonly EventDraft[];
    }
  | { readonly ok: false; readonly error: ActionError };

/** Results of a turn so far, for the engine; each is taken once. */
export interface TurnResults {
  input?: StageOutcome;
  answer?: PerformedAction;
  output?: StageOutcome;
}

/** Returns the global variables of a run at this moment. */
export function variablesOf(run: Pick<Colang2Run, "engine" | "variables">): Readonly<Record<string, unknown>> {
  return run.variables ?? run.engine.globals;
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
  /** True if turns only go through rails to the answer, so that they may go without the engine. */
  readonly isRailsOnly: boolean;
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
export async function judgeInput(
  services: Colang2Services,
  run: Colang2Run,
  text: string,
  hooks: SpeculationHooks = {},
): Promise<StageOutcome> {
  const { turn, config, cancellation, past, engine } = run;
  const context = { ...engine.globals, user_message: text, last_user_message: text };
  return runRailsOfStage(services, { turn, stage: "input", context, config, cancellation, past, ...hooks });
}

interface EventSource {
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly sourceUid: string;
}

const TIMES: ReadonlyMap<string, string> = new Map([
  ["Started", "action_started_at"],
  ["Finished", "action_finished_at"],
]);

/** Completes an event to what is on the wire; what it has already is kept. */
export function completeEvent(draft: EventDraft, { clock, ids, sourceUid }: EventSource): GuardrailsEvent {
  const now = formatTimestamp(clock.now());
  const parts = splitActionEvent(draft.type);
  const modality = parts === undefined ? undefined : modalityOf(parts.action);
  const time = parts === undefined || parts.isRequest ? undefined : (TIMES.get(parts.member) ?? "action_updated_at");
  const event: Record<string, unknown> = { uid: ids.next(), event_created_at: now, source_uid: sourceUid };
  if (time !== undefined) event[time] = now;
  if (parts?.member === "Finished") event["is_success"] = true;
  if (modality !== undefined) {
    event["action_info_modality"] = modality.modality;
    event["action_info_modality_policy"] = modality.policy;
  }
  for (const name of Object.keys(draft)) {
    if (name === "__proto__") writeOwn(event, name, draft[name]);
    else event[name] = draft[name];
  }
  return event as GuardrailsEvent;
}

/** Types of the fields of action events. */
const ACTION_FIELDS: ReadonlyMap<string, "string" | "boolean"> = new Map([
  ["action_uid", "string"],
  ["script", "string"],
  ["final_script", "string"],
  ["interim_script", "string"],
  ["final_transcript", "string"],
  ["interim_transcript", "string"],
  ["is_success", "boolean"],
  ["was_stopped", "boolean"],
  ["failure_reason", "string"],
] as const);

/** The same of every event. */
const FIELDS: ReadonlyMap<string, "string" | "boolean"> = new Map([
  ["uid", "string"],
  ["event_created_at", "string"],
  ["source_uid", "string"],
] as const);

/** The one event in which each of the user's words comes: rails look for them there. */
const SPOKEN: ReadonlyMap<string, string> = new Map([
  ["final_transcript", "UtteranceUserActionFinished"],
  ["interim_transcript", "UtteranceUserActionTranscriptUpdated"],
]);

/**
 * An event of the world outside, as far as it may come from there.
 *
 * @throws InputShapeError for what is not an event, for events of the engine itself, for fields of another type
 *   than they have, and for what would go past the rails
 * @throws LimitError for what is too deep or too large
 */
export function admitEvent(value: unknown, source: EventSource): GuardrailsEvent {
  const draft = readEvent(value);
  const { type } = draft;
  if (type.length > MAX_EVENT_NAME) {
    throw new InputShapeError(`the \`type\` of an event has at most ${MAX_EVENT_NAME} characters, not ${type.length}`);
  }
  if (isInternalEvent(type)) {
    throw new InputShapeError(`\`${type}\` is an event of the engine itself and cannot come from outside`);
  }
  checkFields(draft, FIELDS);
  const parts = splitActionEvent(type);
  if (parts !== undefined) checkFields(draft, ACTION_FIELDS);
  for (const [name, own] of parts?.action === "UtteranceUserAction" ? SPOKEN : []) {
    if (typeof draft[name] !== "string" || type === own) continue;
    throw new InputShapeError(`\`${name}\` belongs to \`${own}\`, not to \`${type}\``);
  }
  if (type === "ContextUpdate") checkContext(draft["data"]);
  return completeEvent(draft, source);
}

/** The variable among those that rails look at and rewrite which an event from outside would set. */
export function judgedVariable({ type, data }: GuardrailsEvent): string | undefined {
  if (type !== "ContextUpdate" || typeof data !== "object" || data === null) return undefined;
  return [...JUDGED].find((name) => Object.hasOwn(data, name));
}

/** Texts that rails check; where no rails stand, an event may set them. */
const JUDGED: ReadonlySet<string> = new Set(["user_message", "bot_message"]);

function checkFields(draft: EventDraft, fields: ReadonlyMap<string, "string" | "boolean">): void {
  for (const [name, type] of fields) {
    const value = draft[name];
    if (value === undefined || value === null || typeof value === type) continue;
    const wanted = type === "string" ? "a text" : "`true` or `false`";
    throw new InputShapeError(`\`${name}\` of \`${draft.type}\` must be ${wanted}`);
  }
}

function checkContext(data: unknown): void {
  if (data === undefined || data === null) return;
  if (typeof data !== "object" || Array.isArray(data))
    throw new InputShapeError("`data` of `ContextUpdate` must be a map");
  const steering = Object.keys(data).find((name) => RAIL_VARIABLES.has(name));
  if (steering === undefined) return;
  throw new InputShapeError(`\`${steering}\` steers the rails and cannot be set from outside`);
}
