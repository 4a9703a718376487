import { checkOptions, type OptionTable } from "../../diagnostics/options.js";
import { takeSample } from "../dataset/sample.js";
import { takeExamples, type TopicalDataset } from "../dataset/topical.js";
import type { Guardrails } from "../../langchain/guardrails.js";
import { DEFAULT_SEED, RUN_OPTIONS, type RunOptions, runSamples } from "./run-samples.js";
import { readSampleError } from "./sample-error.js";
import { colangIntent } from "./topical-content.js";
import { type BotSteps, readBotSteps } from "./topical-steps.js";
import { summarizeTopical, type TopicalOutcome, type TopicalPrediction, type TopicalResult } from "./topical-result.js";
import { createUsageMeter } from "./usage-meter.js";

export interface TopicalOptions extends RunOptions {
  /** How many examples of every intent the configuration was made with; for the report. */
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
 * How well a guardrails object understands: every test utterance opens a conversation of its own. The user intent is right
 * when it is the expected one to the letter. Where it is, next step and message are; where it is not, they are right
 * when they come out the same nevertheless. Steps and messages only count where a flow and a predefined message say
 * what is right.
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

/** Whether the bot's intent and message come out right. What the flows say about the expected intent is the measure. */
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
