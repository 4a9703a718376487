import type { Diagnostic } from "../../diagnostics/diagnostic.js";
import type { RailServices } from "../../rails/services.js";
import { readMessages } from "../../turn/conversation.js";
import type { TurnMessage } from "../../turn/options.js";
import type { Turn } from "../../turn/turn.js";
import type { DialectHost, StoredTurn, TakenTurn } from "../dialect-host.js";
import type { EventSession, SessionOptions } from "../event-session.js";
import type { BotUtterance, CanonicalForm, FlowResult, NextStep } from "../port.js";
import type { StageInput } from "../stage-turn.js";
import { Colang2Session } from "./session/session.js";
import { takeColang2Turn } from "./take-turn.js";
import { colang2CanonicalForm, colang2NextStep } from "./dialog-stages.js";
import { runColang2Flow } from "./run-single-flow.js";
import type { Colang2Services } from "./run.js";
import { openColang2Conversation } from "./stored-conversation.js";
import { isAwaited } from "./tools/tool-results.js";
import { unknownColang2Flow } from "./unknown-flow.js";

/** Runs flows in Colang 2.x. */
export class Colang2Host implements DialectHost {
  readonly services: Colang2Services;

  constructor(services: Colang2Services) {
    this.services = services;
  }

  get stages(): RailServices {
    return this.services.stages;
  }

  get programHash(): string {
    return this.services.program.hash;
  }

  get warnings(): readonly Diagnostic[] {
    return this.services.warnings;
  }

  get hasDialog(): boolean {
    return this.services.hasDialog;
  }

  get hasMain(): boolean {
    return this.services.models.main !== undefined;
  }

  get hasInputFlow(): boolean {
    return this.services.ownRailFlows.has("input rails");
  }

  takeTurn(turn: Turn, messages: readonly TurnMessage[], conversation: StoredTurn): Promise<TakenTurn> {
    return takeColang2Turn(this.services, turn, messages, conversation);
  }

  awaits(stored: unknown, toolCallIds: readonly string[]): boolean {
    const { engine } = openColang2Conversation(this.services, stored, { input: readMessages([]), context: {} });
    return toolCallIds.some((id) => isAwaited(engine, id));
  }

  openSession(options: SessionOptions): EventSession {
    return new Colang2Session(this.services, options);
  }

  runFlow(
    turn: Turn,
    flow: string,
    messages: readonly TurnMessage[],
    variables: Readonly<Record<string, unknown>>,
  ): Promise<FlowResult> {
    return runColang2Flow(this.services, turn, flow, messages, variables);
  }

  canonicalForm(turn: Turn, text: string, history: readonly TurnMessage[]): Promise<CanonicalForm> {
    return colang2CanonicalForm(this.services, turn, text, history);
  }

  nextStep(turn: Turn, intent: string, history: readonly TurnMessage[]): Promise<NextStep> {
    return colang2NextStep(this.services, turn, intent, history);
  }

  /**
   * Returns what the flow of this name says, a flow such as `bot greet`.
   *
   * @throws DiagnosticError `CO-204` when there is no such flow
   */
  async botMessage(turn: Turn, intent: string, { context, history }: StageInput): Promise<BotUtterance> {
    const names = new Set([intent, `bot ${intent}`]);
    const flow = this.services.program.flows.find(({ id }) => names.has(id));
    if (flow === undefined) throw unknownColang2Flow(this.services, intent);
    const { messages } = await this.runFlow(turn, flow.id, history, context);
    return { text: messages.map(({ content }) => content).join("\n"), source: "predefined" };
  }
}
