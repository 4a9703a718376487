import type { GuardrailsEvent } from "../../../engine/events.js";
import { type LanguageModel, modelForTask } from "../../../llm/model.js";
import { cleanUserIntent, shortForm } from "./completions.js";
import { userExamples } from "./examples.js";
import { endingWith } from "../../../generation/history.js";
import type { DialogHit } from "../../../generation/indexes.js";
import { giveUp, type MergedCall } from "./merged-call.js";
import { fallsBack, mergedMode } from "./merged-mode.js";
import { beginRetrieval, type MergedStart, startMergedCall } from "./start-merged-call.js";
import type { StepServices } from "./services.js";
import { type UserIntent, nearestIntents, leastSimilarity } from "../../../generation/nearest-intents.js";

const UNKNOWN_MESSAGE = "unknown message";

const TASK = "generate_user_intent";
const MAX_EXAMPLES = 5;

export interface UserIntentInput {
  /** The user's text after the input rails. */
  readonly text: string;
  readonly events: readonly GuardrailsEvent[];
  readonly context: Readonly<Record<string, unknown>>;
}

/**
 * The first stage of the dialog: what did the user mean (spec rails 2.12)? An utterance that is word for word an example
 * of one intent has that intent. Otherwise the nearest examples decide, or a model that is shown them. How near is near
 * enough says the configuration, or else the index where it has learnt that.
 *
 * @throws ModelError when the model call fails
 */
export async function generateUserIntent(input: UserIntentInput, services: StepServices): Promise<UserIntent> {
  const exact = services.indexes.exactIntent(input.text);
  if (exact !== undefined) return { intent: exact, score: 1, alternatives: [], source: "embeddings" };
  const settings = services.settings.rails.dialog.user_messages;
  const model = modelForTask(services.models, TASK);
  const { userExamples: index } = services.indexes;
  if (settings.embeddings_only || model === undefined) {
    const near = nearestIntents(await index.search(input.text, MAX_EXAMPLES, await leastSimilarity(settings, index)));
    const [best, ...alternatives] = near;
    if (best) return { ...best, alternatives, source: "embeddings" };
    const fallback = settings.embeddings_only_fallback_intent;
    if (fallback !== null) return { intent: fallback, score: null, alternatives: [], source: "embeddings" };
    if (model === undefined) return { intent: UNKNOWN_MESSAGE, score: null, alternatives: [], source: "embeddings" };
  }
  const mode = mergedMode(services);
  const slot = services.call.merged;
  const merged = mode && slot ? await beginMerged(input, services, { slot, mode }) : undefined;
  const asked = merged ?? (await ask(input, services, model));
  const { intent, score } = await nearestKnown(asked.generated ?? UNKNOWN_MESSAGE, services);
  if (asked.call) asked.call.userIntent = intent;
  const alternatives = nearestIntents(asked.hits).filter((other) => other.intent !== intent);
  return { intent, score, alternatives, source: "llm" };
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
 * The call goes on while the engine looks for a flow that answers the intent.
 *
 * @returns undefined when the intent is to be asked for on its own
 */
async function beginMerged(
  input: UserIntentInput,
  services: StepServices,
  start: MergedStart,
): Promise<Asked | undefined> {
  const { call, hits } = await startMergedCall(input, services, start);
  const generated = await call.readUserIntent();
  if (generated === null && fallsBack(services)) {
    giveUp(start.slot);
    return undefined;
  }
  return { generated, hits: hits.slice(0, MAX_EXAMPLES), call };
}

/** Takes an intent that a model made up for the known one that is near enough, where the settings ask for it. */
async function nearestKnown(
  intent: string,
  services: StepServices,
): Promise<{ readonly intent: string; readonly score: number | null }> {
  const threshold = services.settings.rails.dialog.user_messages.match_threshold;
  const isKnown = Object.hasOwn(services.program.userMessages, intent) || intent === UNKNOWN_MESSAGE;
  if (threshold === null || isKnown) return { intent, score: null };
  const [hit] = await services.indexes.userIntents.search(intent, 1, threshold);
  const known = hit?.item.meta["intent"];
  return hit && known !== undefined ? { intent: known, score: hit.score } : { intent, score: null };
}
