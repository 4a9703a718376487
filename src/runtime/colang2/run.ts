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
import { SOURCES_VARIABLE } from "../../generation/retrieve-chunks.js";
import type { ChunkSource } from "../../turn/response.js";
import type { Turn } from "../../turn/turn.js";
import { MAX_EVENT_NAME, splitActionEvent, isInternalEvent, modalityOf } from "../../colang2/event-names.js";
import { RAIL_VARIABLES } from "../../engine/context-variables.js";
import { type ActionError, InputShapeError } from "../../diagnostics/errors.js";
import { type PlainData, writeOwn } from "../../engine/plain-data.js";

/** One run of a program: a conversation, or a rail with its own state. */
export interface Colang2Run extends ActionRun {
  readonly engine: EngineConversation;
  /** Texts that output rails passed or rails emitted; they are not reviewed again. */
  readonly released: Set<string>;
  /** True for a speculative run before the input verdict: none of its effects may be visible. */
  readonly isSpeculative?: boolean;
  /** Refusal of a tool rail that blocked a call. */
  toolRefusal?: string | undefined;
  /** New user-side texts of this call as the rails left them, including tool results. */
  userSide?: () => readonly string[];
  /** Results recorded before the engine took over the turn. */
  recorded?: TurnResults;
  /** Variables of a run without the engine so far; absent if the engine has them. */
  readonly variables?: Readonly<Record<string, unknown>>;
  /** Sources of the chunks retrieved last in this turn. */
  sources?: readonly ChunkSource[];
  /** Receives rounds made by actions that change the running program. */
  noteRound?: (round: Round) => void;
}

/** Result of an action as flows receive it. */
export type PerformedAction =
  | {
      readonly ok: true;
      readonly value: PlainData;
      readonly updates: Readonly<Record<string, unknown>>;
      readonly events: readonly EventDraft[];
    }
  | { readonly ok: false; readonly error: ActionError };

/** Recorded results of a turn, for the engine; each is used once. */
export interface TurnResults {
  input?: StageOutcome;
  response?: PerformedAction;
  output?: StageOutcome;
}

/** Keeps the sources that an action of the run has found. */
export function noteSources(run: Colang2Run, updates: Readonly<Record<string, unknown>>): void {
  const sources = updates[SOURCES_VARIABLE];
  if (Array.isArray(sources)) run.sources = sources as readonly ChunkSource[];
}

/** Returns the current global variables of a run. */
export function variablesOf(run: Pick<Colang2Run, "engine" | "variables">): Readonly<Record<string, unknown>> {
  return run.variables ?? run.engine.globals;
}

/** Returns the bot utterances among the events. */
export function utterancesOf(events: readonly GuardrailsEvent[]): string[] {
  return events.flatMap(({ type, final_script: text }) =>
    type === "UtteranceBotActionFinished" && typeof text === "string" && text !== "" ? [text] : [],
  );
}

/** Starts a run of the conversation itself. */
export function conversationRun(turn: Turn, engine: EngineConversation, past: Colang2Run["past"]): Colang2Run {
  const { config = {}, cancellation } = turn;
  return { turn, scope: "conversation", config, cancellation, engine, past, events: [], released: new Set() };
}

/** Dependencies of the Colang 2.x host. */
export interface Colang2Services extends HostServices {
  readonly program: Colang2Program;
  /** True if the configuration has a dialog besides rails. */
  readonly hasDialog: boolean;
  /** True if turns only run rails around the response, so they may run without the engine. */
  readonly isRailsOnly: boolean;
  /** For stages that run alone: the flows `input rails` and `output rails` of the configuration count as listed. */
  readonly stages: RailServices;
  /** Flows of the configuration that take the place of listed rails: `input rails`, `output rails`. */
  readonly ownRailFlows: ReadonlySet<string>;
  readonly generation: Colang2Generation;
  /** Actions that do not compete with others, by name. */
  readonly neutralActions: { has(name: string): boolean };
  readonly events: EventSource;
  readonly instantActions: ReadonlySet<string>;
}

/** Returns the utterances of user and bot among the events, under the names used in histories. */
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

/** Runs the listed input rails over the user's text. */
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

/** Completes an event with the missing wire fields. */
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

/** Types of the fields of every event. */
const FIELDS: ReadonlyMap<string, "string" | "boolean"> = new Map([
  ["uid", "string"],
  ["event_created_at", "string"],
  ["source_uid", "string"],
] as const);

/** The event that carries each user utterance, where rails look for it. */
const SPOKEN: ReadonlyMap<string, string> = new Map([
  ["final_transcript", "UtteranceUserActionFinished"],
  ["interim_transcript", "UtteranceUserActionTranscriptUpdated"],
]);

/**
 * Validates an event from the application.
 *
 * @throws InputShapeError for invalid events, engine events, fields of a wrong type, and anything that would bypass the
 *   rails
 * @throws LimitError for an event that is too deep or too large
 */
export function admitEvent(value: unknown, source: EventSource): GuardrailsEvent {
  const draft = readEvent(value);
  const { type } = draft;
  if (type.length > MAX_EVENT_NAME) {
    throw new InputShapeError(`expected an event \`type\` of at most ${MAX_EVENT_NAME} characters, got ${type.length}`);
  }
  if (isInternalEvent(type)) {
    throw new InputShapeError(`\`${type}\` is an internal event and cannot come from outside`);
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

/** Returns the variable read and rewritten by rails that an event from outside would set. */
export function judgedVariable({ type, data }: GuardrailsEvent): string | undefined {
  if (type !== "ContextUpdate" || typeof data !== "object" || data === null) return undefined;
  return [...JUDGED].find((name) => Object.hasOwn(data, name));
}

/** Texts that rails check; without rails, an event may set them. */
const JUDGED: ReadonlySet<string> = new Set(["user_message", "bot_message"]);

function checkFields(draft: EventDraft, fields: ReadonlyMap<string, "string" | "boolean">): void {
  for (const [name, type] of fields) {
    const value = draft[name];
    if (value === undefined || value === null || typeof value === type) continue;
    const wanted = type === "string" ? "a text" : "`true` or `false`";
    throw new InputShapeError(`expected \`${name}\` of \`${draft.type}\` to be ${wanted}`);
  }
}

function checkContext(data: unknown): void {
  if (data === undefined || data === null) return;
  if (typeof data !== "object" || Array.isArray(data))
    throw new InputShapeError("expected `data` of `ContextUpdate` to be a map");
  const steering = Object.keys(data).find((name) => RAIL_VARIABLES.has(name));
  if (steering === undefined) return;
  throw new InputShapeError(`\`${steering}\` controls the rails and cannot be set from outside`);
}
