import type { RailsConfig } from "../../config/rails-config.js";
import type { Diagnostic } from "../../diagnostics/diagnostic.js";
import { readMessages } from "../../turn/messages.js";
import type { RailDecision } from "../../turn/decision.js";
import type { EventSession, SessionOptions } from "../event-session.js";
import type { TurnMessage, TurnOptions } from "../../turn/options.js";
import type { RailSubject, StageResult, TurnResult } from "../../turn/result.js";
import type { BotUtterance, CanonicalForm, FlowResult, NextStep, Runtime } from "../port.js";
import { selectRails } from "../../rails/select-rails.js";
import { checkRail, checkStage, openStageReview, type StageReview } from "../../rails/stage-check.js";
import type { ToolStage } from "../../turn/stages.js";
import { threadIdOf } from "../thread-id.js";
import { ThreadKeeper, type ThreadSources } from "../thread-keeper.js";
import { checkTool, selectToolRails, type ToolCheck } from "../../rails/tools/tool-check.js";
import type { ToolSubject } from "../../rails/tools/tool-subject.js";
import { Colang2Session } from "./colang2-session.js";
import { takeColang2Turn } from "./colang2-turn.js";
import { colang2CanonicalForm, colang2NextStep } from "./dialog-stages.js";
import { openColang2Conversation } from "./stored-conversation.js";
import { isAwaited } from "./tool-results.js";
import { runColang2Flow } from "./run-single-flow.js";
import type { Colang2Services } from "./services.js";
import { unknownColang2Flow } from "./unknown-flow.js";

/** The runtime of one Colang 2.x configuration. It keeps nothing between calls but its thread store. */
export class Colang2Runtime implements Runtime {
  readonly #services: Colang2Services;
  readonly #threads: ThreadKeeper;

  constructor(services: Colang2Services, threads: ThreadSources = {}) {
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
    return this.#services.hasDialog;
  }

  get hasMain(): boolean {
    return this.#services.models.main !== undefined;
  }

  railNames(stage: "input" | "output" | "retrieval"): readonly string[] {
    return this.#services.stages.config.settings.rails[stage].flows;
  }

  asksAhead(options: TurnOptions): boolean {
    const { config, railPlans, ownRailFlows } = this.#services;
    if (!config.settings.rails.input.speculative || ownRailFlows.has("input rails")) return false;
    const rails = selectRails(this.#services, options, "input");
    return rails.length > 0 && !railPlans.of("input", rails).some(({ rewrites }) => rewrites);
  }

  async turn(messages: readonly TurnMessage[], options: TurnOptions = {}): Promise<TurnResult> {
    const { config, state } = options;
    const thread = threadIdOf(config);
    if (thread === undefined || state !== undefined) {
      const conversation = { stored: state, keep: state !== undefined };
      return (await takeColang2Turn(this.#services, messages, options, conversation)).result;
    }
    return this.#threads.takeTurn(thread, config, (inner, conversation) =>
      takeColang2Turn(this.#services, messages, { ...options, config: inner }, conversation),
    );
  }

  runStage(
    stage: "input" | "output" | "retrieval",
    subject: RailSubject,
    options: TurnOptions = {},
  ): Promise<StageResult> {
    return checkStage(this.#services.stages, stage, subject, options);
  }

  toolRails(stage: ToolStage, tool: string, options: TurnOptions = {}): readonly string[] {
    return selectToolRails(this.#services, stage, tool, options);
  }

  checkTool(stage: ToolStage, subject: ToolSubject, options: TurnOptions = {}): Promise<ToolCheck> {
    return checkTool(this.#services, stage, subject, options);
  }

  openReview(subject: RailSubject, options: TurnOptions = {}): StageReview {
    return openStageReview(this.#services.stages, subject, options);
  }

  async awaitsResult(toolCallIds: readonly string[], options: TurnOptions = {}): Promise<boolean> {
    const { config, state } = options;
    const thread = threadIdOf(config);
    const stored = state ?? (thread === undefined ? undefined : await this.#threads.peek(thread, config));
    if (stored === undefined) return false;
    const { engine } = openColang2Conversation(this.#services, stored, { input: readMessages([]), context: {} });
    return toolCallIds.some((id) => isAwaited(engine, id));
  }

  openSession(options: SessionOptions = {}): EventSession {
    return new Colang2Session(this.#services, options);
  }

  runRail(reference: string, subject: RailSubject, options: TurnOptions = {}): Promise<RailDecision> {
    return checkRail(this.#services.stages, reference, subject, options);
  }

  runFlow(
    flow: string,
    messages: readonly TurnMessage[],
    variables: Readonly<Record<string, unknown>>,
    options: TurnOptions = {},
  ): Promise<FlowResult> {
    return runColang2Flow(this.#services, flow, messages, variables, options);
  }

  canonicalForm(text: string, history: readonly TurnMessage[], options: TurnOptions = {}): Promise<CanonicalForm> {
    return colang2CanonicalForm(this.#services, text, history, options);
  }

  nextStep(intent: string, history: readonly TurnMessage[], options: TurnOptions = {}): Promise<NextStep> {
    return colang2NextStep(this.#services, intent, history, options);
  }

  /**
   * What the flow of this name says, a flow such as `bot greet`.
   *
   * @throws DiagnosticError `CO-204` when there is no such flow
   */
  async botMessage(
    intent: string,
    context: Readonly<Record<string, unknown>>,
    history: readonly TurnMessage[],
    options: TurnOptions = {},
  ): Promise<BotUtterance> {
    const names = new Set([intent, `bot ${intent}`]);
    const flow = this.#services.program.flows.find(({ id }) => names.has(id));
    if (flow === undefined) throw unknownColang2Flow(this.#services, intent);
    const { messages } = await this.runFlow(flow.id, history, context, options);
    return { text: messages.map(({ content }) => content).join("\n"), source: "predefined" };
  }
}
