import { type GuardrailsEvent, type StartTimer, startTimer } from "../../engine/events.js";
import type { Guardrails } from "../../langchain/guardrails.js";
import type { EventSession } from "../../runtime/event-session.js";
import type { RailDecision } from "../../turn/decision.js";
import type { FlowExplanation } from "../../turn/result.js";
import type { Printer } from "../command-line.js";
import { printDecision } from "../print-turn.js";
import { type Conversation, formatEvent } from "./conversation.js";

interface Countdown {
  readonly seconds: number;
  readonly ring: () => void;
}

/** Modalities that a terminal shows as one line, so their actions finish immediately. */
const SHOWN_ACTION = /^Start((?:Gesture|Posture|VisualInformation|Scene)\w*Action)$/;

/** A chat event by event: prints utterances, gestures and timers of Colang 2.x as they occur. */
export class EventConversation implements Conversation {
  readonly #session: EventSession;
  readonly #printer: Printer;
  readonly #timers = new Set<Countdown>();
  #events: GuardrailsEvent[] = [];
  #decisions: RailDecision[] = [];
  #said = 0;

  /**
   * @param state - state of an earlier chat
   * @param onPrinted - called after something was printed without input
   */
  constructor(guardrails: Guardrails, printer: Printer, state: unknown, onPrinted: () => void) {
    this.#printer = printer;
    this.#session = guardrails.events({
      state,
      startTimer: this.#startTimer,
      onDropped: ({ message }) => printer.line(`  dropped: ${message}`, "yellow"),
    });
    void this.#read(onPrinted);
  }

  /** Receives each decision immediately. */
  decided(decision: RailDecision): void {
    this.#decisions.push(decision);
  }

  async say(text: string): Promise<void> {
    this.#events = [];
    this.#said += 1;
    const action_uid = `typed-${this.#said}`;
    this.#session.send({ type: "UtteranceUserActionStarted", action_uid });
    await this.send({ type: "UtteranceUserActionFinished", action_uid, final_transcript: text, is_success: true });
  }

  async send(event: GuardrailsEvent): Promise<void> {
    this.#session.send(event);
    await this.#rest();
  }

  why(flow: string): FlowExplanation {
    return this.#session.why(flow);
  }

  get events(): readonly GuardrailsEvent[] {
    return this.#events;
  }

  state(): Promise<unknown> {
    return this.#session.state();
  }

  get timers(): readonly number[] {
    return [...this.#timers].map(({ seconds }) => seconds);
  }

  async ring(): Promise<void> {
    const [next] = [...this.#timers].sort((left, right) => left.seconds - right.seconds);
    if (next === undefined) return;
    next.ring();
    await this.#rest();
  }

  close(): void {
    this.#session.close();
  }

  /** Resolves when everything sent has been processed and printed. */
  async #rest(): Promise<void> {
    // The end of an action is emitted within one run of the microtask queue.
    await Promise.resolve();
    await this.#session.settled();
    await Promise.resolve();
    this.#printDecisions();
  }

  #printDecisions(): void {
    for (const decision of this.#decisions.splice(0)) printDecision(this.#printer, decision);
  }

  readonly #startTimer: StartTimer = (milliseconds, onTimeout) => {
    const end = (): void => {
      cancel();
      this.#timers.delete(countdown);
    };
    const ring = (): void => {
      end();
      onTimeout();
    };
    const countdown = { seconds: milliseconds / 1000, ring };
    const cancel = startTimer(milliseconds, ring);
    this.#timers.add(countdown);
    return end;
  };

  async #read(onPrinted: () => void): Promise<void> {
    try {
      for await (const event of this.#session) {
        this.#events.push(event);
        if (this.#print(event)) onPrinted();
      }
    } catch (error) {
      this.#printer.line(
        `  the conversation has ended: ${error instanceof Error ? error.message : String(error)}`,
        "red",
      );
    }
  }

  /** Returns true if something was printed. */
  #print(event: GuardrailsEvent): boolean {
    const { type, final_script: script, action_uid } = event;
    if (type === "UtteranceBotActionFinished") {
      if (typeof script !== "string" || script === "") return false;
      this.#printer.line(script);
      return true;
    }
    if (type.startsWith("UtteranceBotAction") || type === "StartUtteranceBotAction") return false;
    this.#printer.line(`  ! ${formatEvent(event)}`, "dim");
    const action = SHOWN_ACTION.exec(type)?.[1];
    if (action !== undefined) {
      this.#session.send({ type: `${action}Started`, action_uid });
      this.#session.send({ type: `${action}Finished`, action_uid, is_success: true });
    }
    return true;
  }
}
