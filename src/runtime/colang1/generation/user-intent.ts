import type { DialogInput } from "../../../generation/services.js";
import { type LanguageModel, modelForTask } from "../../../llm/model.js";
import { cleanUserIntent, shortForm } from "./completions.js";
import { userExamples } from "./examples.js";
import { endingWith } from "../../../generation/history.js";
import {
  type DialogHit,
  type UserIntent,
  nearestKnownIntent,
  intentByModel,
  intentByExamples,
  exactIntent,
} from "../../../generation/indexes.js";
import { abandonCall, type MergedCall } from "./merged-call.js";
import { fallsBack, mergedMode, beginRetrieval, type MergedStart, startMergedCall } from "./start-merged-call.js";
import type { StepServices } from "./services.js";

const UNKNOWN_MESSAGE = "unknown message";

const TASK = "generate_user_intent";
const MAX_EXAMPLES = 5;

export interface UserIntentInput extends DialogInput {
  /** The user's text after the input rails. */
  readonly text: string;
}

/**
 * First dialog stage: finds the canonical form of an utterance. An exact example has its intent. Otherwise the nearest
 * examples decide, or a model that is shown them. The threshold is that of the configuration, or the one learned by the
 * index.
 *
 * @throws ModelError if the model call fails
 */
export async function generateUserIntent(input: UserIntentInput, services: StepServices): Promise<UserIntent> {
  const exact = services.indexes.exactIntent(input.text);
  if (exact !== undefined) return exactIntent(exact);
  const settings = services.settings.rails.dialog.user_messages;
  const model = modelForTask(services.models, TASK);
  const unknown = model === undefined ? UNKNOWN_MESSAGE : undefined;
  const near = await intentByExamples(input.text, services.indexes.userExamples, settings, unknown);
  if (near !== undefined || model === undefined) return near ?? exactIntent(UNKNOWN_MESSAGE);
  const mode = mergedMode(services);
  const slot = services.call.merged;
  const merged = mode && slot ? await beginMerged(input, services, { slot, mode }) : undefined;
  const asked = merged ?? (await ask(input, services, model));
  const generated = asked.generated ?? UNKNOWN_MESSAGE;
  const { userMessages } = services.program;
  const isKnown = (): boolean => Object.hasOwn(userMessages, generated) || generated === UNKNOWN_MESSAGE;
  const nearest = await nearestKnownIntent(generated, services.indexes.userIntents, settings, isKnown);
  if (asked.call) asked.call.userIntent = nearest.intent;
  return intentByModel(nearest, asked.hits);
}

interface Asked {
  readonly generated: string | null | undefined;
  readonly hits: readonly DialogHit[];
  readonly call?: MergedCall;
}

async function ask(input: UserIntentInput, services: StepServices, model: LanguageModel): Promise<Asked> {
  services.signal.throwIfAborted();
  beginRetrieval(input, services);
  const hits = await services.indexes.userExamples.search(input.text, MAX_EXAMPLES);
  const { text } = await services.tasks.run({
    task: TASK,
    model,
    events: endingWith(input.events, { type: "UserMessage", property: "text", value: input.text }),
    context: input.context,
    variables: userExamples(hits),
    parameters: { temperature: services.settings.lowest_temperature },
    scope: services.scope,
  });
  return { generated: shortForm(cleanUserIntent(text)), hits };
}

/**
 * The call continues while the engine looks for a flow that answers the intent.
 *
 * @returns undefined if the intent must be requested separately
 */
async function beginMerged(
  input: UserIntentInput,
  services: StepServices,
  start: MergedStart,
): Promise<Asked | undefined> {
  const { call, hits } = await startMergedCall(input, services, start);
  const generated = await call.readUserIntent();
  if (generated === null && fallsBack(services)) {
    abandonCall(start.slot);
    return undefined;
  }
  return { generated, hits: hits.slice(0, MAX_EXAMPLES), call };
}
