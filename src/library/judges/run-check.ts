import type { ActionContext } from "../../actions/action.js";
import type { ImageBlock } from "../../actions/image-slot.js";
import { LimitError, ModelError, OutputParseError } from "../../diagnostics/errors.js";
import { type LanguageModel, modelForTask, modelOfType } from "../../llm/model.js";
import type { TaskResult } from "../../llm/task/task.js";
import { promptLength } from "../../llm/prompts/prompt-text.js";
import { VERDICT_FORMAT, type CheckVerdict, type JudgeQuestion, readReply } from "./judge-reply.js";
import { repliesFor } from "./verdict-cache.js";

export interface Check<Verdict extends string> {
  readonly task: string;
  /** Type of the model; default: the model of the task, else the main model. */
  readonly modelType?: string | undefined;
  /** Text to check; a long text is checked in parts. */
  readonly text: string;
  /** Returns the variables of the prompt for one part. `isPart` is true if the whole text exceeds the prompt. */
  readonly variables: (part: string, isPart: boolean) => Readonly<Record<string, unknown>>;
  readonly question: JudgeQuestion<Verdict>;
  /** Verdict on one part that decides about the whole text. */
  readonly decidedBy: Verdict;
  /** Pictures that belong to the text; default: none. */
  readonly images?: readonly ImageBlock[] | undefined;
  /** True if the variables differ at every call, so that a cache is of no use; default: false. */
  readonly varies?: boolean;
}

/** Default limit of completion tokens; it includes the reasoning of a model. */
const MAX_TOKENS = 1024;

/**
 * Asks a model for a verdict on a text. After an unclear reply, asks once more for a stricter format, unless the prompt has its
 * own output parser. The second request uses structured output if the model supports it and the prompt is built-in. A text that
 * exceeds the prompt is checked in overlapping parts.
 *
 * @throws OutputParseError if no reply is clear, LimitError (RL-106) if the text is too long even for parts, or (PR-107) if the prompt is without it,
 * ModelError if there is no model or its call fails
 */
export async function runCheck<Verdict extends string>(
  check: Check<Verdict>,
  context: ActionContext,
): Promise<CheckVerdict<Verdict>> {
  const { task, modelType } = check;
  const model = modelType === undefined ? modelForTask(context.models, task) : modelOfType(context.models, modelType);
  if (!model) throw noModel(task, modelType);
  const ask = (part: string, isPart: boolean): Promise<CheckVerdict<Verdict>> =>
    askForVerdict(check, check.variables(part, isPart), model, context);
  try {
    return await ask(check.text, false);
  } catch (error) {
    if (!LimitError.isInstance(error) || error.code !== "PR-107") throw error;
    let last: CheckVerdict<Verdict> | undefined;
    let isCached = true;
    const room = await roomForText(check, model, context, error.maximum);
    if (room <= 0) throw noRoom(task, error);
    for (const part of splitText(check.text, room)) {
      const { isCached: known = false, ...verdict } = await ask(part, true);
      isCached = isCached && known;
      last = isCached ? { ...verdict, isCached } : verdict;
      if (last.verdict === check.decidedBy) return last;
    }
    if (last) return last;
    throw new OutputParseError("a text without parts has no verdict");
  }
}

export function noModel(task: string, modelType = "main"): ModelError {
  const message = `no model for the task \`${task}\`: add one with \`type: ${modelType}\` to \`models\``;
  return new ModelError(message, { code: "CF-119", task });
}

function noRoom(task: string, { limit, maximum }: LimitError): LimitError {
  const message = `the prompt of the task \`${task}\` is over its limit of ${maximum} characters without the text that it judges: shorten its policies, or raise \`${limit}\` of the prompt`;
  return new LimitError(message, { limit, maximum, code: "PR-107" });
}

/** Returns the number of characters that the prompt has room for. */
async function roomForText<Verdict extends string>(
  check: Check<Verdict>,
  model: LanguageModel,
  context: ActionContext,
  maximum: number,
): Promise<number> {
  try {
    await context.tasks.load();
    const { prompt } = context.tasks.render({
      task: check.task,
      model,
      events: () => context.events,
      context: context.context,
      variables: check.variables("", true),
    });
    return maximum - promptLength(prompt);
  } catch (error) {
    if (LimitError.isInstance(error)) return 0;
    throw error;
  }
}

async function askForVerdict<Verdict extends string>(
  check: Check<Verdict>,
  variables: Readonly<Record<string, unknown>>,
  model: LanguageModel,
  context: ActionContext,
): Promise<CheckVerdict<Verdict>> {
  const request = {
    task: check.task,
    model,
    events: () => context.events,
    context: context.context,
    variables,
    images: check.images,
    parameters: { temperature: context.config.lowest_temperature, maxTokens: MAX_TOKENS },
    scope: { ...context.scope, findDefects: true },
    replies: check.varies === true ? undefined : repliesFor(context, model),
  };
  const { question } = check;
  const first = await context.tasks.run(request);
  const reading = readReply(first, question);
  if (reading.ok) return keepVerdict(reading, first);
  if (first.outputParser !== undefined) throw unclear(check.task, reading.problem);
  const isStructured = model.structuredOutput === true && !first.isConfigured;
  const second = await context.tasks.run({
    ...request,
    parameters: { ...request.parameters, ...(isStructured ? { format: VERDICT_FORMAT } : {}) },
    followUp: isStructured ? question.structuredFormat : question.strictFormat,
  });
  const strict = readReply(second, question);
  if (strict.ok) return keepVerdict(strict, second);
  throw unclear(check.task, `${strict.problem}, also when asked again in a stricter format`);
}

/** Stores the reply in the cache. INVARIANT: neither unclear replies nor those with a defect are stored. */
async function keepVerdict<Verdict extends string>(
  verdict: CheckVerdict<Verdict>,
  { place, completion }: TaskResult,
): Promise<CheckVerdict<Verdict>> {
  if (place === undefined) return verdict;
  if (place.text !== undefined) return { ...verdict, isCached: true };
  if ((completion.defects ?? []).length === 0) await place.keep(completion.text);
  return verdict;
}

/** INVARIANT: the error contains nothing of the reply, which may repeat the checked text. */
function unclear(task: string, problem: string): OutputParseError {
  return new OutputParseError(`the judge's reply for the task \`${task}\` is unclear: ${problem}`, { task });
}

/** Overlap of adjacent parts in characters, so that no harmful text is split between two parts. */
const PART_OVERLAP = 400;

/** Greatest number of parts: each is a model call. */
const MAX_PARTS = 8;

const LEAST_ROOM = 2 * PART_OVERLAP;

/**
 * Splits a text into overlapping parts of at most `room` characters; a shorter text is its only part.
 *
 * @throws LimitError (RL-106) if the text exceeds the greatest number of parts
 *
 * @example
 * ```ts
 * splitText("a short text", 16_000); // ["a short text"]
 * ```
 */
export function splitText(text: string, room: number): readonly string[] {
  if (text.length <= room) return [text];
  const step = room - PART_OVERLAP;
  const maximum = room < LEAST_ROOM ? Math.max(0, room) : step * MAX_PARTS + PART_OVERLAP;
  if (text.length > maximum) {
    const message = `a text of ${text.length} characters is over the ${maximum} that this rail can check`;
    throw new LimitError(message, { limit: "text_length", maximum, code: "RL-106" });
  }
  const parts: string[] = [];
  for (let start = 0; start < text.length - PART_OVERLAP; start += step) {
    parts.push(text.slice(wholeCharacter(text, start), wholeCharacter(text, start + room)));
  }
  return parts;
}

/** Returns the given offset, or the one before if it would split a surrogate pair. */
function wholeCharacter(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return at > 0 && code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}
