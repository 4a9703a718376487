import { flowsReachedFrom } from "../../colang2/strict-rails.js";
import type { Colang2Program } from "../../colang2/program.js";
import { EngineConversation } from "../../colang2/engine/conversation.js";
import type { EventDraft, GuardrailsEvent } from "../../engine/events.js";
import { type Context, withVariables } from "../../engine/plain-data.js";
import { finishStage, runRailsOfStage } from "../../rails/run-stage.js";
import type { TurnInput } from "../../turn/conversation.js";
import type { StageOutcome } from "../../turn/decision.js";
import type { Turn } from "../../turn/turn.js";
import type { ChunkSource } from "../../turn/response.js";
import type { TurnOptions } from "../../turn/options.js";
import { GENERATED_MODULE } from "./compile/generated-flows.js";
import { performAction } from "./dispatch-action.js";
import {
  completeEvent,
  historyEvents,
  noteSources,
  type Colang2Run,
  type Colang2Services,
  type TurnResults,
} from "./run.js";
import { engineSettings } from "./stored-conversation.js";

/** The action that answers for a configuration without a dialog. */
export const ANSWER_ACTION = "AnswerUserAction";

/** Events of a whole turn; with a lower limit the engine runs, which reports the location. */
const MOST_EVENTS = 50;

/**
 * Returns true for a configuration whose turns only run rails: no flow of its own comes between the user, the response
 * and its rails, and the answering action is the package's.
 */
export function isRailsOnly({ flows, activeFlows }: Colang2Program, asks: { has(action: string): boolean }): boolean {
  if (activeFlows.length > 0 || !asks.has(ANSWER_ACTION)) return false;
  const byId = new Map(flows.map((flow) => [flow.id, flow]));
  if (byId.get("main")?.module !== GENERATED_MODULE) return false;
  return [...flowsReachedFrom(["main"], byId)].every((id) => byId.get(id)?.module.endsWith(".co") !== true);
}

/**
 * Returns true if a turn may run without the engine: rails around a wrapped model or chain, without requested events.
 */
export function goesDirectly(
  services: Colang2Services,
  { options, activity }: Pick<Turn, "options" | "activity">,
  input: TurnInput,
): boolean {
  if (!services.isRailsOnly || options.generator === undefined || activity !== undefined) return false;
  if (options.explain === true || options.log !== undefined || options.outputVars !== undefined) return false;
  if (services.config.settings.rails.input.speculative || !runsAllRails(options)) return false;
  const { userTexts, assistantText, events, lastEvent } = input;
  if (services.limits.eventsPerTurn < MOST_EVENTS || userTexts.length === 0) return false;
  return assistantText === undefined && events.length === 0 && lastEvent === undefined;
}

function runsAllRails({ rails }: TurnOptions): boolean {
  return rails === undefined || Object.values(rails).every((selected) => selected === undefined || selected === true);
}

/**
 * Runs a turn from its input rails to the response and its output rails without the engine, as long as all rails pass. At
 * anything more, such as a block, the engine runs the whole turn with the recorded results.
 */
export class DirectTurn implements Colang2Run {
  readonly scope = "conversation";
  readonly turn: Turn;
  readonly config: Colang2Run["config"];
  readonly cancellation: Colang2Run["cancellation"];
  readonly past: Colang2Run["past"];
  readonly events: GuardrailsEvent[] = [];
  readonly released = new Set<string>();
  variables: Context;
  sources?: readonly ChunkSource[];
  readonly #services: Colang2Services;
  readonly #recorded: TurnResults;
  #engine: EngineConversation | undefined;

  /** @param recorded - receives the results */
  constructor(
    services: Colang2Services,
    { turn, past }: Pick<Colang2Run, "turn" | "past">,
    variables: Context,
    recorded: TurnResults,
  ) {
    this.turn = turn;
    this.config = turn.config ?? NO_CONFIG;
    this.cancellation = turn.cancellation;
    this.past = past;
    this.variables = variables;
    this.#services = services;
    this.#recorded = recorded;
  }

  /** An engine with the variables, for readers of a state. */
  get engine(): EngineConversation {
    const context = this.variables;
    const settings = engineSettings(this.#services);
    return (this.#engine ??= new EngineConversation(this.#services.program, {
      context,
      ...settings,
      prefix: "direct",
    }));
  }

  /** Runs the turn; returns false if the engine must. */
  async take(): Promise<boolean> {
    const { turn, cancellation } = this;
    cancellation.throwIfAborted();
    const text = turn.userTexts.at(-1) ?? "";
    this.#set({ user_message: text, last_user_message: text });
    const input = this.#request("input");
    const judged = await runRailsOfStage(this.#services, input);
    if (!this.#passes("input", judged)) return false;
    const userText = turn.userTexts.at(-1) ?? text;
    this.#set({ ...judged.contextUpdates, user_message: userText, last_user_message: userText });
    this.#note({ type: "UtteranceUserActionFinished", final_transcript: userText });
    const response = await this.#ask();
    if (response === undefined) return false;
    this.#set({ bot_message: response });
    const known = turn.responseReview?.outcomeFor(response);
    const reviewed = await finishStage(this.#services, this.#request("output"), known);
    if (!this.#passes("output", reviewed)) return false;
    cancellation.throwIfAborted();
    const rewritten = reviewed.contextUpdates?.["bot_message"];
    const script = typeof rewritten === "string" ? rewritten : response;
    this.#set({ ...reviewed.contextUpdates, bot_message: script, last_bot_message: script });
    this.#note({ type: "UtteranceBotActionFinished", final_script: script });
    return true;
  }

  /** Calls the wrapped model or chain; returns undefined if the result is more than a response. */
  async #ask(): Promise<string | undefined> {
    const { events } = this.#services;
    const request = (): GuardrailsEvent =>
      completeEvent({ type: `Start${ANSWER_ACTION}`, action_uid: events.ids.next() }, events);
    const action = { name: ANSWER_ACTION, params: {}, request };
    const response = await performAction(this.#services, this, action, this.cancellation);
    this.#recorded.response = response;
    if (!response.ok || typeof response.value !== "string" || response.events.length > 0) return undefined;
    noteSources(this, response.updates);
    this.#set(response.updates);
    return response.value;
  }

  /** Records the outcome of a stage; returns true if it only sets variables. */
  #passes(stage: "input" | "output", outcome: StageOutcome): boolean {
    this.#recorded[stage] = outcome;
    return !outcome.blocked && outcome.entries.every(({ type }) => type === undefined);
  }

  #request(stage: "input" | "output") {
    const { turn, config, cancellation, variables: context } = this;
    const past = (): readonly GuardrailsEvent[] => [...this.past(), ...historyEvents(this.events)];
    // Lists all keys, since a key added to a copy gives each copy its own hidden class.
    const [about, onFinalText, onBlock] = [undefined, undefined, undefined];
    return { turn, stage, context, config, cancellation, past, about, onFinalText, onBlock };
  }

  #set(variables: Context): void {
    this.variables = withVariables(this.variables, variables);
  }

  #note(draft: EventDraft): void {
    // The caller requests no events; internal readers use only their types and texts.
    this.events.push(draft as GuardrailsEvent);
  }
}

const NO_CONFIG = {};
