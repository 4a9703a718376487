import { InputShapeError, LimitError } from "../../diagnostics/errors.js";
import type { EventDraft, GuardrailsEvent } from "../../engine/events.js";
import { NO_EXTRAS } from "../../turn/extra-text.js";
import {
  assignContext,
  planTurn,
  readMessages,
  type TurnInput,
  userMessages,
  appendTurn,
  type History,
  historyEvents as storedEvents,
} from "../../turn/conversation.js";
import type { TurnMessage, TurnOptions } from "../../turn/options.js";
import { reportProblem } from "../../turn/problem-log.js";
import { reviewExceptions } from "../../rails/run-rail.js";
import { runRailsOfStage } from "../../rails/run-stage.js";
import { type StageOutcome, summarizeDecisions } from "../../turn/decision.js";
import { selectRails } from "../../rails/plan.js";
import type { Turn } from "../../turn/turn.js";
import type { StoredTurn, TakenTurn } from "../dialect-host.js";
import { buildColang2Result, endTurn, type HiddenTexts, hiddenTextsOf, hideTexts } from "./build-result.js";
import {
  admitEvent,
  completeEvent,
  conversationRun,
  historyEvents,
  type Colang2Run,
  type Colang2Services,
  type TurnResults,
  logEntriesOf,
  judgeInput,
} from "./run.js";
import { cancelledEvents, inOrder, takeResults, splitToolResults } from "./tools/tool-calls.js";
import { type HostLoop, type HostBatch, instantEvents, outcomeEvents } from "./host-loop.js";
import { judgeConcurrently, type JudgedText } from "./input-stage.js";
import { OwnRails, EarlyUtterances } from "./output-stage.js";
import { DirectTurn, goesDirectly } from "./direct-turn.js";
import { isNewState } from "../stored-state.js";
import { isEmpty } from "../../engine/plain-data.js";
import {
  keepLive,
  openColang2Conversation,
  storeColang2Conversation,
  MAX_TURNS,
  openLoop,
} from "./stored-conversation.js";

const HIDDEN = "(this message is hidden)";

/** Batches of events that represent the user's actions. */
type Plan = readonly (readonly EventDraft[])[];

/** A running turn. */
interface OpenTurn {
  readonly services: Colang2Services;
  readonly run: Colang2Run;
  readonly loop: HostLoop;
  readonly input: TurnInput;
  readonly output: GuardrailsEvent[];
  /** A turn is one batch, however many parts it is fed in. */
  hasStarted: boolean;
}

/**
 * Runs one turn: the input rails review the user's text, the flows receive the reviewed text, and the events run until
 * nothing is pending. A turn that throws leaves the stored state unchanged.
 *
 * INVARIANT: a text that listed input rails blocked never reaches the program, so no flow, variable or state holds it.
 *
 * @throws InputShapeError for invalid messages; ModelError if a model call fails
 */
export async function takeColang2Turn(
  services: Colang2Services,
  turn: Turn,
  messages: readonly TurnMessage[],
  { stored, keep }: StoredTurn,
): Promise<TakenTurn> {
  const { options } = turn;
  const callContext: Record<string, unknown> = {};
  assignContext(callContext, options.context);
  const whole = readMessages(messages);
  const context = { ...turn.variables, ...whole.context, ...callContext };
  // A state held by the caller may be used again.
  const isThread = keep && options.state === undefined;
  const direct = await takeDirectly(services, turn, { input: whole, context, stored, keep });
  if (direct.taken !== undefined) return direct.taken;
  const live = isThread ? "take" : undefined;
  const conversation = openColang2Conversation(services, stored, { input: whole, context, live });
  const { results, others, order } = splitToolResults(conversation.engine, messages);
  const input = results.length === 0 ? whole : readMessages(others);
  const isAnswered = results.length > 0 && input.userTexts.length === 0 && input.lastEvent === undefined;
  const plan = isAnswered ? [] : planTurn(input, options.rails?.dialog !== false);
  refusePieces(services, options, plan);
  if (direct.recorded === undefined) openTexts(turn, input);
  turn.trace.push(...conversation.trace);
  const past = storedEvents(conversation.history);
  const run = conversationRun(turn, conversation.engine, () => [...past, ...userMessages(turn.userTexts.slice(0, -1))]);
  if (direct.recorded !== undefined) run.recorded = direct.recorded;
  const texts = results.map(({ content }) => content);
  const userSide = (): readonly string[] => inOrder(order, texts, turn.readTexts);
  if (results.length > 0) run.userSide = userSide;
  const ownRails = new OwnRails(services, run);
  const early = EarlyUtterances.open(services, run, ownRails);
  const loop = openLoop(services, run, {
    onEvent: (event) => {
      run.events.push(event);
      early?.note(event);
    },
    onRound: ({ trace }) => ownRails.note(trace),
    onRefused: (_, reason) => reportProblem(services, turn, { code: "RL-101", message: reason }),
    ...(early === undefined ? {} : { onRest: () => early.writeText() }),
  });
  const open: OpenTurn = { services, run, loop, input, output: [], hasStarted: false };
  const failed = !(await runTurn(open, turn, plan, async () => {
    await feed(open, [contextUpdate(open, context)], completeEvent);
    return takeResults(services, run, { results, texts, feed: (drafts) => feed(open, drafts) });
  }));
  turn.assign(run.engine.globals);
  const ended = endTurn(services, run, { failed, output: open.output });
  const hidden = hiddenTextsOf(turn, ownRails.blocked, [...ended.utterances, ended.utterances.join("\n")]);
  const storedAfter = ended.status === "failed" ? stateBefore : stateAfter;
  const { state, hold } = keep ? storedAfter(open, stored, conversation.history, hidden) : NO_STATE;
  const result = buildColang2Result(services, run, ended, {
    events: hideTexts(run.events, hidden),
    output: hideTexts(open.output, hidden),
    redactor: hidden.redactor,
    state: options.state === undefined ? undefined : state,
  });
  if (isThread) hold?.();
  return { result, state };
}

/** The state to store after a turn, and a function that keeps its conversation in memory. */
interface StoredState {
  readonly state: unknown;
  readonly hold?: () => void;
}

const NO_STATE: StoredState = { state: undefined };

function stateAfter(open: OpenTurn, stored: unknown, before: History, hidden: HiddenTexts): StoredState {
  const { services, run } = open;
  const history = appendTurn(before, historyOf(open, hidden.blocked), MAX_TURNS);
  const state = storeColang2Conversation(services, run.engine, history, { hidden, stored });
  return { state, hold: () => keepLive(services, run.engine, history, state) };
}

function openTexts(turn: Turn, input: TurnInput): void {
  turn.userTexts = [...input.userTexts];
  turn.extras = input.extras ?? NO_EXTRAS;
  turn.instructions = input.instructions;
}

interface DirectInput extends StoredTurn {
  readonly input: TurnInput;
  readonly context: Readonly<Record<string, unknown>>;
}

/** Runs a turn without the engine if possible; otherwise returns the results recorded so far. */
async function takeDirectly(
  services: Colang2Services,
  turn: Turn,
  { input, context, stored, keep }: DirectInput,
): Promise<{ readonly taken?: TakenTurn; readonly recorded?: TurnResults }> {
  const isFresh = !keep && (stored === undefined || isNewState(stored));
  if (!isFresh || !goesDirectly(services, turn, input)) return {};
  openTexts(turn, input);
  const recorded: TurnResults = {};
  let before: readonly GuardrailsEvent[] | undefined;
  const past = (): readonly GuardrailsEvent[] => {
    before ??= storedEvents(input.earlier);
    return turn.userTexts.length < 2 ? before : [...before, ...userMessages(turn.userTexts.slice(0, -1))];
  };
  const run = new DirectTurn(services, { turn, past }, context, recorded);
  let isOver = true;
  try {
    isOver = await run.take();
    if (!isOver) return { recorded };
    turn.throwIfRejected();
  } finally {
    if (isOver) turn.close();
  }
  turn.assign(run.variables);
  const ended = endTurn(services, run, { failed: false, output: [] });
  const hidden = hiddenTextsOf(turn, [], ended.utterances);
  const events = hideTexts(run.events, hidden);
  const { redactor } = hidden;
  const result = buildColang2Result(services, run, ended, { events, output: [], redactor, state: undefined });
  return { taken: { result, state: undefined } };
}

/**
 * Feeds the events of a turn and runs it to its end.
 *
 * @param begin - feeds events before the plan; returns false if they end the turn
 * @returns false for a turn that exceeded a limit
 */
async function runTurn(open: OpenTurn, turn: Turn, plan: Plan, begin: () => Promise<boolean>): Promise<boolean> {
  const { services, run, loop } = open;
  try {
    if (turn.options.rails?.dialog === false) await checkGivenTexts(open);
    else {
      if (await begin()) await takeInput(open, plan);
      await cancelDelegated(open);
    }
    if (run.events.some(({ type }) => type.endsWith("Exception"))) {
      await reviewExceptions(services, run, () => run.engine.globals, open.output);
    }
    turn.throwIfRejected();
    return true;
  } catch (error) {
    if (!LimitError.isInstance(error)) throw error;
    reportProblem(services, turn, { code: error.code, message: error.message, cause: error });
    return false;
  } finally {
    loop.close();
    turn.close();
  }
}

/** @throws InputShapeError if input rails are listed, since in a turn they review whole utterances */
function refusePieces(services: Colang2Services, options: TurnOptions, plan: Plan): void {
  const piece = plan.flat().find((draft) => typeof draft["interim_transcript"] === "string");
  if (piece === undefined || selectRails(services, options, "input").length === 0) return;
  const message = `\`${piece.type}\` is a piece of an utterance, and the input rails of a turn look at whole ones`;
  throw new InputShapeError(`${message}; send it through \`guardrails.events()\``);
}

/** The state after a failed turn: rolled back to its start. */
function stateBefore(
  { services, input }: OpenTurn,
  stored: unknown,
  history: History,
  hidden: HiddenTexts,
): StoredState {
  const isStarted = typeof stored === "object" && stored !== null && Object.keys(stored).length > 0;
  if (isStarted) return { state: stored };
  const fresh = openColang2Conversation(services, undefined, { input, context: {} });
  return { state: storeColang2Conversation(services, fresh.engine, history, { hidden }) };
}

function contextUpdate({ run }: OpenTurn, context: Readonly<Record<string, unknown>>): EventDraft | undefined {
  const { rails } = run.turn.options;
  const off = (stage: "input" | "output"): boolean => {
    const selection = rails?.[stage];
    return Array.isArray(selection) ? !selection.includes(`${stage} rails`) : selection === false;
  };
  const { engine } = run;
  const input = engine.global("input");
  const data: Record<string, unknown> = { ...context };
  // The input object of an earlier call does not apply to this call.
  if (input !== undefined && input !== null && !Object.hasOwn(data, "input")) data["input"] = null;
  for (const stage of ["input", "output"] as const) {
    const name = `${stage}_rails_off`;
    if (off(stage) || engine.global(name) === true) data[name] = off(stage);
  }
  return Object.keys(data).length === 0 ? undefined : { type: "ContextUpdate", data };
}

/** @param admit - admits all events created by the runtime itself */
async function feed(
  open: OpenTurn,
  drafts: readonly (EventDraft | undefined)[],
  admit: typeof completeEvent = admitEvent,
): Promise<void> {
  const { services, run, loop, output } = open;
  const events = drafts.flatMap((draft) => (draft === undefined ? [] : [admit(draft, services.events)]));
  const batch = await loop.run(events, { signal: run.cancellation, blocking: true, goesOn: open.hasStarted });
  open.hasStarted = true;
  noteProblems(run, batch);
  output.push(...batch.output);
  if (batch.overflow !== undefined) throw batch.overflow;
}

function noteProblems({ turn }: Colang2Run, { trace }: HostBatch): void {
  for (const entry of trace) {
    turn.trace.push(entry);
    if (entry.type !== "failed") continue;
    const place = entry.location ? ` (${entry.location.file}:${entry.location.line}:${entry.location.column})` : "";
    turn.problems.push({
      code: entry.code,
      message: `${entry.message} in flow \`${entry.flow}\`${place}`,
      flow: entry.flow,
    });
  }
}

/** Runs the input rails, then the flows. */
async function takeInput(open: OpenTurn, plan: Plan): Promise<void> {
  if (plan.length === 0) return;
  const { services, run, input } = open;
  const { turn } = run;
  const text = input.userTexts.at(-1);
  if (text === undefined) {
    for (const events of plan) await feed(open, events);
    return;
  }
  const [first = [], ...later] = plan;
  const uid = services.events.ids.next();
  const next: JudgedText["next"] = (passed, updates) => [
    { type: "ContextUpdate", data: { ...updates, user_message: passed, last_user_message: passed } },
    ...first.map((draft) => {
      const { type } = draft;
      if (type !== "UtteranceUserActionFinished") return draft;
      return { type, action_uid: uid, final_transcript: passed, is_success: true };
    }),
  ];
  let outcome: StageOutcome = { blocked: false, entries: [] };
  if (run.recorded?.input !== undefined) outcome = run.recorded.input;
  else if (selectRails(services, turn.options, "input").length > 0) {
    outcome = await judgeConcurrently(services, run, { text, next });
  } else turn.readsExtras = true;
  const sent = [...leftVariables(turn, outcome), ...outcomeEvents(services, outcome)];
  // At each pause, the reader of a stream receives what may be released by then.
  if (sent.length > 0 || turn.options.emitText !== undefined) await feed(open, sent);
  if (outcome.blocked) return;
  // The flows receive the last text and log it themselves.
  run.engine.remember(logEntriesOf(userMessages(turn.userTexts.slice(0, -1))));
  await feed(open, next(turn.userTexts.at(-1) ?? text, outcome.contextUpdates ?? {}));
  for (const events of later) await feed(open, events);
}

/** Variables that rails set at a block, such as its categories. INVARIANT: none of them quotes the text. */
function leftVariables(turn: Turn, { blocked, contextUpdates = {} }: StageOutcome): readonly EventDraft[] {
  if (!blocked) return [];
  const { user_message: _user, last_user_message: _last, bot_message: _bot, ...left } = contextUpdates;
  if (isEmpty(left)) return [];
  return [{ type: "ContextUpdate", data: hideTexts(left, hiddenTextsOf(turn, turn.userTexts, [])) }];
}

/** INVARIANT: a blocked turn emits no tool calls, so flows that wait for one receive its failure. */
async function cancelDelegated(open: OpenTurn): Promise<void> {
  const { services, run, output } = open;
  const isException = run.events.some(({ type }) => type.endsWith("Exception"));
  if (!isException && !summarizeDecisions(run.turn.decisions, services.onError !== "allow").blocked) return;
  const ends = cancelledEvents(output);
  if (ends.length > 0) await feed(open, ends);
}

/** Runs a turn without the dialog: rails review the given texts, and nothing is generated. */
async function checkGivenTexts(open: OpenTurn): Promise<void> {
  const { services, run, input } = open;
  const { turn, config, cancellation, past, engine } = run;
  const text = input.userTexts.at(-1);
  if (text !== undefined) {
    const outcome = await judgeInput(services, run, text);
    await keepVariables(open, outcome);
    run.events.push(...completed(open, outcomeEvents(services, outcome)));
    if (outcome.blocked) return;
  }
  const userText = turn.userTexts.at(-1) ?? input.lastUser ?? "";
  const response = input.assistantText;
  if (response === undefined) {
    run.events.push(...completed(open, utteranceEvents(open, userText)));
    return;
  }
  const context = { ...engine.globals, user_message: userText, last_user_message: userText, bot_message: response };
  const outcome = await runRailsOfStage(services, { turn, stage: "output", context, config, cancellation, past });
  await keepVariables(open, outcome);
  run.events.push(...completed(open, outcomeEvents(services, outcome)));
  if (outcome.blocked) return;
  const rewritten = outcome.contextUpdates?.["bot_message"];
  run.events.push(...completed(open, utteranceEvents(open, typeof rewritten === "string" ? rewritten : response)));
}

/** Keeps the variables set by rails if no flow takes part. */
async function keepVariables({ services, run, loop }: OpenTurn, outcome: StageOutcome): Promise<void> {
  const { contextUpdates: data = {}, blocked } = outcome;
  const drafts = blocked ? leftVariables(run.turn, outcome) : isEmpty(data) ? [] : [{ type: "ContextUpdate", data }];
  for (const draft of drafts) {
    const event = completeEvent(draft, services.events);
    await loop.perform(() => run.engine.process(event), { signal: run.cancellation, blocking: true });
  }
}

function utteranceEvents({ services }: OpenTurn, script: string): EventDraft[] {
  return instantEvents("UtteranceBotAction", { type: "", script, action_uid: services.events.ids.next() });
}

function completed({ services }: OpenTurn, drafts: readonly EventDraft[]): GuardrailsEvent[] {
  return drafts.map((draft) => completeEvent(draft, services.events));
}

/** INVARIANT: a blocked text is never stored; prompts show that there was one. */
function historyOf({ run, input }: OpenTurn, blocked: ReadonlySet<string>): readonly GuardrailsEvent[] {
  const { turn, events } = run;
  const isBlocked = input.userTexts.some((text) => blocked.has(text));
  const shown = historyEvents(events).filter(({ type, text }) => type !== "UserMessage" || !blocked.has(String(text)));
  if (isBlocked) return [...userMessages([HIDDEN]), ...shown];
  return [...userMessages(turn.userTexts.slice(0, -1)), ...shown];
}
