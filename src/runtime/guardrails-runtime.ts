import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { RailsConfig } from "../config/rails-config.js";
import type { RailDecision } from "./decision.js";
import { runSingleFlow } from "./flow-run.js";
import type { TurnMessage, TurnOptions } from "./options.js";
import { botMessage, canonicalForm, nextStep } from "./stages.js";
import type { RailSubject, StageResult, TurnResult } from "./result.js";
import type { BotUtterance, CanonicalForm, FlowResult, NextStep, Runtime } from "./runtime-contract.js";
import type { RuntimeServices } from "./services.js";
import { checkRail, checkStage } from "./stage-check.js";
import { MemoryThreadStore, ThreadQueue, type ThreadStore } from "./threads.js";
import { takeTurn } from "./take-turn.js";

/**
 * The runtime of one configuration. It keeps nothing between calls but its thread store.
 */
export class GuardrailsRuntime implements Runtime {
  readonly #services: RuntimeServices;
  readonly #threads: ThreadStore;
  readonly #queue = new ThreadQueue();

  constructor(services: RuntimeServices, threads: ThreadStore = new MemoryThreadStore()) {
    this.#services = services;
    this.#threads = threads;
  }

  get config(): RailsConfig {
    return this.#services.config;
  }

  get warnings(): readonly Diagnostic[] {
    return this.#services.warnings;
  }

  get hasDialog(): boolean {
    const { program } = this.#services;
    return Object.keys(program.userMessages).length > 0 || program.flows.some((flow) => flow.tier === "user");
  }

  get hasMain(): boolean {
    return this.#services.models.main !== undefined;
  }

  railNames(stage: "input" | "output" | "retrieval"): readonly string[] {
    return this.#services.config.settings.rails[stage].flows;
  }

  async turn(messages: readonly TurnMessage[], options: TurnOptions = {}): Promise<TurnResult> {
    const thread = threadIdOf(options);
    if (thread === undefined || options.state !== undefined) {
      const { result } = await takeTurn(this.#services, messages, options, options.state);
      return result;
    }
    return this.#queue.run(thread, options.config?.signal, async () => {
      const stored = await this.#threads.get(thread);
      const { result, state } = await takeTurn(this.#services, messages, options, stored?.state);
      const version = stored?.version ?? 0;
      await this.#threads.set(thread, { version: version + 1, state }, { expectedVersion: version });
      return result;
    });
  }

  runStage(
    stage: "input" | "output" | "retrieval",
    subject: RailSubject,
    options: TurnOptions = {},
  ): Promise<StageResult> {
    return checkStage(this.#services, stage, subject, options);
  }

  runRail(reference: string, subject: RailSubject, options: TurnOptions = {}): Promise<RailDecision> {
    return checkRail(this.#services, reference, subject, options);
  }

  runFlow(
    flow: string,
    messages: readonly TurnMessage[],
    variables: Readonly<Record<string, unknown>>,
    options: TurnOptions = {},
  ): Promise<FlowResult> {
    return runSingleFlow(this.#services, flow, messages, variables, options);
  }

  canonicalForm(text: string, history: readonly TurnMessage[], options: TurnOptions = {}): Promise<CanonicalForm> {
    return canonicalForm(this.#services, text, history, options);
  }

  nextStep(intent: string, history: readonly TurnMessage[], options: TurnOptions = {}): Promise<NextStep> {
    return nextStep(this.#services, intent, history, options);
  }

  botMessage(
    intent: string,
    context: Readonly<Record<string, unknown>>,
    history: readonly TurnMessage[],
    options: TurnOptions = {},
  ): Promise<BotUtterance> {
    return botMessage(this.#services, intent, context, history, options);
  }
}

function threadIdOf(options: TurnOptions): string | undefined {
  const id: unknown = options.config?.configurable?.["thread_id"];
  if (typeof id === "string" && id.length > 0) return id;
  return typeof id === "number" ? String(id) : undefined;
}
