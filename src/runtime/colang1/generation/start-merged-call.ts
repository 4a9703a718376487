import type { GuardrailsEvent } from "../../../engine/events.js";
import { modelForTask } from "../../../llm/model.js";
import { flowTurns, turnExamples } from "./examples.js";
import { endingWith, currentUserText } from "../../../generation/history.js";
import type { DialogHit } from "../../../generation/indexes.js";
import { MergedCall, type MergedSlot } from "./merged-call.js";
import { MERGED_TASK, STEPS_TASK, mergedParameters } from "./merged-mode.js";
import { requireModel } from "../../../generation/services.js";
import {
  isKnowledgeBase,
  type RetrievalInput,
  type RetrievedChunks,
  retrieveRelevantChunks,
} from "../../../generation/retrieve-chunks.js";
import type { StepServices } from "./services.js";

const MAX_EXAMPLES = 10;
const MAX_FLOW_HITS = 10;
const MAX_FLOWS = 5;

export interface MergedInput {
  readonly events: readonly GuardrailsEvent[];
  readonly context: Readonly<Record<string, unknown>>;
}

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
  input: MergedInput & { readonly text: string },
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
  const call = await begin({ ...input, events, chunks, task: MERGED_TASK, variables }, services, start);
  return { call, hits };
}

/**
 * Begins the call for step and words after an intent that is known: word for word an example, found by embeddings, or
 * told by an event.
 *
 * @throws ModelError when there is no model; LimitError when the turn has spent its calls
 */
export async function startStepsCall(
  input: MergedInput & { readonly intent: string },
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
  return begin({ ...input, events, chunks, task: STEPS_TASK, variables, userIntent: intent }, services, start);
}

/**
 * Chunks that retrieval rails have to see first are not shown: the bot's words are then made in a call of their own,
 * after these rails. They are searched meanwhile.
 */
async function chunksToShow(input: MergedInput, services: StepServices): Promise<string> {
  const { call, settings } = services;
  const searching = beginRetrieval(input, services);
  if (call.ownRetrieval === true || settings.rails.retrieval.flows.length > 0) return "";
  return (await (searching ?? retrieveRelevantChunks(input, services))).text.trim();
}

interface Beginning extends MergedInput {
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
  const { settings, scope, call: options } = services;
  const { parameters, ...how } = mergedParameters(options.llmParams, { mode, lowest: settings.lowest_temperature });
  const isEmitted = mode === "early" && options.writeText !== undefined;
  services.signal.throwIfAborted();
  const running = await services.tasks.start(
    {
      task,
      model: requireModel(modelOf(task, services), task),
      events,
      context,
      variables: { ...variables, relevant_chunks: chunks },
      parameters,
      scope: { ...scope, signal: slot.signal },
    },
    { streaming: mode === "early", byPieces: isEmitted },
  );
  if (services.signal.aborted) {
    // All this took time, and a turn that is over by now ends no call any more.
    running.call.cancelRest();
    throw services.signal.reason;
  }
  const known = userIntent === undefined ? {} : { userIntent };
  const call = new MergedCall({
    task: running,
    shownChunks: chunks,
    isEarly: mode === "early",
    isEmitted,
    ...how,
    ...known,
  });
  slot.call = call;
  return call;
}

/** A model for the one call is also the one for the part of it that is left when the intent is known. */
function modelOf(task: Beginning["task"], { models }: StepServices) {
  return modelForTask(models, Object.hasOwn(models.byType, task) ? task : MERGED_TASK);
}

/**
 * Begins the search of the knowledge base where a model is going to be asked, so that both take their time together. The
 * retrieval stage of the turn finds the search in the turn's slot.
 *
 * @returns undefined where there is nothing to search, or the configuration searches in its own way
 */
export function beginRetrieval(input: RetrievalInput, services: StepServices): Promise<RetrievedChunks> | undefined {
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
