import type { RunnableConfig } from "@langchain/core/runnables";
import type { ActionContext } from "../actions/action.js";
import type { Colang1Program } from "../colang1/elements.js";
import { compileFlowBody } from "../colang1/flow-body.js";
import type { RailsSettings } from "../config/settings.js";
import type { Clock } from "../engine/clock.js";
import type { IdSource } from "../engine/ids.js";
import type { ModelSet } from "../llm/model.js";
import type { LlmTasks, TaskScope } from "../llm/task.js";
import { type CreateDialogIndex, createDialogIndexes, type DialogIndexes } from "./indexes.js";
import type { MergedSlot } from "./merged-call.js";
import type { ChunkSource } from "./retrieve-chunks.js";
import { createPredefinedMessages, type PickVariant, type PredefinedMessages } from "./predefined-messages.js";

/** A part of an answer that is still being made. */
export interface AnswerPart {
  /** Its text, in the pieces in which it came. */
  readonly texts: readonly string[];
  /** What the model thought meanwhile, in the pieces in which it came; only where the review looks at that. */
  readonly thoughts?: readonly string[] | undefined;
  /** Evidence that came with the answer so far. */
  readonly relevantChunks?: readonly string[] | undefined;
}

/**
 * What the output rails say to a part. `held`: they cannot tell by parts, so this one and all that follow wait for the end
 * of the answer.
 */
export type PartVerdict =
  | { readonly kind: "passed"; readonly text: string; readonly thought?: string }
  | { readonly kind: "held" }
  | { readonly kind: "blocked" };

/** Reviews an answer part by part, in order. What was reviewed so is not reviewed again when the answer is complete. */
export interface AnswerReview {
  /** What a part must not cut in two. */
  readonly unit: "chunk" | "word" | "line";
  /** False when no rail looks at this answer. */
  readonly guarded: boolean;
  /** Whether the rails look at what the model thought too. */
  readonly readsThoughts?: boolean;
  check(part: AnswerPart): Promise<PartVerdict>;
}

/** What answers when no flow does: the wrapped chain, or the wrapped model given the caller's own messages. */
export interface GeneratorRequest {
  /** The user's text after the input rails. */
  readonly userMessage: string;
  /** All user texts that were not answered yet, after the input rails, oldest first; the last one is `userMessage`. */
  readonly userMessages?: readonly string[];
  /** True when an input rail rewrote it. */
  readonly rewritten: boolean;
  /** A frozen view of the context variables. */
  readonly context: Readonly<Record<string, unknown>>;
  readonly config: RunnableConfig;
  readonly signal: AbortSignal;
  readonly llmParams?: Readonly<Record<string, unknown>> | undefined;
  /** There when the turn streams and the answer may be handed on part by part; without it, only as a whole. */
  readonly review?: AnswerReview | undefined;
  /** For `begin`: whether the answer is going to be handed on part by part. */
  readonly streams?: boolean;
  /** What `begin` returned for the same texts. */
  readonly begun?: unknown;
}

export interface GeneratedAnswer {
  readonly text: string;
  /** What the model thought, apart from what it said. */
  readonly reasoning?: string | undefined;
  /** What the generator really returned: an `AIMessage`, a chain's object. Handed back untouched. */
  readonly value?: unknown;
  /** Evidence that came with the answer; sets `relevant_chunks` and turns the fact rails on. */
  readonly relevantChunks?: readonly string[] | undefined;
  /** Where each of them comes from. */
  readonly sources?: readonly ChunkSource[] | undefined;
}

export interface Generator {
  (request: GeneratorRequest): Promise<GeneratedAnswer>;
  /**
   * Begins what an answer to these texts takes, while input rails still look at them; it must change nothing, and read of
   * the request no more than the texts, `llmParams`, `config`, `signal` and `streams`. Without it the answer waits for the rails.
   */
  readonly begin?: (request: GeneratorRequest) => unknown;
}

/**
 * Hands on words that a model is writing, as the output rails pass them. It takes as long as whoever reads them, and comes
 * to all that was taken of the words: at a block, to those until then.
 *
 * @param words - leaving them ends the call
 * @param updates - variables that change with these words
 */
export type Tell = (
  words: AsyncIterableIterator<string>,
  updates: Readonly<Record<string, unknown>>,
) => Promise<string>;

/** What belongs to one call. An action finds it as `context.services.call`. */
export interface GenerationCall {
  readonly generator?: Generator | undefined;
  readonly llmParams?: Readonly<Record<string, unknown>> | undefined;
  /** Where the stages of a turn share one model call; absent where a stage is used on its own. */
  readonly merged?: MergedSlot | undefined;
  /** There where the turn is read as a stream and the next words may be handed on part by part. */
  readonly tell?: Tell | undefined;
  /** Calls a function when the turn is over. */
  readonly atEnd?: ((end: () => void) => void) | undefined;
  /** True where the configuration finds or filters chunks in its own way, which a prompt of ours must not go past. */
  readonly ownRetrieval?: boolean | undefined;
  /** The indexes as this call reaches them. */
  readonly indexes?: DialogIndexes | undefined;
  /** How searches that change nothing are made; the key tells one from another. */
  readonly lookup?: (<Found>(key: readonly unknown[], search: () => Promise<Found>) => Promise<Found>) | undefined;
  /** Told of things that are odd but no reason to fail, such as a message that reads an undefined variable. */
  readonly warn?: ((warning: { readonly code: "CO-408"; readonly message: string }) => void) | undefined;
}

/** The parts of dialog generation that a configuration fixes once. */
export interface GenerationServices {
  readonly settings: RailsSettings;
  readonly program: Colang1Program;
  readonly indexes: DialogIndexes;
  readonly messages: PredefinedMessages;
  readonly ids: IdSource;
  readonly clock: Clock;
  /** What can be run of a flow that a model wrote (spec colang-1 13), if anything. */
  readonly compileFlowBody: (id: string, completion: string) => { readonly sourceText: string } | undefined;
}

/** What asking for an answer needs, in whichever language the flows are written. */
export interface CallServices {
  readonly settings: RailsSettings;
  readonly clock: Clock;
  readonly tasks: LlmTasks;
  readonly models: ModelSet;
  readonly scope: TaskScope;
  readonly signal: AbortSignal;
  readonly config: RunnableConfig;
  readonly kb: unknown;
  readonly call: GenerationCall;
}

/** Everything a step needs: what is fixed, and the surroundings of the call it runs in. */
export interface StepServices extends GenerationServices, CallServices {}

export interface GenerationOptions {
  readonly settings: RailsSettings;
  readonly program: Colang1Program;
  readonly createIndex: CreateDialogIndex;
  /** Makes the index of example utterances; `createIndex` unless given. */
  readonly createExampleIndex?: CreateDialogIndex | undefined;
  readonly ids: IdSource;
  readonly clock: Clock;
  readonly pickVariant?: PickVariant | undefined;
}

/** Prepares dialog generation for a configuration; indexes and templates are made when they are first needed. */
export function createGenerationServices(options: GenerationOptions): GenerationServices {
  const { settings, program, ids, clock } = options;
  const allowedActions = settings.llm_flows.allowed_actions;
  return {
    settings,
    program,
    ids,
    clock,
    indexes: createDialogIndexes(program, options.createIndex, options.createExampleIndex),
    messages: createPredefinedMessages(program.botMessages, options.pickVariant),
    compileFlowBody: (id, completion) => compileFlowBody(id, completion, { allowedActions, program }),
  };
}

/** Joins what is fixed with what an action is given. */
export function stepServices(services: GenerationServices, context: ActionContext): StepServices {
  const call = Object.hasOwn(context.services, "call") ? context.services["call"] : undefined;
  const known: GenerationCall = typeof call === "object" && call !== null ? call : {};
  // Written out: this is made for every action, and a spread costs many times as much.
  return {
    settings: services.settings,
    program: services.program,
    indexes: known.indexes ?? services.indexes,
    messages: services.messages,
    ids: services.ids,
    clock: services.clock,
    compileFlowBody: services.compileFlowBody,
    tasks: context.tasks,
    models: context.models,
    scope: context.scope,
    signal: context.signal,
    config: context.runnableConfig,
    kb: context.kb,
    call: known,
  };
}

/** Whether the configuration knows any user message, so that utterances get canonical forms. */
export function hasUserMessages(services: Pick<GenerationServices, "program">): boolean {
  // Asked several times in a turn: looking for one key is enough.
  for (const _intent in services.program.userMessages) return true;
  return false;
}
