import { dispatch } from "../../../../src/actions/dispatcher.js";
import { ActionRegistry } from "../../../../src/actions/registry.js";
import type { ActionDefinition } from "../../../../src/actions/action.js";
import { EngineConversation, type Round } from "../../../../src/colang2/engine/conversation.js";
import { loadConfigFromContent } from "../../../../src/config/load/load.js";
import type { EventDraft, GuardrailsEvent } from "../../../../src/engine/events.js";
import { createColang2Actions } from "../../../../src/runtime/colang2/generation/actions.js";
import {
  COLANG2_SERVICE,
  type Colang2Access,
  accessConversation,
} from "../../../../src/runtime/colang2/generation/conversation-access.js";
import { printHistory } from "../../../../src/llm/print-history.js";
import {
  type Colang2Step,
  colang2Step,
  createColang2Generation,
} from "../../../../src/runtime/colang2/generation/services.js";
import type { GenerationCall } from "../../../../src/generation/services.js";
import type { LlmCallRecord } from "../../../../src/llm/task/call-model.js";
import { createTasks } from "../../../../src/llm/task/run-task.js";
import { createNgramIndex } from "../../../../src/retrieval/matcher/ngram-index.js";
import { actionContext } from "../../../actions/context.js";
import { ScriptedModel } from "../../../support/language-models/scripted-model.js";
import { compileProgram } from "./program.js";

export interface HostOptions {
  readonly config?: Readonly<Record<string, unknown>>;
  /** Responses of the main model; without a list there is no main model. */
  readonly llm?: readonly (string | Error)[];
  readonly family?: "chat" | "text";
  readonly call?: GenerationCall;
  readonly kb?: unknown;
  readonly actions?: readonly ActionDefinition[];
  readonly context?: Readonly<Record<string, unknown>>;
  /** Actions of generation that run here, default: all; the others are delegated. */
  readonly local?: readonly string[];
}

const clock = { now: () => TestHost.now };

/** A small host over the engine: it emits the bot's utterances, runs the actions of generation and delegates the others. */
export class TestHost {
  /** The time in all hosts. */
  static now = 0;
  readonly model: ScriptedModel;
  readonly records: LlmCallRecord[] = [];
  readonly conversation: EngineConversation;
  readonly access: Colang2Access;
  /** Failures by action. */
  readonly failures: string[] = [];
  readonly logs: string[] = [];
  #transcript: string | undefined;
  #input: GuardrailsEvent[] = [];
  #emitted: EventDraft[] = [];
  readonly #registry: ActionRegistry;
  readonly #context: (events: readonly GuardrailsEvent[], signal: AbortSignal) => ReturnType<typeof actionContext>;
  readonly #generation: ReturnType<typeof createColang2Generation>;

  private constructor(
    text: string,
    options: HostOptions,
    settings: Awaited<ReturnType<typeof loadConfigFromContent>>["settings"],
  ) {
    const program = compileProgram(text);
    this.model = new ScriptedModel(options.llm ?? [], { family: options.family ?? "text" });
    this.conversation = new EngineConversation(program, { seed: 1, context: options.context ?? {} });
    this.access = accessConversation(
      () => this.conversation,
      (round) => this.#note(round),
      () => this.#transcript,
    );
    const tasks = createTasks({
      prompts: settings.prompts,
      promptingMode: settings.prompting_mode,
      historyPrinter: printHistory,
      instructions: settings.instructions,
      sampleConversation: settings.sample_conversation,
      lowestTemperature: settings.lowest_temperature,
      clock,
    });
    this.#generation = createColang2Generation({
      settings,
      program,
      createIndex: (items) => createNgramIndex({ items }),
      clock,
    });
    const own = createColang2Actions(this.#generation).filter(({ name }) => options.local?.includes(name) ?? true);
    this.#registry = new ActionRegistry([...own, ...(options.actions ?? [])]);
    this.#context = (events, signal) =>
      actionContext({
        events,
        context: this.access.globals,
        config: settings,
        tasks,
        models: { ...(options.llm ? { main: this.model } : {}), byType: {} },
        scope: { record: (call) => void this.records.push(call) },
        services: { call: options.call ?? {}, [COLANG2_SERVICE]: this.access },
        kb: options.kb,
        signal,
      });
  }

  /** A conversation that has not started. */
  static async make(text: string, options: HostOptions = {}): Promise<TestHost> {
    const { settings } = await loadConfigFromContent({ colang: "", config: { ...options.config } });
    return new TestHost(text, options, settings);
  }

  static async open(text: string, options: HostOptions = {}): Promise<TestHost> {
    const host = await TestHost.make(text, options);
    await host.batch();
    return host;
  }

  /** Dependencies of an action of generation, for tests of the functions that it calls. */
  step(): Colang2Step {
    return colang2Step(this.#generation, this.#context([], new AbortController().signal), "test");
  }

  /** An utterance of the user. */
  say(text: string): Promise<string[]> {
    this.#transcript = text;
    const event = {
      type: "UtteranceUserActionFinished",
      action_uid: `u-${text}`,
      final_transcript: text,
      is_success: true,
    };
    return this.send(event as GuardrailsEvent);
  }

  /** Runs one batch; returns the bot's utterances and the names of delegated actions. */
  async send(...events: readonly GuardrailsEvent[]): Promise<string[]> {
    return (await this.batch(...events)).map(({ type, script }) => (type === "SAY" ? String(script) : type));
  }

  /** Runs one batch; returns delegated actions, and the bot's utterances as `SAY`. */
  async batch(...events: readonly GuardrailsEvent[]): Promise<EventDraft[]> {
    const emitted: EventDraft[] = [];
    this.#emitted = emitted;
    this.#note(this.conversation.begin());
    this.#input.push(...events);
    for (let steps = 0; this.#input.length > 0; steps += 1) {
      if (steps > 500) throw new Error("the events do not end");
      const event = this.#input.shift() as GuardrailsEvent;
      this.#note(this.conversation.process(event));
      if (event.type === "StartUtteranceBotAction") {
        this.#finish("UtteranceBotAction", event, { is_success: true, final_script: event["script"] });
      } else if (this.#isLocal(event.type)) await this.#run(event);
    }
    return emitted;
  }

  async run(name: string, params: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
    const outcome = await this.#dispatch(name, params, []);
    if (!outcome.ok) throw outcome.error;
    return outcome.result.returnValue;
  }

  /** Flows that were added and not removed. */
  get added(): readonly string[] {
    return [...this.access.definitions.keys()].filter((id) => this.access.isAdded(id));
  }

  async #dispatch(name: string, params: Readonly<Record<string, unknown>>, events: readonly GuardrailsEvent[]) {
    return dispatch({
      registry: this.#registry,
      name,
      params,
      context: ({ signal }) => this.#context(events, signal),
      timeoutMs: 0,
      signal: new AbortController().signal,
    });
  }

  #isLocal(type: string): boolean {
    return type.startsWith("Start") && this.#registry.get(type.slice("Start".length)) !== undefined;
  }

  async #run(event: GuardrailsEvent): Promise<void> {
    const name = event.type.slice("Start".length);
    const { type: _type, uid: _uid, action_uid: _actionUid, ...params } = event;
    const outcome = await this.#dispatch(name, params, [event]);
    if (!outcome.ok) {
      this.failures.push(outcome.error.message);
      this.#finish(name, event, { is_success: false, return_value: null });
      return;
    }
    const { returnValue, contextUpdates } = outcome.result;
    if (Object.keys(contextUpdates).length > 0) {
      this.#input.push({ type: "ContextUpdate", data: contextUpdates } as unknown as GuardrailsEvent);
    }
    this.#finish(name, event, { is_success: true, return_value: returnValue });
  }

  #finish(action: string, { action_uid: uid }: GuardrailsEvent, fields: Readonly<Record<string, unknown>>): void {
    this.#input.push({ type: `${action}Started`, action_uid: uid } as unknown as GuardrailsEvent);
    this.#input.push({ type: `${action}Finished`, action_uid: uid, ...fields } as unknown as GuardrailsEvent);
  }

  #note({ events, trace }: Round): void {
    for (const event of events) {
      if (event.type === "StartUtteranceBotAction") this.#emitted.push({ ...event, type: "SAY" });
      else if (!this.#isLocal(event.type)) this.#emitted.push(event);
    }
    this.#input.push(...(events as readonly (EventDraft & GuardrailsEvent)[]));
    for (const event of trace) if (event.type === "logged") this.logs.push(event.text);
  }
}
