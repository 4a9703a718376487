import type { Diagnostic } from "../../diagnostics/diagnostic.js";
import { InputShapeError } from "../../diagnostics/errors.js";
import type { RailServices } from "../../rails/services.js";
import type { TurnMessage } from "../../turn/options.js";
import type { Turn } from "../../turn/turn.js";
import type { DialectHost, StoredTurn, TakenTurn } from "../dialect-host.js";
import type { EventSession } from "../event-session.js";
import { runSingleFlow } from "./run-single-flow.js";
import type { BotUtterance, CanonicalForm, FlowResult, NextStep } from "../port.js";
import type { RuntimeServices } from "./run.js";
import type { StageInput } from "../stage-turn.js";
import { botMessage, canonicalForm, nextStep } from "./dialog-stages.js";
import { takeTurn } from "./take-turn.js";

/** Runs flows in Colang 1.0. */
export class Colang1Host implements DialectHost {
  readonly services: RuntimeServices;
  readonly hasInputFlow = false;

  constructor(services: RuntimeServices) {
    this.services = services;
  }

  get stages(): RailServices {
    return this.services;
  }

  get programHash(): string {
    return this.services.program.hash;
  }

  get warnings(): readonly Diagnostic[] {
    return this.services.warnings;
  }

  get hasDialog(): boolean {
    const { program } = this.services;
    return Object.keys(program.userMessages).length > 0 || program.flows.some((flow) => flow.tier === "user");
  }

  get hasMain(): boolean {
    return this.services.models.main !== undefined;
  }

  takeTurn(turn: Turn, messages: readonly TurnMessage[], conversation: StoredTurn): Promise<TakenTurn> {
    return takeTurn(this.services, turn, messages, conversation);
  }

  /** In Colang 1.0 no flow waits for the result of a tool. */
  awaits(): boolean {
    return false;
  }

  openSession(): EventSession {
    throw new InputShapeError(
      "`events()` needs a configuration in Colang 2.x; in Colang 1.0 pass events to `generate`, as messages of the role `event`",
    );
  }

  runFlow(
    turn: Turn,
    flow: string,
    messages: readonly TurnMessage[],
    variables: Readonly<Record<string, unknown>>,
  ): Promise<FlowResult> {
    return runSingleFlow(this.services, turn, flow, messages, variables);
  }

  canonicalForm(turn: Turn, text: string, history: readonly TurnMessage[]): Promise<CanonicalForm> {
    return canonicalForm(this.services, turn, text, history);
  }

  nextStep(turn: Turn, intent: string, history: readonly TurnMessage[]): Promise<NextStep> {
    return nextStep(this.services, turn, intent, history);
  }

  botMessage(turn: Turn, intent: string, given: StageInput): Promise<BotUtterance> {
    return botMessage(this.services, turn, intent, given);
  }
}
