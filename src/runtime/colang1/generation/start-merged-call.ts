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
 * Starts the call for intent, step and text of an utterance.
 *
 * @throws ModelError if there is no model; LimitError if the turn has used up its calls
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
 * Starts the call for step and text after a known intent: an exact example, found by embeddings, or reported by an
 * event.
 *
 * @throws ModelError if there is no model; LimitError if the turn has used up its calls
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
 * Chunks that retrieval rails must check first are not shown: a separate call after these rails generates the text. The
 * search runs meanwhile.
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
  // A model for the merged call also serves the part that remains once the intent is known.
  const model = modelForTask(services.models, Object.hasOwn(services.models.byType, task) ? task : MERGED_TASK);
  const running = await services.tasks.start(
    {
      task,
      model: requireModel(model, task),
      events,
      context,
      // New keys come before a spread: after it they give each object its own hidden class.
      variables: { relevant_chunks: chunks, ...variables },
      parameters,
      scope: options.sharedScope ?? { ...services.scope, signal: slot.signal },
    },
    { streaming: mode === "early", byPieces: isEmitted },
  );
  if (own.aborted) {
    // The turn may have ended in the meantime, and would no longer end the call.
    running.call.cancelRest();
    throw own.reason;
  }
  const isEarly = mode === "early";
  return (slot.call = new MergedCall({ task: running, shownChunks: chunks, isEarly, isEmitted, userIntent, ...how }));
}

/**
 * Starts the knowledge base search if a model will be called, so that both run concurrently. The retrieval stage finds
 * the search in the turn's slot.
 *
 * @returns undefined if there is nothing to search, or the configuration searches itself
 */
export function beginRetrieval(input: DialogInput, services: StepServices): Promise<RetrievedChunks> | undefined {
  const { kb, call } = services;
  const slot = call.merged;
  const query = currentUserText(input.events).text;
  if (slot === undefined || call.ownRetrieval === true || !isKnowledgeBase(kb) || query.trim() === "") return undefined;
  if (slot.retrieved?.query === query) return slot.retrieved.found;
  // The action that starts the search may end before the search does.
  const { signal } = slot;
  const retrieved = retrieveRelevantChunks(input, {
    kb,
    signal,
    settings: services.settings,
    config: { ...services.config, signal },
  });
  // INVARIANT: an unused search never surfaces: its rejection is handled.
  retrieved.catch(() => undefined);
  slot.retrieved = { query, found: retrieved };
  return retrieved;
}

/** Intent, step and text in one completion. */
const MERGED_TASK = "generate_intent_steps_message";

/** Step and text in one completion, for a known intent. */
const STEPS_TASK = "generate_steps_message";

const CLASSIC_TASKS = ["generate_user_intent", "generate_next_steps", "generate_bot_message"] as const;

/**
 * Returns the mode in which a turn makes one call for its stages: line by line (`early`), or as a whole as in the
 * single call mode. Settings for the three separate tasks need three calls, and so does the rest of a turn whose merged
 * call could not be read.
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

/** Returns true if parts missing in a merged completion are requested by their own tasks. */
export function fallsBack({ settings }: { readonly settings: RailsSettings }): boolean {
  return settings.rails.dialog.single_call.fallback_to_multiple_calls;
}

/** Names under which callers limit the length of a completion. */
const LENGTH_NAMES: ReadonlySet<string> = new Set(["max_tokens", "maxTokens", "max_completion_tokens"]);

/** Tokens for the lines before the bot's text; a caller's limit applies to the text. */
const HEAD_TOKENS = 64;

/**
 * Parameters of a call that both decides and generates the text: the lowest temperature, the caller's limit plus room
 * for the lines before the text, and all others as given. The text ends at `stop`; the lines before it must not.
 * `areWordsApart` is true if the text needs a temperature unsuitable for decisions, and so a separate call.
 *
 * @param mode - if the completion is read whole, the caller's temperature has no effect
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
