import { actionTimeout, checkResult, type DispatchResult, failedResult, runLimited } from "../../actions/dispatcher.js";
import type { Colang1Program, CompiledFlow } from "../../colang1/elements.js";
import { andThen, isPromise, type MaybePromise } from "../../engine/async.js";
import { type EventDraft, startTimer, type GuardrailsEvent } from "../../engine/events.js";
import { type Context, isMap, withVariables } from "../../engine/plain-data.js";
import { askGenerator, orFallbackText } from "../../generation/passthrough.js";
import type { GeneratedText } from "../../generation/services.js";
import { finishStage } from "../../rails/run-stage.js";
import type { TurnInput } from "../../turn/conversation.js";
import type { StageOutcome } from "../../turn/decision.js";
import type { Turn } from "../../turn/turn.js";
import { guardedGenerator } from "../response-stream.js";
import { botMessageResult } from "./generation/bot-message-result.js";
import { openActionSpan } from "../action-context.js";
import { failureEvents, runLoop } from "./run-loop.js";
import { finish, stageEntries } from "./run-action.js";
import {
  type ActingRun,
  collectUtterances,
  isOurFlow,
  type Perform,
  Run,
  type RuntimeServices,
  RUN_RAILS,
} from "./run.js";

/** Pipeline flows of a turn without a dialog. */
const STATIONS = [
  "process user input",
  "run input rails",
  "run dialog rails",
  "generate user intent",
  "process bot message",
  "run output rails",
];

const NO_PARAMETERS = {};

/** The action that calls the wrapped model or chain if no user messages are defined. */
const ASK = "generate_user_intent";

/**
 * Variables that change the course of the pipeline or of a library flow; a flow that waits for bot utterances reads the
 * last one.
 */
const STEERING = ["skip_output_rails", "hallucination_warning"];

/**
 * Returns true for a configuration whose turns only run rails: no dialog, no flow that waits for an event, and the
 * package's own pipeline.
 */
export function isRailsOnly(program: Colang1Program, replaced: (action: string) => boolean): boolean {
  const flows = new Map(program.flows.map((flow) => [flow.id, flow]));
  return (
    Object.keys(program.userMessages).length === 0 &&
    !replaced(ASK) &&
    STATIONS.every((id) => isOurFlow(flows.get(id))) &&
    program.flows.every((flow) => isOurFlow(flow) || onlyRunsWhenCalled(flow))
  );
}

function onlyRunsWhenCalled({ tier, isInitialiser, elements }: CompiledFlow): boolean {
  return tier === "system" && !isInitialiser && elements.every(({ kind }) => kind !== "Match" && kind !== "Choice");
}

/** Number of events that the engine creates at each step of the pipeline, for the limit of a turn. */
const EVENTS = {
  /** The utterance, and the variable with its text. */
  utterance: 2,
  /** Start and end of the action that runs rails. */
  beforeRails: 1,
  afterRails: 1,
  /** The user's message, and the start of the action that answers it. */
  userMessage: 2,
  /** The end of that action, the bot's message, and the variable with its text. */
  answer: 3,
  /** The bot's utterance, and the end of the turn. */
  end: 2,
} as const;

/** Recorded results of a turn, for the engine. */
export interface TurnResults {
  input?: StageOutcome;
  response?: Pick<DispatchResult & { readonly ok: true }, "ok" | "result"> | (DispatchResult & { readonly ok: false });
  output?: StageOutcome;
}

/**
 * Returns true if a turn may run without the engine: rails around a wrapped model or chain, in a conversation that is
 * not stored, without requested events.
 */
export function goesDirectly(services: RuntimeServices, turn: Turn, input: TurnInput): boolean {
  const { options, activity } = turn;
  if (!services.isRailsOnly || options.generator === undefined || activity !== undefined) return false;
  if (options.explain === true || options.log !== undefined || options.outputVars !== undefined) return false;
  if (services.config.settings.rails.input.speculative) return false;
  const { userTexts, assistantText, events, lastEvent } = input;
  return userTexts.length > 0 && assistantText === undefined && events.length === 0 && lastEvent === undefined;
}

/**
 * Runs a turn from its input rails to the response and its output rails without the engine, as long as all rails pass. At
 * anything more, such as a block, the engine runs the whole turn with the recorded results, so flow semantics stay in
 * one place.
 */
export class DirectTurn implements ActingRun {
  readonly turn: Turn;
  readonly scope = "conversation";
  readonly rail = undefined;
  readonly config: ActingRun["config"];
  readonly cancellation: ActingRun["cancellation"];
  readonly past: ActingRun["past"];
  context: Context;
  readonly #services: RuntimeServices;
  readonly #run: Run;
  readonly #text: string;
  readonly #recorded: TurnResults;
  readonly #updates: EventDraft[] = [];
  /** Number of pipeline events that the engine would have created so far. */
  #counted = 0;

  /**
   * @param run - the turn before its first event
   * @param recorded - receives the results
   */
  constructor(services: RuntimeServices, run: Run, recorded: TurnResults) {
    this.turn = run.turn;
    this.config = run.config;
    this.cancellation = run.cancellation;
    this.past = run.past;
    this.context = run.context;
    this.#services = services;
    this.#run = run;
    this.#text = run.turn.userTexts.at(-1) ?? "";
    this.#recorded = recorded;
  }

  get state(): ActingRun["state"] {
    return { ...this.#run.state, context: this.context };
  }

  /** All events so far; the engine creates them on demand. */
  get events(): GuardrailsEvent[] {
    const { scope, rail, config, cancellation, past, state, events } = this.#run;
    const turn = this.turn.apart(this.turn.options);
    const perform = performRecorded({ ...this.#recorded }, () => []);
    const run = new Run({ turn, scope, rail, config, cancellation, past, state, perform });
    run.events.push(...events);
    void runLoop(this.#services, run, [{ type: "UtteranceUserActionFinished", final_transcript: this.#text }]);
    turn.close();
    return run.events;
  }

  /** Runs the turn; returns false if the engine must, which counts the pipeline's events itself. */
  async take(): Promise<boolean> {
    const { rails } = this.#services.config.settings;
    if (!this.#isPlain() || !this.#count(EVENTS.utterance)) return this.#leave();
    this.#set({ user_message: this.#text });
    if (rails.input.flows.length > 0) {
      const passed = this.#runRails("input");
      if (!(isPromise(passed) ? await passed : passed)) return this.#leave();
    }
    const { user_message: text } = this.context;
    if (typeof text !== "string" || !this.#isPlain() || !this.#count(EVENTS.userMessage)) return this.#leave();
    this.#set({ last_user_message: text });
    const response = await this.#ask(text);
    if (response === undefined || !this.#isPlain() || !this.#count(EVENTS.answer + this.#updates.length))
      return this.#leave();
    this.#set({ bot_message: response });
    if (rails.output.flows.length > 0) {
      const passed = this.#runRails("output");
      if (!(isPromise(passed) ? await passed : passed)) return this.#leave();
    }
    const { bot_message: script } = this.context;
    if (typeof script !== "string" || !this.#isPlain() || !this.#count(EVENTS.end)) return this.#leave();
    this.cancellation.throwIfAborted();
    this.#set({ last_bot_message: script });
    this.#finish(text, response, script);
    return true;
  }

  /** Leaves the turn to the engine. */
  #leave(): false {
    this.turn.countSkippedEvents(-this.#counted);
    return false;
  }

  /** Counts events of the pipeline; returns false if that exceeds the limit. */
  #count(events: number): boolean {
    if (!this.turn.countSkippedEvents(events)) return false;
    this.#counted += events;
    return true;
  }

  /** Returns true unless a variable changes the course of the pipeline. */
  #isPlain(): boolean {
    const { generation_options: options } = this.context;
    if (!isFalse(options) && !onlySelectsRails(options)) return false;
    return STEERING.every((name) => !Object.hasOwn(this.context, name) || isFalse(this.context[name]));
  }

  #set(variables: Context): void {
    this.context = withVariables(this.context, variables);
  }

  /** Runs the rails of a stage; returns false if they do more than set variables. */
  #runRails(stage: "input" | "output"): MaybePromise<boolean> {
    const { turn, config, cancellation, context } = this;
    cancellation.throwIfAborted();
    if (!this.#count(EVENTS.beforeRails)) return false;
    const known = stage === "output" ? turn.responseReview?.outcomeFor(context["bot_message"]) : undefined;
    const past = (): readonly GuardrailsEvent[] => [...this.past(), ...this.events];
    const pastMessages = (): readonly GuardrailsEvent[] => this.#messagesBefore(stage);
    // All keys, since a key that is added to a copy gives each copy a hidden class of its own.
    const [about, onFinalText, onBlock] = [undefined, undefined, undefined];
    const request = { turn, stage, context, config, cancellation, past, pastMessages, about, onFinalText, onBlock };
    return andThen(finishStage(this.#services, request, known), (outcome) => {
      this.#recorded[stage] = outcome;
      if (outcome.blocked || outcome.entries.some(({ type }) => type !== undefined)) return false;
      if (outcome.contextUpdates !== undefined) this.#set(outcome.contextUpdates);
      return this.#count(EVENTS.afterRails + (outcome.contextUpdates === undefined ? 0 : 1));
    });
  }

  /** The messages before the rails of a stage. They are known without the engine, which would make the other events too. */
  #messagesBefore(stage: "input" | "output"): readonly GuardrailsEvent[] {
    const past = this.past();
    if (stage === "input") return past;
    return [...past, { type: "UserMessage", text: this.context["last_user_message"] }];
  }

  /** Asks the wrapped model or chain; returns undefined if that failed. */
  async #ask(text: string): Promise<string | undefined> {
    const { turn, config, context, cancellation } = this;
    const { settings } = this.#services.config;
    const span = openActionSpan(this, ASK, NO_PARAMETERS);
    const generator = guardedGenerator({
      services: this.#services,
      run: this,
      context: () => this.context,
      past: () => [...this.past(), ...this.events],
      hasEmittedText: () => collectUtterances(this.#run.events).length > 0,
      userTexts: () => turn.readTexts,
      span,
    });
    if (generator === undefined) return undefined;
    const call = { llmParams: turn.options.llmParams };
    const question = { userMessage: text, rewritten: text !== this.#text, context };
    const timeoutMs = turn.options.stream === undefined ? settings.actions.timeout_ms : 0;
    const start = () =>
      runLimited({
        run: ({ signal }) =>
          askGenerator(generator, question, {
            config: "signal" in config ? { ...config, signal } : { signal, ...config },
            signal,
            call,
          }),
        timeoutMs,
        signal: cancellation,
        startTimer,
        timeoutReason: () => actionTimeout(ASK, timeoutMs),
      });
    const outcome = await (span === undefined ? start() : span.run(start));
    try {
      if (outcome.kind !== "returned") throw outcome.error;
      const response = orFallbackText(outcome.value as GeneratedText, { settings });
      const result = checkResult(ASK, botMessageResult(response, context));
      this.#recorded.response = { ok: true, result };
      const { contextUpdates: data } = result;
      if (Object.keys(data).length > 0) {
        this.#set(data);
        this.#updates.push({ type: "ContextUpdate", data });
      }
      span?.end();
      return response.text;
    } catch (error) {
      span?.fail(error);
      this.#recorded.response = failedResult(ASK, outcome.kind === "timeout" ? outcome : { kind: "threw", error });
      return undefined;
    }
  }

  /** Writes the end of the turn into the run, with the events that its result is read from. */
  #finish(userText: string, botText: string, script: string): void {
    const run = this.#run;
    run.events.push(
      { type: "UserMessage", text: userText },
      ...this.#updates,
      { type: "BotMessage", text: botText },
      { type: "StartUtteranceBotAction", script },
    );
    run.state = { ...run.state, context: this.context };
  }
}

/** Returns true for `$generation_options` of a call that selects rails and leaves the dialog enabled. */
function onlySelectsRails(options: unknown): boolean {
  if (!isMap(options)) return false;
  const { rails, llm_params: params, llm_output: output, output_vars: variables } = options;
  return isFalse(params) && isFalse(output) && isFalse(variables) && isMap(rails) && rails["dialog"] === true;
}

function isFalse(value: unknown): boolean {
  return value === undefined || value === null || value === false;
}

/** Performs actions with their recorded results, and all others with `perform`. */
export function performRecorded(recorded: TurnResults, perform: Perform): Perform {
  return (services, run, request) => {
    const { action_name: name, action_params: params } = request;
    if (run.scope === "conversation" && name === ASK && recorded.response !== undefined) {
      const { response } = recorded;
      delete recorded.response;
      if (response.ok) return finish(services, run, request, response.result);
      return failureEvents(services, run, { action: request, error: response.error, missing: false });
    }
    const stage = run.scope === "conversation" && name === RUN_RAILS ? stageOf(params) : undefined;
    const outcome = stage === undefined ? undefined : recorded[stage];
    if (stage === undefined || outcome === undefined) return perform(services, run, request);
    delete recorded[stage];
    return stageEntries(request, outcome);
  };
}

function stageOf(params: unknown): "input" | "output" | undefined {
  const { stage } = (params ?? {}) as { readonly stage?: unknown };
  return stage === "input" || stage === "output" ? stage : undefined;
}
