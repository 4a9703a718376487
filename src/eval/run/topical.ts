import { omitUndefined } from "../../engine/plain-data.js";
import { checkOptions, type OptionTable } from "../../diagnostics/options.js";
import { groupBy } from "../dataset/sample.js";
import { takeExamples, type TopicalDataset } from "../dataset/topical.js";
import type { Guardrails } from "../../langchain/guardrails.js";
import { DEFAULT_SEED, RUN_OPTIONS, type Outcome, type RunOptions, runSamples } from "./run-samples.js";
import { readSampleError } from "./ask.js";
import { summarizeTopical, takeQuestions, type TopicalPrediction, type TopicalResult } from "./topical-result.js";
import { type NamedCost, UsageMeter } from "../metrics/cost.js";
import type { RunnableConfig } from "@langchain/core/runnables";
import { GuardrailsError } from "../../diagnostics/errors.js";
import type { ConfigContent } from "../../config/load/load-options.js";
import type { IntentExample } from "../../retrieval/matcher/examples.js";

export interface TopicalOptions extends RunOptions {
  /** Number of examples of every intent in the configuration, for the report. */
  readonly examplesPerIntent?: number | "all" | undefined;
  readonly name?: string | undefined;
}

const OPTIONS: OptionTable<TopicalOptions> = { ...RUN_OPTIONS, examplesPerIntent: "any", name: "text" };

/**
 * Evaluates dialog understanding: every test utterance starts a conversation. The user intent must match exactly. If it
 * does, so do next step and message; otherwise, they are right if they match nevertheless. Steps and messages only
 * count if a flow and a predefined message define the right one.
 *
 * @example
 * ```ts
 * const examples = takeExamples(dataset.examples, 3);
 * const guardrails = await Guardrails.fromConfig(topicalContent(examples), { llm });
 * const { userIntent, botIntent } = await evaluateTopical(dataset, guardrails, { examplesPerIntent: 3 });
 * ```
 */
export async function evaluateTopical(
  dataset: TopicalDataset,
  guardrails: Guardrails,
  options: TopicalOptions = {},
): Promise<TopicalResult> {
  checkOptions("evaluateTopical", options, OPTIONS);
  const { examplesPerIntent = "all", name = "model", seed = DEFAULT_SEED, now = () => performance.now() } = options;
  const examples = takeExamples(dataset.examples, examplesPerIntent);
  const known = new Set(examples.map(({ intent }) => colangIntent(intent)));
  const questions = takeQuestions(dataset, options);
  const judgeSteps = createStepJudge(guardrails);
  const form = guardrails.canonicalForm();
  const ask = async (
    { text, intent, line }: (typeof questions)[number],
    signal: AbortSignal,
  ): Promise<Outcome<TopicalPrediction>> => {
    const meter = new UsageMeter();
    const askedAt = now();
    const costs = (): NamedCost[] => [["user intent", { durationMs: now() - askedAt, usage: meter.usage }]];
    const expected = intent === undefined ? undefined : colangIntent(intent);
    const base = omitUndefined({ line, expected });
    try {
      const found = await form.invoke({ input: text }, { signal, callbacks: [meter] });
      const spent = costs();
      const steps = expected === undefined ? {} : await judgeSteps(text, expected, found.intent, signal);
      const score = omitUndefined({ score: found.score ?? undefined });
      const prediction = { ...base, predicted: found.intent, ...score, abstained: !known.has(found.intent), ...steps };
      return { prediction, costs: spent };
    } catch (error) {
      const message = readSampleError(error, signal);
      return { prediction: { ...base, abstained: false, error: message }, costs: costs() };
    }
  };
  const outcomes = await runSamples(`${dataset.name}, k=${examplesPerIntent}`, questions, ask, options);
  const counts = { intents: known.size, examples: examples.length };
  return summarizeTopical({ dataset: dataset.name, system: name, examplesPerIntent, seed, ...counts }, outcomes);
}

/** The step that should follow an intent. */
interface ExpectedStep {
  readonly botIntent: string;
  /** Undefined if the message is not predefined. */
  readonly botMessage: string | undefined;
}

/** Judges the bot's intent and message by what the flows define for the expected intent. Flows run once per intent. */
function createStepJudge(guardrails: Guardrails) {
  const nextStep = guardrails.nextStep();
  const known = new Map<string, Promise<ExpectedStep | undefined>>();
  const readMessage = async (botIntent: string): Promise<string | undefined> => {
    const message = await withoutModels((options) => guardrails.botMessage().invoke(botIntent, options));
    return message?.source === "predefined" ? message.text : undefined;
  };
  const readStep = async (intent: string): Promise<ExpectedStep | undefined> => {
    const step = await withoutModels((options) => nextStep.invoke(intent, options));
    if (step?.source !== "flow" || step.intent === undefined) return undefined;
    return { botIntent: step.intent, botMessage: await readMessage(step.intent) };
  };
  return async (
    text: string,
    expected: string,
    predicted: string,
    signal: AbortSignal,
  ): Promise<Pick<TopicalPrediction, "botIntent" | "botMessage">> => {
    const asked = known.get(expected) ?? readStep(expected);
    known.set(expected, asked);
    const wanted = await asked;
    if (wanted === undefined) return {};
    const input = { intent: predicted, messages: [{ role: "user", content: text }] };
    const step = predicted === expected ? wanted.botIntent : (await nextStep.invoke(input, { signal })).intent;
    const botIntent = step === wanted.botIntent;
    if (wanted.botMessage === undefined) return { botIntent };
    if (botIntent || step === undefined) return { botIntent, botMessage: botIntent };
    return { botIntent, botMessage: (await readMessage(step)) === wanted.botMessage };
  };
}

/**
 * Runs a stage as far as flows and predefined messages carry it: the first model call is aborted before it is made, and
 * the result is then undefined.
 */
async function withoutModels<Value>(
  stage: (options: Partial<RunnableConfig>) => Promise<Value>,
): Promise<Value | undefined> {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  const handler = {
    name: "evaluation without models",
    awaitHandlers: true,
    handleLLMStart: abort,
    handleChatModelStart: abort,
  } as const;
  try {
    return await stage({ signal: controller.signal, callbacks: [handler] });
  } catch (error) {
    // Without a main model, the stage fails if it needs one.
    if (controller.signal.aborted || GuardrailsError.isInstance(error)) return undefined;
    throw error;
  }
}

const NOT_IN_A_NAME = /[^\p{L}\p{N}_ -]+/gu;

/**
 * The name of an intent as Colang writes it, with invalid characters replaced by spaces.
 *
 * @example
 * ```ts
 * colangIntent("What's new?"); // "What s new"
 * ```
 */
export function colangIntent(intent: string): string {
  const name = intent.replace(NOT_IN_A_NAME, " ").replace(/\s+/g, " ").trim();
  return name === "" ? "unnamed" : name;
}

/** Examples as a configuration of user messages, to be combined with one that brings models, flows and messages. */
export function topicalContent(examples: readonly IntentExample[]): ConfigContent {
  const blocks = [...groupBy(examples, ({ intent }) => colangIntent(intent))];
  const written = blocks.map(([name, own]) => [`define user ${name}`, ...own.map(({ text }) => `  ${quote(text)}`)]);
  const colang = written.map((lines) => lines.join("\n")).join("\n\n");
  return { files: { "evaluation/examples.co": `${colang}\n` } };
}

function quote(text: string): string {
  const oneLine = text.replace(/\s+/g, " ").trim();
  return `"${oneLine.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
