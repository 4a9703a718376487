import { omitUndefined } from "../../../engine/plain-data.js";
import { modelForTask } from "../../../llm/model.js";
import { flowTurns, turnExamples } from "./examples.js";
import { endingWith, currentUserText } from "../../../generation/history.js";
import type { DialogHit } from "../../../generation/indexes.js";
import { MergedCall, type MergedSlot } from "./merged-call.js";
import { type DialogInput, requireModel } from "../../../generation/services.js";
import { isKnowledgeBase, type RetrievedChunks, retrieveRelevantChunks } from "../../../generation/retrieve-chunks.js";
import { type StepServices } from "./services.js";
import type { RailsSettings } from "../../../config/settings.js";

const MAX_EXAMPLES = 10;
const MAX_FLOW_HITS = 10;
const MAX_FLOWS = 5;

export interface MergedStart {
  readonly slot: MergedSlot;
  readonly mode: "early" | "whole";
}

/**
 * Begins the call for intent, step and words of an utterance.
 *
 * @throws ModelError when there is no model; LimitError when the turn has spent its calls
 */
export async function startMergedCall(
  input: DialogInput & { readonly text: string },
  services: StepServices,
  start: MergedStart,
): Promise<{ readonly call: MergedCall; readonly hits: readonly DialogHit[] }> {
  start.slot.call?.cancelRest();
  const [hits, chunks] = await Promise.all([
    services.indexes.userExamples.search(input.text, MAX_EXAMPLES),
    chunksToShow(input, services),
  ]);
  const events = endingWith(input.events, { type: "UserMessage", property: "text", value: input.text });
  const variables = turnExamples(hits, services.program);
  const { context } = input;
  const call = await begin({ events, context, chunks, task: MERGED_TASK, variables }, services, start);
  return { call, hits };
}

/**
 * Begins the call for step and words after an intent that is known: word for word an example, found by embeddings, or
 * reported by an event.
 *
 * @throws ModelError when there is no model; LimitError when the turn has spent its calls
 */
export async function startStepsCall(
  input: DialogInput & { readonly intent: string },
  services: StepServices,
  start: MergedStart,
): Promise<MergedCall> {
  const { intent } = input;
  start.slot.call?.cancelRest();
  const [hits, chunks] = await Promise.all([
    services.indexes.flows.search(intent, MAX_FLOW_HITS),
    chunksToShow(input, services),
  ]);
  const events = endingWith(input.events, { type: "UserIntent", property: "intent", value: intent });
  const variables = { ...flowTurns(hits, services.program, MAX_FLOWS), user_intent: intent };
  const { context } = input;
  return begin({ events, context, chunks, task: STEPS_TASK, variables, userIntent: intent }, services, start);
}

/**
 * Chunks that retrieval rails have to see first are not shown: the bot's words are then made in a call of their own,
 * after these rails. They are searched meanwhile.
 */
async function chunksToShow(input: DialogInput, services: StepServices): Promise<string> {
  const { call, settings } = services;
  const searching = beginRetrieval(input, services);
  if (call.ownRetrieval === true || settings.rails.retrieval.flows.length > 0) return "";
  return (await (searching ?? retrieveRelevantChunks(input, services))).text.trim();
}

interface Beginning extends DialogInput {
  readonly task: typeof MERGED_TASK | typeof STEPS_TASK;
  readonly chunks: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly userIntent?: string;
}

async function begin(
  { task, events, context, chunks, variables, userIntent }: Beginning,
  services: StepServices,
  { slot, mode }: MergedStart,
): Promise<MergedCall> {
  const { settings, call: options } = services;
  const own = options.own ?? services.signal;
  const { parameters, ...how } = mergedParameters(options.llmParams, { mode, lowest: settings.lowest_temperature });
  const isEmitted = mode === "early" && options.writeText !== undefined;
  if (own.aborted) throw own.reason;
  // A model for the one call is also the one for the part of it that is left when the intent is known.
  const model = modelForTask(services.models, Object.hasOwn(services.models.byType, task) ? task : MERGED_TASK);
  const running = await services.tasks.start(
    {
      task,
      model: requireModel(model, task),
      events,
      context,
      // New keys go in front of a spread: behind it they give each object a hidden class of its own.
      variables: { relevant_chunks: chunks, ...variables },
      parameters,
      scope: options.sharedScope ?? { ...services.scope, signal: slot.signal },
    },
    { streaming: mode === "early", byPieces: isEmitted },
  );
  if (own.aborted) {
    // All this took time, and a turn that is over by now ends no call any more.
    running.call.cancelRest();
    throw own.reason;
  }
  const isEarly = mode === "early";
  return (slot.call = new MergedCall({ task: running, shownChunks: chunks, isEarly, isEmitted, userIntent, ...how }));
}

/**
 * Begins the search of the knowledge base where a model is going to be asked, so that both take their time together. The
 * retrieval stage of the turn finds the search in the turn's slot.
 *
 * @returns undefined where there is nothing to search, or the configuration searches in its own way
 */
export function beginRetrieval(input: DialogInput, services: StepServices): Promise<RetrievedChunks> | undefined {
  const { kb, call } = services;
  const slot = call.merged;
  const query = currentUserText(input.events).text;
  if (slot === undefined || call.ownRetrieval === true || !isKnowledgeBase(kb) || query.trim() === "") return undefined;
  if (slot.retrieved?.query === query) return slot.retrieved.found;
  // The action that begins the search may be over before the search is.
  const { signal } = slot;
  const found = retrieveRelevantChunks(input, { kb, signal, config: { ...services.config, signal } });
  // INVARIANT: an unused search never surfaces: its rejection is handled.
  found.catch(() => undefined);
  slot.retrieved = { query, found };
  return found;
}

/** Intent, step and words in one completion. */
const MERGED_TASK = "generate_intent_steps_message";

/** Step and words in one completion, for an intent that is known. */
const STEPS_TASK = "generate_steps_message";

const CLASSIC_TASKS = ["generate_user_intent", "generate_next_steps", "generate_bot_message"] as const;

/**
 * Returns the mode in which a turn makes one call for its stages: line by line (`early`), or as a whole as in the single
 * call mode. What a configuration says about the three tasks one by one needs the three calls, and so does the rest of a
 * turn whose one call could not be read.
 */
export function mergedMode(services: StepServices): "early" | "whole" | undefined {
  const { settings, models, call } = services;
  const { enabled } = settings.rails.dialog.single_call;
  if (call.merged === undefined || call.merged.isUnreadable === true || enabled === false) return undefined;
  if (call.generator || settings.passthrough === true || !services.hasUserMessages) return undefined;
  if (enabled === true) return "whole";
  if (settings.enable_multi_step_generation) return undefined;
  if (settings.prompts.some(({ task }) => task === MERGED_TASK) || Object.hasOwn(models.byType, MERGED_TASK)) {
    return "early";
  }
  const isSpecial = (task: string): boolean =>
    Object.hasOwn(models.byType, task) || settings.prompts.some((prompt) => prompt.task === task);
  return CLASSIC_TASKS.some(isSpecial) ? undefined : "early";
}

/** Returns true if a part that a merged completion lacks is requested by a task of its own. */
export function fallsBack({ settings }: { readonly settings: RailsSettings }): boolean {
  return settings.rails.dialog.single_call.fallback_to_multiple_calls;
}

/** The names under which callers limit a completion. */
const LENGTH_NAMES: ReadonlySet<string> = new Set(["max_tokens", "maxTokens", "max_completion_tokens"]);

/** Tokens for the lines before the bot's text; a limit of the caller is about the text. */
const HEAD_TOKENS = 64;

/**
 * The parameters of a call that both decides and generates the text: the lowest temperature, the caller's limit with room
 * for the lines before the words, and everything else as it is given. The words end at `stop`; the lines before them must
 * not end there. `areWordsApart` is true when the words want a temperature that a decision must not have, so that they are a
 * call of their own.
 *
 * @param mode - where the completion is read as a whole the caller's temperature has no effect
 *
 * @example
 * ```ts
 * mergedParameters({ temperature: 0.9, max_tokens: 100 }, { mode: "early", lowest: 0.001 });
 * // { parameters: { temperature: 0.001, maxTokens: 164 }, stop: [], areWordsApart: true }
 * ```
 */
export function mergedParameters(
  llmParams: Readonly<Record<string, unknown>> | undefined,
  { mode, lowest }: { readonly mode: "early" | "whole"; readonly lowest: number },
) {
  const extra: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  let maxTokens: number | undefined;
  let stop: readonly string[] = [];
  let areWordsApart = false;
  for (const [name, value] of Object.entries(llmParams ?? {})) {
    if (name === "temperature") areWordsApart = mode === "early" && typeof value === "number" && value > lowest;
    else if (name === "stop") stop = [value].flat().filter((sequence) => typeof sequence === "string");
    else if (LENGTH_NAMES.has(name) && typeof value === "number") maxTokens = value + HEAD_TOKENS;
    else extra[name] = value;
  }
  const given = omitUndefined({ maxTokens, extra: Object.keys(extra).length > 0 ? extra : undefined });
  return { parameters: { temperature: lowest, ...given }, stop, areWordsApart };
}
