import type { ActionContext } from "../../../actions/action.js";
import type { Colang1Program } from "../../../colang1/elements.js";
import { compileFlowBody } from "../../../colang1/flow-body.js";
import type { RailsSettings } from "../../../config/settings.js";
import type { Clock } from "../../../engine/clock.js";
import type { IdSource } from "../../../engine/ids.js";
import type { CreateDialogIndex } from "../../../generation/indexes.js";
import type { CallServices, GenerationCall } from "../../../generation/services.js";
import { createDialogIndexes, type DialogIndexes, indexesThroughLookup } from "./dialog-indexes.js";
import type { MergedSlot } from "./merged-call.js";
import { createPredefinedMessages, type PickVariant, type PredefinedMessages } from "./predefined-messages.js";

/** Parts of a Colang 1.0 generation action that belong to one call. */
export interface Colang1Call extends GenerationCall {
  /** Where the stages of a turn share one model call; absent where a stage is used on its own. */
  readonly merged?: MergedSlot | undefined;
  /** True if the configuration finds or filters chunks in its own way, which a built-in prompt must not bypass. */
  readonly ownRetrieval?: boolean | undefined;
  /** The rail that runs, with the texts that the configuration words. */
  readonly rail?: { readonly written: Set<string> } | undefined;
  /** Receives oddities that are no reason to fail, such as a message that reads an undefined variable. */
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

/** Everything a step needs: what is fixed, and the surroundings of the call it runs in. */
export interface StepServices extends GenerationServices, CallServices {
  readonly call: Colang1Call;
}

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
  const known: Colang1Call = typeof call === "object" && call !== null ? call : {};
  // Written out: this is made for every action, and a spread costs many times as much.
  return {
    settings: services.settings,
    program: services.program,
    indexes: known.lookup === undefined ? services.indexes : indexesThroughLookup(services.indexes, known.lookup),
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
