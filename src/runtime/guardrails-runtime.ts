import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { InputShapeError } from "../diagnostics/errors.js";
import type { RailsConfig } from "../config/rails-config.js";
import type { RailDecision } from "../turn/decision.js";
import type { EventSession } from "./event-session.js";
import { runSingleFlow } from "./flow-run.js";
import type { TurnMessage, TurnOptions } from "../turn/options.js";
import { botMessage, canonicalForm, nextStep } from "./stages.js";
import type { RailSubject, StageResult, TurnResult } from "../turn/result.js";
import type { BotUtterance, CanonicalForm, FlowResult, NextStep, Runtime } from "./port.js";
import type { RuntimeServices } from "./services.js";
import { selectRails } from "../rails/select-rails.js";
import { checkRail, checkStage, openStageReview, type StageReview } from "../rails/stage-check.js";
import { threadIdOf } from "./thread-id.js";
import { ThreadKeeper, type ThreadSources } from "./thread-keeper.js";
import { takeTurn } from "./take-turn.js";
import { checkTool, selectToolRails, type ToolCheck } from "../rails/tools/tool-check.js";
import type { ToolSubject } from "../rails/tools/tool-subject.js";
import type { ToolStage } from "../turn/stages.js";

/**
 * The runtime of one configuration. It keeps nothing between calls but its thread store.
 */
export class GuardrailsRuntime implements Runtime {
  readonly #services: RuntimeServices;
  readonly #threads: ThreadKeeper;

  constructor(services: RuntimeServices, threads: ThreadSources = {}) {
    this.#services = services;
    this.#threads = new ThreadKeeper(threads, services.program.hash);
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

  asksAhead(options: TurnOptions): boolean {
    const { config, railPlans } = this.#services;
    if (!config.settings.rails.input.speculative) return false;
    const rails = selectRails(this.#services, options, "input");
    return rails.length > 0 && !railPlans.of("input", rails).some(({ rewrites }) => rewrites);
  }

  async turn(messages: readonly TurnMessage[], options: TurnOptions = {}): Promise<TurnResult> {
    const { config, state } = options;
    const thread = threadIdOf(config);
    if (thread === undefined || state !== undefined) {
      const { result } = await takeTurn(this.#services, messages, options, {
        stored: state,
        keep: state !== undefined,
      });
      return result;
    }
    return this.#threads.takeTurn(thread, config, (inner, conversation) =>
      takeTurn(this.#services, messages, { ...options, config: inner }, conversation),
    );
  }

  runStage(
    stage: "input" | "output" | "retrieval",
    subject: RailSubject,
    options: TurnOptions = {},
  ): Promise<StageResult> {
    return checkStage(this.#services, stage, subject, options);
  }

  toolRails(stage: ToolStage, tool: string, options: TurnOptions = {}): readonly string[] {
    return selectToolRails(this.#services, stage, tool, options);
  }

  checkTool(stage: ToolStage, subject: ToolSubject, options: TurnOptions = {}): Promise<ToolCheck> {
    return checkTool(this.#services, stage, subject, options);
  }

  openReview(subject: RailSubject, options: TurnOptions = {}): StageReview {
    return openStageReview(this.#services, subject, options);
  }

  /** In Colang 1.0 no flow waits for what a tool outside answers. */
  async awaitsResult(): Promise<boolean> {
    return false;
  }

  openSession(): EventSession {
    throw new InputShapeError(
      "`events()` needs a configuration in Colang 2.x; in Colang 1.0 pass events to `generate`, as messages of the role `event`",
    );
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
