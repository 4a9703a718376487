import { type ConversationOptions, EngineConversation } from "../../colang2/engine/conversation.js";
import { readState } from "../../colang2/engine/state/stored/read-state.js";
import { type StoredState, writeState } from "../../colang2/engine/state/stored/encode.js";
import { compileAddedFlows } from "../../colang2/compile.js";
import type { CompiledFlow } from "../../colang2/program.js";
import { createSourceFile } from "../../diagnostics/source-file.js";
import { isMap } from "../../engine/plain-data.js";
import type { TraceEvent } from "../../engine/explain.js";
import {
  type TurnInput,
  type History,
  historyEvents,
  readMessages,
  historyOfTurns,
  isHistory,
  isEvent,
} from "../../turn/conversation.js";
import { type Colang2Services, logEntriesOf, type Colang2Run, completeEvent } from "./run.js";
import { type HiddenTexts, hideInState, hideTexts } from "./build-result.js";
import type { GuardrailsEvent } from "../../engine/events.js";
import { launchAction } from "./dispatch-action.js";
import { launchToolRails } from "./tools/tool-calls.js";
import type { LocalActions } from "./local-actions.js";
import { launchOutputRails, launchUtterance } from "./output-stage.js";
import { HostLoop, type HostLoopOptions } from "./host-loop.js";
import { damaged, fieldsOf, oneOf, text, type ReadBy, list } from "../../engine/stored-shape.js";
import { isNewState, readPlainState, unreadable } from "../stored-state.js";
import { freezeData, LiveConversations } from "./live-conversations.js";

/** A Colang 2.x conversation between two turns, as plain JSON. Released versions must stay readable. */
interface StoredColang2Conversation {
  readonly version: 2;
  readonly dialect: "2.x";
  readonly program: string;
  readonly engine: unknown;
  readonly history: ReturnType<typeof packHistory>;
}

interface OpenColang2Conversation {
  readonly engine: EngineConversation;
  readonly history: History;
  readonly trace: readonly TraceEvent[];
}

interface OpenOptions {
  readonly input: TurnInput;
  readonly context: Readonly<Record<string, unknown>>;
  /** Uses a conversation that this process holds: `take` to continue it, `find` to read it. Default: neither. */
  readonly live?: "take" | "find" | undefined;
}

/** INVARIANT: conversations continue with the program and settings that stored them. */
const liveConversations = new WeakMap<Colang2Services, LiveConversations>();

/**
 * Opens a stored conversation, or starts one with the exchanges given by the caller. If the flows have changed since,
 * they restart and the history is kept, since no position in a flow means the same in another one.
 *
 * @throws GuardrailsError `RL-402` for a state of another version or one that was tampered with
 */
export function openColang2Conversation(
  services: Colang2Services,
  stored: unknown,
  { input, context, live }: OpenOptions,
): OpenColang2Conversation {
  if (stored === undefined || isNewState(stored)) {
    return { engine: begin(services, context, input.earlier), history: input.earlier, trace: [] };
  }
  const known = live === undefined ? undefined : liveConversations.get(services)?.[live](stored);
  if (known !== undefined) {
    return { engine: new EngineConversation(known.state), history: known.history, trace: [] };
  }
  const { program, engine, history: read } = readConversation(stored);
  const { history, texts } = read;
  if (program !== services.program.hash) {
    const message = "the flows have changed since the conversation was stored, so they start again";
    return {
      engine: begin(services, context, history),
      history,
      trace: [{ type: "warning", code: "CO-502", message }],
    };
  }
  try {
    const compileAdded = (source: string): readonly CompiledFlow[] => compileAddedSource(services, source);
    const options = { ...engineSettings(services), compileAdded, texts };
    return { engine: new EngineConversation(readState(services.program, engine, options)), history, trace: [] };
  } catch (cause) {
    throw unreadable(cause);
  }
}

function begin(
  services: Colang2Services,
  context: Readonly<Record<string, unknown>>,
  earlier: History,
): EngineConversation {
  const id = services.events.ids.next();
  const engine = new EngineConversation(services.program, {
    context,
    ...engineSettings(services),
    prefix: id,
    // Ties are broken at random per conversation, but identically when it is replayed.
    seed: hashText(id),
  });
  engine.remember(logEntriesOf(historyEvents(earlier)));
  return engine;
}

function hashText(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) >>> 0;
  return hash;
}

/** Returns the settings for every state of the program: fresh, restored, or of a rail. */
export function engineSettings(services: Colang2Services): Pick<ConversationOptions, "limits" | "neutralActions"> {
  const { limits, neutralActions } = services;
  return { limits: { stepsPerAdvance: limits.slideSteps }, neutralActions };
}

/** Compiles the flows added by a conversation from their stored text. */
function compileAddedSource({ program }: Colang2Services, source: string): readonly CompiledFlow[] {
  const known = new Map(program.flows.map((flow) => [flow.id, flow]));
  return compileAddedFlows(createSourceFile("added flows", source), known).flows;
}

/** The conversation for storage, without texts hidden from the user. */
export function storeColang2Conversation(
  { program }: Colang2Services,
  engine: EngineConversation,
  history: History,
  { hidden, stored }: { readonly hidden: HiddenTexts; readonly stored?: unknown },
): StoredColang2Conversation {
  const packed = packHistory(history);
  // INVARIANT: hidden texts are not referenced, so the engine's own copy is cleaned like the rest of its state.
  const all = textsOf(packed);
  const isShown = (text: string): boolean => hideTexts(text, hidden) === text;
  const texts = hidden.redactor === undefined ? all : all.map((text) => (isShown(text) ? text : undefined));
  let isWhole = true;
  const change = (whole: StoredState): StoredState => {
    const shown = hideInState(whole, hidden, stored);
    isWhole = shown === whole;
    return shown;
  };
  const state = writeState(engine.state, { texts, change });
  const conversation = { version: 2, dialect: "2.x", program: program.hash, engine: state, history: packed } as const;
  made.set(conversation, isWhole);
  return conversation;
}

/**
 * Keeps the conversation in this process for its next turn, along with its stored form. The engine is released. If
 * texts were hidden, the next turn reads the stored form.
 */
export function keepLive(
  services: Colang2Services,
  engine: EngineConversation,
  history: History,
  stored: StoredColang2Conversation,
): void {
  if (made.get(stored) !== true) return;
  let kept = liveConversations.get(services);
  if (kept === undefined) liveConversations.set(services, (kept = new LiveConversations()));
  const restore = () =>
    openColang2Conversation(services, stored, { input: readMessages([]), context: {} }).engine.state;
  freezeData(stored.engine);
  kept.keep({ stored: Object.freeze(stored), state: engine.release(restore), history });
}

/**
 * States created by this process and returned by an in-memory store, which are plain data. True if nothing was hidden,
 * so that they are complete.
 */
const made = new WeakMap<object, boolean>();

/** @throws GuardrailsError `RL-402` for anything but such a conversation */
function readConversation(stored: unknown): ReadBy<typeof CONVERSATION> {
  const plain = isMap(stored) && made.has(stored) ? stored : readPlainState(stored);
  try {
    return CONVERSATION(plain, "state", undefined);
  } catch (cause) {
    throw unreadable(cause);
  }
}

const CONVERSATION = fieldsOf({
  version: oneOf(1, 2),
  dialect: oneOf("2.x"),
  program: text,
  engine: (stored) => stored,
  history: readHistory,
});

/** Utterances of one turn: `["u", text]` by the user, `["b", text]` by the bot; other events unchanged. */
type StoredTurn = readonly (readonly [by: "u" | "b", text: string] | GuardrailsEvent)[];

/**
 * Number of stored turns. A prompt of 16,000 characters (the default) holds no more of ordinary length, and with them
 * the state of a `guardrails` program stays below 16 KiB.
 */
export const MAX_TURNS = 40;

/** Packs a history: repeated keys would make up most of a stored conversation. */
function packHistory({ turns }: History): readonly StoredTurn[] {
  return Object.freeze(turns.map(packTurn));
}

const packedTurns = new WeakMap<object, StoredTurn>();

function packTurn(turn: History["turns"][number]): StoredTurn {
  let packed = packedTurns.get(turn);
  if (packed === undefined) packedTurns.set(turn, (packed = Object.freeze(turn.events.map(packEvent))));
  return packed;
}

function packEvent(event: GuardrailsEvent): StoredTurn[number] {
  const { type, text, script } = event;
  if (Object.keys(event).length !== 2) return event;
  if (type === "UserMessage" && typeof text === "string") return Object.freeze(["u", text] as const);
  const isBot = type === "StartUtteranceBotAction" && typeof script === "string";
  return isBot ? Object.freeze(["b", script] as const) : event;
}

/** The texts in it, by index; log events of the engine refer to them. */
function textsOf(turns: readonly StoredTurn[]): string[] {
  const texts: string[] = [];
  for (const turn of turns) for (const event of turn) if (!("type" in event)) texts.push(event[1]);
  return texts;
}

/** Reads a packed history, or one of the first version, with the texts that log events refer to. */
function readHistory(stored: unknown, name: string): { readonly history: History; readonly texts: readonly string[] } {
  if (isHistory(stored)) return { history: stored, texts: [] };
  const turns: GuardrailsEvent[][] = [];
  const texts: string[] = [];
  // Covers everything remembered, once in every turn.
  for (const turn of list(stored, name)) {
    const events: GuardrailsEvent[] = [];
    for (const item of list(turn, name)) events.push(readEvent(item, texts));
    turns.push(events);
  }
  return { history: historyOfTurns(turns), texts };
}

function readEvent(item: unknown, texts: string[]): GuardrailsEvent {
  if (isEvent(item)) return item;
  const [by, utterances, ...others] = list(item, "history");
  if (others.length > 0 || (by !== "u" && by !== "b")) throw damaged("an utterance of the history has an unknown kind");
  texts.push(text(utterances, "history"));
  return by === "u"
    ? { type: "UserMessage", text: utterances }
    : { type: "StartUtteranceBotAction", script: utterances };
}

/** Opens the event loop of a run, which performs local actions and records every event. */
export function openLoop(services: Colang2Services, run: Colang2Run, options: Partial<HostLoopOptions> = {}): HostLoop {
  const loop = new HostLoop({
    engine: run.engine,
    local: localActions(services, run),
    instantActions: services.instantActions,
    maxEvents: services.limits.eventsPerTurn,
    complete: (draft) => completeEvent(draft, services.events),
    onEvent: (event) => run.events.push(event),
    ...options,
  });
  // Assigned to a named constant, as in `RunActionContext`.
  const noteRound: typeof run.noteRound = (round) => loop.noteRound(round);
  run.noteRound = noteRound;
  return loop;
}

/** Returns all local actions of a run. */
export function localActions(services: Colang2Services, run: Colang2Run): LocalActions {
  return {
    launch: (request: GuardrailsEvent) => {
      switch (request.type) {
        case "StartRunOutputRailsAction":
          return launchOutputRails(services, run, request);
        case "StartUtteranceBotAction":
          return launchUtterance(services, run, request);
        default:
          return launchAction(services, run, request) ?? launchToolRails(services, run, request);
      }
    },
  };
}
