import type { RunnableConfig } from "@langchain/core/runnables";
import type { RailsConfig } from "../../src/config/rails-config.js";
import { Guardrails } from "../../src/langchain/guardrails.js";
import { callbackTracker, type RawTokens } from "../../src/langchain/callbacks.js";
import type { OnBlocked } from "../../src/langchain/call.js";
import { summarizeDecisions, type RailDecision, type RailStage } from "../../src/turn/decision.js";
import type { TurnMessage, TurnOptions } from "../../src/turn/options.js";
import type { RailSubject, StageResult, TurnResult } from "../../src/turn/result.js";
import type { Runtime, StageReview } from "../../src/runtime/port.js";

/** What a rail of the fake makes of a text: a refusal, another text, or nothing. */
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
  /** Texts that a flow answers. */
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

/** A guardrails object over a runtime whose rails are plain functions. */
export function fakeGuardrails(options: FakeOptions = {}): { guardrails: Guardrails; calls: Recorded[] } {
  const runtime = new FakeRuntime(options);
  const { rawTokens = "suppress", onBlocked } = options;
  const host = { runtime, logger: console, rawTokens, onBlocked } as const;
  return { guardrails: new Guardrails(host), calls: runtime.calls };
}

class FakeRuntime implements Runtime {
  readonly calls: Recorded[] = [];
  readonly warnings = [];
  readonly config: RailsConfig;
  readonly hasDialog: boolean;
  readonly hasMain: boolean;
  readonly #options: FakeOptions;

  async awaitsResult(): Promise<boolean> {
    return false;
  }

  asksAhead(): boolean {
    return false;
  }

  constructor(options: FakeOptions) {
    this.#options = options;
    this.hasDialog = options.says !== undefined;
    this.hasMain = options.hasMain ?? false;
    const settings = {
      passthrough: options.passthrough ?? null,
      security: { check_all_user_messages: options.checkAll ?? true },
    };
    this.config = { settings } as unknown as RailsConfig;
  }

  railNames(stage: "input" | "output" | "retrieval"): readonly string[] {
    return this.#options[stage] === undefined ? [] : [`${stage} rail`];
  }

  async runStage(
    stage: "input" | "output" | "retrieval",
    subject: RailSubject,
    options: TurnOptions = {},
  ): Promise<StageResult> {
    this.calls.push({ method: `stage:${stage}`, argument: subject, options });
    const chunks = [subject.relevantChunks ?? []].flat().join("\n");
    const text = { input: subject.userMessage, output: subject.botMessage, retrieval: chunks }[stage] ?? "";
    const outcome = await this.#runRail(stage, text, subject, options);
    const texts = {
      userMessage: subject.userMessage ?? "",
      botMessage: subject.botMessage ?? "",
      relevantChunks: chunks,
    };
    const changed = { input: "userMessage", output: "botMessage", retrieval: "relevantChunks" }[stage];
    return {
      ...texts,
      [changed]: outcome.text,
      status: outcome.decisions.at(-1)?.status ?? "passed",
      decisions: outcome.decisions,
      verdict: summarizeDecisions(outcome.decisions),
      ...(outcome.refusal === undefined ? {} : { refusal: outcome.refusal }),
    };
  }

  /** The fake reviews whole answers only. */
  openSession(): never {
    throw new Error("there is no session here");
  }

  openReview(_subject: RailSubject, options: TurnOptions = {}): StageReview {
    return { finish: (subject) => this.runStage("output", subject, options), close: () => undefined };
  }

  async turn(messages: readonly TurnMessage[], options: TurnOptions = {}): Promise<TurnResult> {
    this.calls.push({ method: "turn", argument: messages, options });
    const last = messages.findLastIndex((message) => message.role === "assistant");
    const texts = messages.slice(last + 1).flatMap((message) => (message.role === "user" ? [message.content] : []));
    const decisions: RailDecision[] = [];
    const checked: string[] = [];
    for (const text of options.rails?.input === false ? [] : texts) {
      const outcome = await this.#runRail("input", text, { userMessage: text }, options);
      decisions.push(...outcome.decisions);
      if (outcome.refusal !== undefined) return this.#result("blocked", outcome.refusal, decisions, options);
      checked.push(outcome.text);
    }
    const userMessages = checked.length > 0 ? checked : texts;
    const userMessage = userMessages.at(-1) ?? "";
    const said = this.#options.says?.[userMessage];
    if (said !== undefined) return this.#result("answered", said, decisions, options);
    const config = options.config ?? {};
    const signal = config.signal ?? new AbortController().signal;
    const rewritten = userMessages.some((text, index) => text !== texts[index]);
    const generated = options.generator
      ? await options.generator({ userMessage, userMessages, rewritten, context: {}, config, signal })
      : await this.#ask(userMessage, options, config, signal);
    const outcome = await this.#runRail("output", generated.text, { botMessage: generated.text }, options);
    decisions.push(...outcome.decisions);
    if (outcome.refusal !== undefined) return this.#result("blocked", outcome.refusal, decisions, options);
    return { ...this.#result("answered", outcome.text, decisions, options), generated };
  }

  async runRail(reference: string, subject: RailSubject, options: TurnOptions = {}): Promise<RailDecision> {
    this.calls.push({ method: "rail", argument: { reference, subject }, options });
    const stage = subject.botMessage === undefined ? "input" : "output";
    const outcome = await this.#runRail(stage, subject.botMessage ?? subject.userMessage ?? "", subject, options);
    return outcome.decisions[0] ?? { status: "passed", stage, rail: reference, durationMs: 0 };
  }

  toolRails(): readonly string[] {
    return [];
  }

  async checkTool() {
    return { status: "passed" as const, result: "", decisions: [], verdict: summarizeDecisions([]) };
  }

  async runFlow(flow: string, messages: readonly TurnMessage[], variables: Readonly<Record<string, unknown>>) {
    this.calls.push({ method: "flow", argument: { flow, messages, variables }, options: undefined });
    return { messages: [], variables, events: [], status: "finished" as const };
  }

  async canonicalForm(text: string, history: readonly TurnMessage[]) {
    this.calls.push({ method: "canonicalForm", argument: { text, history }, options: undefined });
    return { intent: `ask about ${text}`, score: 0.9, alternatives: [], source: "embeddings" as const };
  }

  async nextStep(intent: string, history: readonly TurnMessage[]) {
    this.calls.push({ method: "nextStep", argument: { intent, history }, options: undefined });
    return { intent: `answer: ${intent}`, source: "flow" as const };
  }

  async botMessage(intent: string, context: Readonly<Record<string, unknown>>, history: readonly TurnMessage[]) {
    this.calls.push({ method: "botMessage", argument: { intent, context, history }, options: undefined });
    return { text: `bot says ${intent}`, source: "llm" as const };
  }

  async #ask(text: string, options: TurnOptions, config: RunnableConfig, signal: AbortSignal) {
    if (options.main === undefined) return { text: `main answers ${text}` };
    const prompt = { kind: "messages", messages: [{ type: "user", content: text }] } as const;
    return { text: (await options.main.generate(prompt, {}, { config, signal })).text };
  }

  async #runRail(stage: "input" | "output" | "retrieval", text: string, subject: RailSubject, options: TurnOptions) {
    const rail = this.#options[stage];
    if (rail === undefined || options.rails?.[stage] === false) return { text, decisions: [] };
    const name = `${stage} rail`;
    const scope = await callbackTracker.start(options.config, {
      name: `rail:${name}`,
      tags: [`guardrails:${stage}`],
      metadata: { guardrails_stage: stage },
      input: text,
    });
    const outcome = await rail(text, { config: scope.config, subject });
    scope.end({});
    const decision = (status: RailDecision["status"]): RailDecision => ({
      status,
      stage: stage satisfies RailStage,
      rail: name,
      durationMs: 1,
    });
    if (outcome === undefined) return { text, decisions: [decision("passed")] };
    if ("block" in outcome) return { text, decisions: [decision("blocked")], refusal: outcome.block };
    return { text: outcome.text, decisions: [decision("modified")] };
  }

  #result(status: "answered" | "blocked", text: string, decisions: RailDecision[], options: TurnOptions): TurnResult {
    const raised = status === "blocked" && this.#options.exception === true;
    return {
      status: raised ? "exception" : status,
      text: raised ? "" : text,
      utterances: [text],
      ...(raised ? { exception: { type: "InputRailException", message: text } } : {}),
      decisions,
      verdict: summarizeDecisions(decisions),
      userMessage: "",
      log: {
        stats: {} as TurnResult["log"]["stats"],
        errors: [],
        warnings: [],
        llmCalls: [],
        colangHistory: "history",
        why: (flow) => ({ flow, outcome: "unseen", reasons: [] }),
      },
      ...(options.state === undefined ? {} : { state: { version: 1 } }),
    };
  }
}

/** Blocks texts with `bad`, hides digits, passes the rest. */
export const strictRail: FakeRail = (text) => {
  if (text.includes("bad")) return { block: "REFUSED" };
  const masked = text.replaceAll(/\d/g, "*");
  return masked === text ? undefined : { text: masked };
};
