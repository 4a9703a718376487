import { advance } from "../../../src/colang1/engine/advance.js";
import { assignResult } from "../../../src/colang1/engine/processing.js";
import { markCallStart, createState, type Colang1State, type StateOptions } from "../../../src/colang1/engine/state.js";
import type { Colang1Program } from "../../../src/colang1/elements.js";
import type { EventDraft, GuardrailsEvent } from "../../../src/engine/events.js";
import type { TraceEvent } from "../../../src/engine/explain.js";

/** Result of a scripted action. */
export interface ScriptedResult {
  readonly value?: unknown;
  readonly context?: Readonly<Record<string, unknown>>;
  readonly events?: readonly EventDraft[];
  readonly fails?: boolean;
}

export type ScriptedAction = (
  params: Readonly<Record<string, unknown>>,
  context: Readonly<Record<string, unknown>>,
  history: readonly GuardrailsEvent[],
) => ScriptedResult;

export interface DriverOptions extends StateOptions {
  readonly context?: Readonly<Record<string, unknown>>;
  readonly actions?: Readonly<Record<string, ScriptedAction>>;
  /** Events of one call; the call is cancelled after them. */
  readonly cap?: number;
  /** Receives every event with its consequences. Its history marks the start of each call with a `$call`. */
  readonly watch?: (
    history: readonly GuardrailsEvent[],
    drafts: readonly EventDraft[],
    after: Colang1State,
    before: Colang1State,
    event: GuardrailsEvent,
  ) => void;
}

/** Runs the run loop with scripted actions. */
export class Driver {
  state: Colang1State;
  readonly history: GuardrailsEvent[] = [];
  private readonly withCalls: GuardrailsEvent[] = [];
  readonly trace: TraceEvent[] = [];
  private actionCount = 0;

  constructor(
    readonly program: Colang1Program,
    readonly options: DriverOptions = {},
  ) {
    this.state = createState(program, options.context, options);
  }

  /** Feeds an event and continues until `Listen`; returns the resulting events. */
  send(event: GuardrailsEvent): GuardrailsEvent[] {
    this.state = markCallStart(this.state);
    this.withCalls.push({ type: "$call" });
    return this.play([event]);
  }

  /** The same without the start of a call. */
  play(first: readonly EventDraft[]): GuardrailsEvent[] {
    const before = this.history.length;
    const cap = this.options.cap ?? 200;
    let batch = first;
    for (;;) {
      let drafts: readonly EventDraft[] = [];
      for (const event of batch) drafts = this.feed(event);
      const last = this.history.at(-1);
      if (last?.type === "Listen") break;
      if (last?.type === "FlowFailed") batch = [{ type: "hide_prev_turn" }, { type: "Listen" }];
      else if (last?.type === "StartInternalSystemAction") batch = this.act(last);
      else batch = drafts.length > 0 ? drafts : [{ type: "Listen" }];
      if (this.history.length - before > cap) batch = [{ type: "Listen" }];
    }
    return this.history.slice(before + first.length);
  }

  /** Utterances of the bot after an intent, in order. */
  intent(intent: string): string[] {
    return said(this.send({ type: "UserIntent", intent })).filter((message) => message !== "stop");
  }

  /** The texts in response to an utterance, for programs with a pipeline. */
  say(text: string): string[] {
    const events = this.send({ type: "UtteranceUserActionFinished", final_transcript: text });
    return events.filter((event) => event.type === "StartUtteranceBotAction").map((event) => String(event["script"]));
  }

  get context(): Readonly<Record<string, unknown>> {
    return this.state.context;
  }

  private feed(draft: EventDraft): readonly EventDraft[] {
    const isStart = draft.type === "StartInternalSystemAction";
    const event: GuardrailsEvent = isStart ? { ...draft, action_uid: `a${(this.actionCount += 1)}` } : draft;
    this.history.push(event);
    this.withCalls.push(event);
    const before = this.state;
    const result = advance(this.program, before, event);
    this.state = result.state;
    this.trace.push(...result.trace);
    this.options.watch?.(this.withCalls, result.events, result.state, before, event);
    return result.events;
  }

  private act(start: GuardrailsEvent): EventDraft[] {
    const action = this.options.actions?.[String(start["action_name"])];
    const result = action?.(start["action_params"] as Record<string, unknown>, this.context, this.history) ?? {};
    const finished = {
      type: "InternalSystemActionFinished",
      action_uid: start["action_uid"],
      action_name: start["action_name"],
      status: result.fails ? "failed" : "success",
      events: result.events ?? [],
    };
    if (result.fails) return [finished, { type: "hide_prev_turn" }, { type: "Listen" }];
    const data: Record<string, unknown> = { ...result.context };
    if (typeof start["action_result_key"] === "string") {
      const stored = assignResult(this.context, start["action_result_key"], result.value ?? null);
      if (stored.ok) data[stored.name] = stored.value;
    }
    const update = Object.keys(data).length > 0 ? [{ type: "ContextUpdate", data }] : [];
    return [...update, finished, ...(result.events ?? [])];
  }
}

/** The messages among events, including stops. */
export function said(events: readonly GuardrailsEvent[]): string[] {
  return events
    .filter((event) => event.type === "BotIntent")
    .map((event) => (event["intent"] === "say" ? JSON.stringify(event["text"]) : String(event["intent"])));
}

/**
 * Actions in place of the model: the utterance is the intent, `steps` gives the step after intents that no flow
 * handles, and a message's text is its name.
 */
export function pipelineActions(
  steps: Readonly<Record<string, string>> = {},
  rails: Readonly<Record<string, ScriptedAction>> = {},
): Record<string, ScriptedAction> {
  const lastOf = (history: readonly GuardrailsEvent[], type: string): GuardrailsEvent | undefined =>
    history.findLast((event) => event.type === type);
  return {
    run_rails: (params, context, history) => rails[String(params["stage"])]?.(params, context, history) ?? {},
    generate_user_intent: (_params, context) => ({
      events: [{ type: "UserIntent", intent: String(context["last_user_message"]) }],
    }),
    generate_next_step: (_params, _context, history) => {
      const intent = String(lastOf(history, "UserIntent")?.["intent"]);
      return { events: [{ type: "BotIntent", intent: steps[intent] ?? "general response" }] };
    },
    retrieve_relevant_chunks: () => ({}),
    generate_bot_message: (_params, _context, history) => ({
      events: [{ type: "BotMessage", text: String(lastOf(history, "BotIntent")?.["intent"]) }],
    }),
  };
}
