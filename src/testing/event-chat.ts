import type { GuardrailsEvent } from "../engine/events.js";
import type { Guardrails } from "../langchain/guardrails.js";
import { hostOf } from "../langchain/host.js";
import type { EventSession, SessionOptions } from "../runtime/event-session.js";
import type { FlowExplanation } from "../turn/result.js";

/** A Colang 2.x conversation event by event, with timers that ring on command. */
export interface EventChat {
  /** Sends one typed utterance, waits until nothing is left to do, and returns the bot messages since. */
  user(text: string): Promise<string>;
  /** Sends an event and returns the resulting events. */
  send(event: GuardrailsEvent): Promise<readonly GuardrailsEvent[]>;
  /** Ends an emitted action, the last of its name. */
  finish(action: string, fields?: Readonly<Record<string, unknown>>): Promise<readonly GuardrailsEvent[]>;
  /** Lets the timer that would ring next ring now. */
  ring(): Promise<string>;
  /** Seconds after which the running timers ring, in the order in which they were started. */
  readonly timers: readonly number[];
  /** Asserts the last bot messages. */
  bot(expected: string | RegExp): void;
  /** Explains why a flow acted or did not: which flow won, and how well the awaited event matched. */
  why(flow: string): FlowExplanation;
  /** Transcript: `>` the user, `<` the bot, `!` an emitted action or event. */
  readonly transcript: string;
  readonly session: EventSession;
  close(): void;
}

export type EventChatOptions = Pick<SessionOptions, "context" | "instantActions" | "state" | "onDropped">;

/**
 * A dialogue with the flows of a Colang 2.x configuration that does not stop at text.
 *
 * @example
 * ```ts
 * const talk = await eventChat(guardrails);
 * await talk.user("remind me in a minute");
 * await talk.ring();
 * talk.bot("It is time");
 * talk.close();
 * ```
 */
export async function eventChat(guardrails: Guardrails, options: EventChatOptions = {}): Promise<EventChat> {
  hostOf(guardrails);
  const talk = new EventDialogue(guardrails, options);
  await talk.settle();
  return talk;
}

interface Countdown {
  readonly milliseconds: number;
  readonly ring: () => void;
}

class EventDialogue implements EventChat {
  readonly session: EventSession;
  readonly #lines: string[] = [];
  readonly #timers = new Set<Countdown>();
  readonly #emitted: GuardrailsEvent[] = [];
  readonly #events: GuardrailsEvent[] = [];
  #reply = "";
  #utterances = 0;

  constructor(guardrails: Guardrails, options: EventChatOptions) {
    this.session = guardrails.events({
      ...options,
      startTimer: (milliseconds, ring) => {
        const timer = { milliseconds, ring };
        this.#timers.add(timer);
        return () => void this.#timers.delete(timer);
      },
    });
    void this.#read();
  }

  async user(text: string): Promise<string> {
    this.#lines.push(`> ${text}`);
    this.#utterances += 1;
    const utterance = { action_uid: `typed-${this.#utterances}`, final_transcript: text, is_success: true };
    this.session.send({ type: "UtteranceUserActionStarted", action_uid: utterance.action_uid });
    await this.send({ type: "UtteranceUserActionFinished", ...utterance });
    return this.#reply;
  }

  async send(event: GuardrailsEvent): Promise<readonly GuardrailsEvent[]> {
    this.session.send(event);
    return this.settle();
  }

  async finish(action: string, fields: Readonly<Record<string, unknown>> = {}): Promise<readonly GuardrailsEvent[]> {
    const started = this.#emitted.findLast(({ type }) => type === `Start${action}`);
    if (started === undefined) throw new Error(`no \`${action}\` was emitted:\n${this.transcript}`);
    return this.send({ ...fields, type: `${action}Finished`, action_uid: started["action_uid"] });
  }

  async ring(): Promise<string> {
    const [next] = [...this.#timers].sort((left, right) => left.milliseconds - right.milliseconds);
    if (next === undefined) throw new Error(`no timer runs:\n${this.transcript}`);
    this.#timers.delete(next);
    this.#lines.push(`! a timer rings after ${next.milliseconds / 1000} s`);
    next.ring();
    await this.settle();
    return this.#reply;
  }

  get timers(): readonly number[] {
    return [...this.#timers].map(({ milliseconds }) => milliseconds / 1000);
  }

  bot(expected: string | RegExp): void {
    const fits = typeof expected === "string" ? this.#reply === expected : expected.test(this.#reply);
    if (!fits) throw new Error(`expected the bot to say ${String(expected)}, but it went\n${this.transcript}`);
  }

  why(flow: string): FlowExplanation {
    return this.session.why(flow);
  }

  get transcript(): string {
    return this.#lines.join("\n");
  }

  close(): void {
    this.session.close();
  }

  /** Returns the events since the last call, once nothing is left to do. */
  async settle(): Promise<readonly GuardrailsEvent[]> {
    // The end of an action is emitted within a turn of the microtask queue.
    await Promise.resolve();
    await this.session.settled();
    await Promise.resolve();
    const events = this.#events.splice(0);
    const messages: string[] = [];
    for (const event of events) {
      const { type, final_script: script } = event;
      if (type === "UtteranceBotActionFinished" && typeof script === "string" && script !== "") {
        messages.push(script);
        this.#lines.push(...script.split("\n").map((line) => `< ${line}`));
      } else if (!type.startsWith("UtteranceBotAction")) {
        this.#emitted.push(event);
        this.#lines.push(`! ${type}`);
      }
    }
    this.#reply = messages.join("\n");
    return events;
  }

  async #read(): Promise<void> {
    try {
      for await (const event of this.session) this.#events.push(event);
    } catch (error) {
      this.#lines.push(`! the session failed: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}
