import type { ActionContext } from "../actions/action.js";
import { LimitError, ModelError, OutputParseError } from "../diagnostics/errors.js";
import { type LanguageModel, modelForTask } from "../llm/model.js";
import { promptLength } from "../llm/prompt-text.js";
import type { TaskResult } from "../llm/task.js";
import { splitText } from "./text-parts.js";

/** A verdict that could be read, with the categories a model named. */
export interface CheckVerdict<Verdict extends string> {
  readonly verdict: Verdict;
  readonly categories: readonly string[];
}

type Reading<Verdict extends string> = (CheckVerdict<Verdict> & { readonly ok: true }) | { readonly ok: false };

export interface Check<Verdict extends string> {
  readonly task: string;
  /** The text that is checked; a long one is checked in parts. */
  readonly text: string;
  /** The variables of the prompt for one part. `isPart` tells that there was no room for the whole. */
  readonly variables: (part: string, isPart: boolean) => Readonly<Record<string, unknown>>;
  readonly read: (result: TaskResult) => Reading<Verdict>;
  /** The verdict on a part that settles the whole. */
  readonly settledBy: Verdict;
}

/** Room for a model that thinks before it answers, where the prompt states nothing. */
const MAX_TOKENS = 1024;

const ATTEMPTS = 2;

/**
 * Asks a model for a verdict on a text. An answer that cannot be read is asked for once more. A text for which the
 * prompt has no room is checked in overlapping parts.
 *
 * @throws OutputParseError when no verdict can be read, LimitError (RL-106) when the text is too long even for parts,
 * ModelError when there is no model or its call fails
 */
export async function runCheck<Verdict extends string>(
  check: Check<Verdict>,
  context: ActionContext,
): Promise<CheckVerdict<Verdict>> {
  const model = modelForTask(context.models, check.task);
  if (!model) {
    throw new ModelError(`no model for the task \`${check.task}\`: add one with \`type: main\` to \`models\``, {
      code: "CF-119",
      task: check.task,
    });
  }
  const ask = (part: string, isPart: boolean): Promise<CheckVerdict<Verdict>> =>
    askForVerdict(check, check.variables(part, isPart), model, context);
  try {
    return await ask(check.text, false);
  } catch (error) {
    if (!LimitError.isInstance(error) || error.code !== "PR-107") throw error;
    const room = await roomForText(check, model, context, error.maximum);
    return askInParts(splitText(check.text, room), check.settledBy, ask);
  }
}

async function askInParts<Verdict extends string>(
  parts: readonly string[],
  settledBy: Verdict,
  ask: (part: string, isPart: boolean) => Promise<CheckVerdict<Verdict>>,
): Promise<CheckVerdict<Verdict>> {
  let last: CheckVerdict<Verdict> | undefined;
  for (const part of parts) {
    last = await ask(part, true);
    if (last.verdict === settledBy) return last;
  }
  if (last) return last;
  throw new OutputParseError("a text without parts has no verdict");
}

/** How many characters of the text the prompt can take beside its own. */
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
      events: context.events,
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
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const result = await context.tasks.run({
      task: check.task,
      model,
      events: context.events,
      context: context.context,
      variables,
      parameters: { temperature: context.config.lowest_temperature, maxTokens: MAX_TOKENS },
      scope: context.scope,
    });
    const reading = check.read(result);
    if (reading.ok) return reading;
  }
  // What the model said may repeat the text that is being checked, so it is not part of the message.
  throw new OutputParseError(`no verdict can be read in the completion of \`${check.task}\``, { task: check.task });
}
