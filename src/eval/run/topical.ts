import { checkOptions, type OptionTable } from "../../diagnostics/options.js";
import { groupBy, takeSample } from "../dataset/sample.js";
import { takeExamples, type TopicalDataset } from "../dataset/topical.js";
import type { Guardrails } from "../../langchain/guardrails.js";
import { DEFAULT_SEED, RUN_OPTIONS, type RunOptions, runSamples } from "./run-samples.js";
import { readSampleError } from "./ask.js";
import { summarizeTopical, type TopicalOutcome, type TopicalPrediction, type TopicalResult } from "./topical-result.js";
import { createUsageMeter } from "../metrics/cost.js";
import type { CallbackHandlerMethods } from "@langchain/core/callbacks/base";
import { GuardrailsError } from "../../diagnostics/errors.js";
import type { ConfigContent } from "../../config/load/load-options.js";
import type { IntentExample } from "../../retrieval/matcher/intent-matcher.js";

export interface TopicalOptions extends RunOptions {
  /** Number of examples of every intent in the configuration, for the report. */
  readonly examplesPerIntent?: number | "all" | undefined;
  readonly name?: string | undefined;
}

const OPTIONS: OptionTable<TopicalOptions> = { ...RUN_OPTIONS, examplesPerIntent: "any", name: "text" };

interface Question {
  readonly text: string;
  readonly intent?: string;
  readonly line: number;
}

/**
 * Evaluates how well a guardrails object understands: every test utterance opens a conversation of its own. The user intent is right
 * when it is the expected one to the letter. Where it is, next step and message are; where it is not, they are right
 * when they come out the same nevertheless. Steps and messages only count where a flow and a predefined message define
 * the right one.
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
  const { examplesPerIntent = "all", seed = DEFAULT_SEED, limit, now = () => performance.now() } = options;
  const examples = takeExamples(dataset.examples, examplesPerIntent);
  const known = new Set(examples.map(({ intent }) => colangIntent(intent)));
  const tests: readonly Question[] = takeSample(dataset.tests, limit, { seed, classOf: ({ intent }) => intent });
  const questions = [...tests, ...takeSample(dataset.outOfScope, limit, { seed })];
  const steps = readBotSteps(guardrails);
  const form = guardrails.canonicalForm();
  const ask = async ({ text, intent, line }: Question, signal: AbortSignal): Promise<TopicalOutcome> => {
    const meter = createUsageMeter();
    const askedAt = now();
    const expected = intent === undefined ? undefined : colangIntent(intent);
    const base = { line, ...(expected === undefined ? {} : { expected }) };
    try {
      const found = await form.invoke({ input: text }, { signal, callbacks: [meter.handler] });
      const cost = { durationMs: now() - askedAt, usage: meter.usage() };
      const prediction: TopicalPrediction = {
        ...base,
        predicted: found.intent,
        ...(found.score === null ? {} : { score: found.score }),
        abstained: !known.has(found.intent),
        ...(expected === undefined ? {} : await judgeSteps(steps, { text, expected, predicted: found.intent, signal })),
      };
      return { prediction, cost };
    } catch (error) {
      const message = readSampleError(error, signal);
      const cost = { durationMs: now() - askedAt, usage: meter.usage() };
      return { prediction: { ...base, abstained: false, error: message }, cost };
    }
  };
  const outcomes = await runSamples(`${dataset.name}, k=${examplesPerIntent}`, questions, ask, options);
  return summarizeTopical(
    {
      dataset: dataset.name,
      system: options.name ?? "model",
      examplesPerIntent,
      seed,
      intents: known.size,
      examples: examples.length,
    },
    outcomes,
  );
}

interface Understood {
  readonly text: string;
  readonly expected: string;
  readonly predicted: string;
  readonly signal: AbortSignal;
}

/** Judges the bot's intent and message by what the flows define for the expected intent. */
async function judgeSteps(
  steps: BotSteps,
  { text, expected, predicted, signal }: Understood,
): Promise<Pick<TopicalPrediction, "botIntent" | "botMessage">> {
  const wanted = await steps.expected(expected);
  if (wanted === undefined) return {};
  const isUnderstood = predicted === expected;
  const step = isUnderstood ? wanted.botIntent : await steps.next(predicted, text, signal);
  const botIntent = step === wanted.botIntent;
  if (wanted.botMessage === undefined) return { botIntent };
  if (botIntent) return { botIntent, botMessage: true };
  const message = step === undefined ? undefined : await steps.message(step);
  return { botIntent, botMessage: message === wanted.botMessage };
}

/** The step that should follow an intent. */
interface ExpectedStep {
  readonly botIntent: string;
  /** Absent when the message is not predefined. */
  readonly botMessage?: string;
}

/** The second and third stage of the process, as an evaluation asks for them. */
interface BotSteps {
  /** The step that flows define, without a model; undefined if they define none. */
  expected(intent: string): Promise<ExpectedStep | undefined>;
  /** The bot intent after an utterance that was understood so. */
  next(intent: string, text: string, signal: AbortSignal): Promise<string | undefined>;
  /** The predefined text of a bot intent; undefined where a model would have to word it. */
  message(botIntent: string): Promise<string | undefined>;
}

/** Reads steps from the public stages of a guardrails object. Flows are asked once per intent. */
function readBotSteps(guardrails: Guardrails): BotSteps {
  const nextStep = guardrails.nextStep();
  const known = new Map<string, Promise<ExpectedStep | undefined>>();
  return {
    expected: (intent) => {
      const asked = known.get(intent) ?? askFlows(guardrails, intent);
      known.set(intent, asked);
      return asked;
    },
    next: async (intent, text, signal) => {
      const messages = [{ role: "user", content: text }];
      return (await nextStep.invoke({ intent, messages }, { signal })).intent;
    },
    message: (botIntent) => predefinedMessage(guardrails, botIntent),
  };
}

async function askFlows(guardrails: Guardrails, intent: string): Promise<ExpectedStep | undefined> {
  const step = await withoutModels((options) => guardrails.nextStep().invoke(intent, options));
  if (step?.source !== "flow" || step.intent === undefined) return undefined;
  const botMessage = await predefinedMessage(guardrails, step.intent);
  return { botIntent: step.intent, ...(botMessage === undefined ? {} : { botMessage }) };
}

async function predefinedMessage(guardrails: Guardrails, botIntent: string): Promise<string | undefined> {
  const message = await withoutModels((options) => guardrails.botMessage().invoke(botIntent, options));
  return message?.source === "predefined" ? message.text : undefined;
}

interface ModelFreeOptions {
  readonly signal: AbortSignal;
  readonly callbacks: (CallbackHandlerMethods & { readonly name: string; readonly awaitHandlers: true })[];
}

/**
 * Runs a stage as far as flows and predefined messages carry it: the first model call is aborted before it is made, and
 * the result is then undefined.
 */
async function withoutModels<Value>(stage: (options: ModelFreeOptions) => Promise<Value>): Promise<Value | undefined> {
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
    // Without a main model the stage fails of itself where it would need one.
    if (controller.signal.aborted || GuardrailsError.isInstance(error)) return undefined;
    throw error;
  }
}

const NOT_IN_A_NAME = /[^\p{L}\p{N}_ -]+/gu;

/**
 * The name of an intent as Colang writes it: what cannot stand in a name becomes a blank.
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
