import type { RunnableConfig } from "@langchain/core/runnables";
import type { RailsConfig } from "../../../src/config/rails-config.js";
import { systemClock } from "../../../src/engine/events.js";
import { DEFAULT_LIMITS } from "../../../src/engine/limits.js";
import { callbackTracker, type RawTokens } from "../../../src/langchain/callbacks.js";
import type { OnBlocked } from "../../../src/langchain/blocked.js";
import { Guardrails } from "../../../src/langchain/guardrails.js";
import { createRailPlans } from "../../../src/rails/plan.js";
import { REWRITTEN } from "../../../src/rails/rail-decision.js";
import type { RailDialect, RailRun, RailStart } from "../../../src/rails/rail-dialect.js";
import { runRailsOfStage } from "../../../src/rails/run-stage.js";
import type { RailServices } from "../../../src/rails/services.js";
import type { DialectHost, StageInput, TakenTurn } from "../../../src/runtime/dialect-host.js";
import { Runtime } from "../../../src/runtime/runtime.js";
import type { LanguageModel } from "../../../src/llm/model.js";
import { adaptModel } from "../../../src/langchain/models/chat-model.js";
import { scriptedModel } from "../../../src/testing/index.js";
import type { GeneratedResponse } from "../../../src/turn/response.js";
import { summarizeDecisions, type RailsStage } from "../../../src/turn/decision.js";
import { readMessages } from "../../../src/turn/conversation.js";
import type { TurnMessage, TurnOptions } from "../../../src/turn/options.js";
import type { RailSubject, TurnResult } from "../../../src/turn/result.js";
import { DEFAULT_STREAM_PLAN } from "../../../src/turn/stream-plan.js";
import type { Turn } from "../../../src/turn/turn.js";

/** The effect of a fake rail on a text: a refusal, another text, or nothing. */
export type FakeRail = (
  text: string,
  call: { readonly config: RunnableConfig; readonly subject: RailSubject },
) =>
  | { readonly block: string }
  | { readonly text: string }
  | undefined
  | Promise<{ readonly block: string } | undefined>;

export interface FakeOptions {
  readonly input?: FakeRail;
  readonly output?: FakeRail;
  readonly retrieval?: FakeRail;
  /** Texts to which a flow responds. */
  readonly says?: Readonly<Record<string, string>>;
  readonly hasMain?: boolean;
  readonly exception?: boolean;
  readonly passthrough?: boolean | null;
  readonly checkAll?: boolean;
  readonly onBlocked?: OnBlocked;
  readonly rawTokens?: RawTokens;
}

/** Every call of the fake, by its method. */
export interface Recorded {
  readonly method: string;
  readonly argument: unknown;
  readonly options: TurnOptions | undefined;
}

/** A guardrails object over the real runtime, with a dialect whose rails are plain functions. */
export function fakeGuardrails(options: FakeOptions = {}): { guardrails: Guardrails; calls: Recorded[] } {
  const dialect = new FakeHost(options);
  const runtime = new Runtime(dialect);
  const { rawTokens = "suppress", onBlocked } = options;
  const { timeout_ms: stallMs } = runtime.config.settings.actions;
  const host = { runtime, logger: console, rawTokens, onBlocked, stallMs } as const;
  return {
    guardrails: new Guardrails({ ...host, streaming: DEFAULT_STREAM_PLAN, history: "rewrite" }),
    calls: dialect.calls,
  };
}

const STAGES = ["input", "output", "retrieval"] as const;

class FakeHost implements DialectHost {
  readonly calls: Recorded[] = [];
  readonly warnings = [];
  readonly programHash = "fake";
  readonly hasInputFlow = false;
  readonly hasFlow = (): boolean => true;
  readonly hasDialog: boolean;
  readonly models = { byType: {} };
  readonly main: LanguageModel | undefined;
  readonly services: RailServices;
  readonly #options: FakeOptions;

  constructor(options: FakeOptions) {
    this.#options = options;
    this.hasDialog = options.says !== undefined;
    this.main = options.hasMain === true ? adaptModel(scriptedModel([])) : undefined;
    const stage = (name: RailsStage) => ({
      flows: options[name] === undefined ? [] : [`${name} rail`],
      shadow: [],
      parallel: false,
      speculative: false,
      apply_to_reasoning_traces: false,
      check_predefined: false,
    });
    const none = { flows: [], shadow: [], per_tool: {}, shadow_per_tool: {}, parallel: false };
    const settings = {
      passthrough: options.passthrough ?? null,
      security: { check_all_user_messages: options.checkAll ?? true },
      enable_rails_exceptions: options.exception === true,
      actions: { timeout_ms: 60_000 },
      rails: { ...Object.fromEntries(STAGES.map((name) => [name, stage(name)])), tool_output: none, tool_input: none },
    };
    const config = { settings } as unknown as RailsConfig;
    const traits = {
      rewrites: true,
      rewritesText: false,
      isKnown: true,
      readsAll: true,
      reads: new Set<string>(),
      writes: new Set<string>(),
    };
    this.services = {
      config,
      awaited: new Set(),
      railPlans: createRailPlans(config.settings, () => traits),
      rails: this.#dialect(),
      clock: systemClock,
      limits: DEFAULT_LIMITS,
      tracker: callbackTracker,
      timeoutMs: 30_000,
      onError: "block",
    };
  }

  get stages(): RailServices {
    return this.services;
  }

  /** The fake reviews only whole responses. */
  #dialect(): RailDialect {
    return {
      isWritten: () => false,
      has: () => true,
      names: [],
      needsEvidence: () => false,
      stageOf: () => undefined,
      scopeOf: () => "answer",
      rewritesResponse: () => false,
      emitsReviewedText: () => false,
      refusal: async () => undefined,
      run: (start) => this.#run(start),
    };
  }

  async #run({ request, config }: RailStart): Promise<RailRun> {
    const stage = request.stage as RailsStage;
    const name = REWRITTEN[stage];
    const text = String(request.context[name] ?? "");
    const { user_message, bot_message, relevant_chunks_sep: chunks } = request.context;
    const subject: RailSubject = {
      ...(user_message === undefined ? {} : { userMessage: String(user_message) }),
      ...(bot_message === undefined ? {} : { botMessage: String(bot_message) }),
      ...(chunks === undefined ? {} : { relevantChunks: chunks as string[] }),
    };
    this.calls.push({ method: `stage:${stage}`, argument: subject, options: request.turn.options });
    const outcome = await this.#options[stage]?.(text, { config, subject });
    const passed = { context: request.context, isBlocked: false, utterances: [], entries: [] };
    if (outcome === undefined) return passed;
    if ("text" in outcome) return { ...passed, context: { ...request.context, [name]: outcome.text } };
    if (this.#options.exception !== true) return { ...passed, isBlocked: true, utterances: [outcome.block] };
    return { ...passed, isBlocked: true, exception: { type: "InputRailException", message: outcome.block } };
  }

  async takeTurn(turn: Turn, messages: readonly TurnMessage[], kept: { readonly keep: boolean }): Promise<TakenTurn> {
    const { options } = turn;
    this.calls.push({ method: "turn", argument: messages, options });
    try {
      const { userTexts, extras = turn.extras } = readMessages(messages);
      turn.userTexts = [...userTexts];
      turn.extras = extras;
      const result = await this.#answer(turn, options);
      const state = kept.keep ? { version: 1 } : undefined;
      return { result: options.state === undefined ? result : { ...result, state }, state };
    } finally {
      turn.close();
    }
  }

  async #answer(turn: Turn, options: TurnOptions): Promise<TurnResult> {
    const before = [...turn.userTexts];
    const input = await this.#stage(turn, "input", { user_message: turn.userTexts.at(-1) ?? "" });
    if (input.blocked) return result(turn, input.exception === undefined ? "blocked" : "exception", input.refusal);
    const userMessages = [...turn.readTexts];
    const userMessage = turn.userTexts.at(-1) ?? "";
    const said = this.#options.says?.[userMessage];
    if (said !== undefined) return result(turn, "answered", said);
    const config = options.config ?? {};
    const signal = turn.cancellation.signal;
    const rewritten = turn.userTexts.some((text, index) => text !== before[index]);
    const generated: GeneratedResponse = options.generator
      ? await options.generator({ userMessage, userMessages, rewritten, context: {}, config, signal })
      : await this.#ask(userMessage, options, signal);
    const output = await this.#stage(turn, "output", { user_message: userMessage, bot_message: generated.text });
    if (output.blocked) return result(turn, output.exception === undefined ? "blocked" : "exception", output.refusal);
    const text = String(output.contextUpdates?.["bot_message"] ?? generated.text);
    return { ...result(turn, "answered", text), generated };
  }

  #stage(turn: Turn, stage: RailsStage, context: Readonly<Record<string, unknown>>) {
    const { cancellation, options } = turn;
    const request = { turn, stage, context, config: options.config ?? {}, cancellation, past: () => [] };
    return runRailsOfStage(this.services, request);
  }

  async #ask(text: string, options: TurnOptions, signal: AbortSignal): Promise<GeneratedResponse> {
    if (options.main === undefined) return { text: `main answers ${text}` };
    const prompt = { kind: "messages", messages: [{ type: "user", content: text }] } as const;
    return { text: (await options.main.generate(prompt, {}, { config: options.config ?? {}, signal })).text };
  }

  awaits(): boolean {
    return false;
  }

  openSession(): never {
    throw new Error("there is no session here");
  }

  async runFlow(_turn: Turn, flow: string, { history: messages, context: variables }: StageInput) {
    this.calls.push({ method: "flow", argument: { flow, messages, variables }, options: undefined });
    return { messages: [], variables, events: [], status: "finished" as const };
  }

  async canonicalForm(_turn: Turn, text: string, history: readonly TurnMessage[]) {
    this.calls.push({ method: "canonicalForm", argument: { text, history }, options: undefined });
    return { intent: `ask about ${text}`, score: 0.9, alternatives: [], source: "embeddings" as const };
  }

  async nextStep(_turn: Turn, intent: string, history: readonly TurnMessage[]) {
    this.calls.push({ method: "nextStep", argument: { intent, history }, options: undefined });
    return { intent: `answer: ${intent}`, source: "flow" as const };
  }

  async botMessage(_turn: Turn, intent: string, given: { readonly context: object; readonly history: unknown }) {
    this.calls.push({ method: "botMessage", argument: { intent, ...given }, options: undefined });
    return { text: `bot says ${intent}`, source: "llm" as const };
  }
}

function result(turn: Turn, status: "answered" | "blocked" | "exception", text = ""): TurnResult {
  const raised = status === "exception";
  return {
    status,
    text: raised ? "" : text,
    utterances: [text],
    ...(raised ? { exception: { type: "InputRailException", message: "REFUSED" } } : {}),
    decisions: turn.decisions,
    verdict: summarizeDecisions(turn.decisions),
    userMessage: turn.userTexts.at(-1) ?? "",
    userMessages: [...turn.userTexts],
    log: {
      stats: {} as TurnResult["log"]["stats"],
      errors: [],
      warnings: [],
      llmCalls: [],
      colangHistory: "history",
      why: (flow) => ({ flow, outcome: "unseen", reasons: [] }),
    },
  };
}

/** Blocks texts with `bad`, hides digits, passes the rest. */
export const strictRail: FakeRail = (text) => {
  if (text.includes("bad")) return { block: "REFUSED" };
  const masked = text.replaceAll(/\d/g, "*");
  return masked === text ? undefined : { text: masked };
};
