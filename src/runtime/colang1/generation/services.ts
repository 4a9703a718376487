import type { ActionContext } from "../../../actions/action.js";
import type { Colang1Program } from "../../../colang1/elements.js";
import { compileFlowBody } from "../../../colang1/flow-body.js";
import type { RailsSettings } from "../../../config/settings.js";
import type { Clock, IdSource } from "../../../engine/events.js";
import {
  type CreateDialogIndex,
  type DialogIndex,
  intentsByText,
  lazyIndex,
  throughLookup,
} from "../../../generation/indexes.js";
import type { CallServices, GenerationCall } from "../../../generation/services.js";
import type { MergedSlot } from "./merged-call.js";
import { createPredefinedMessages, type PickVariant, type PredefinedMessages } from "./predefined-messages.js";
import type { DialogItem } from "../../../retrieval/embedding-index.js";

/** Parts of a Colang 1.0 generation action that belong to one call. */
export interface Colang1Call extends GenerationCall {
  /** The model call that the stages of a turn share; absent if a stage runs on its own. */
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
  /** Compiles a flow that a model wrote; undefined if it cannot run. */
  readonly compileFlowBody: (id: string, completion: string) => { readonly sourceText: string } | undefined;
}

/** Everything a step needs: what is fixed, and the context of the call it runs in. */
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
  const { services: given } = context;
  const call = Object.hasOwn(given, "call") ? given["call"] : undefined;
  const known: Colang1Call = typeof call === "object" && call !== null ? call : {};
  // Written out: this is made for every action, and a spread costs many times as much.
  return {
    settings: services.settings,
    program: services.program,
    indexes: known.lookup === undefined ? services.indexes : throughLookup(services.indexes, known.lookup),
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

/** Returns true if the configuration has user messages, so that utterances get canonical forms. */
export function hasUserMessages(services: Pick<GenerationServices, "program">): boolean {
  // Asked several times in a turn: looking for one key is enough.
  for (const _intent in services.program.userMessages) return true;
  return false;
}

/** The indexes over a program, each built when it is first asked. */
interface DialogIndexes {
  /** Example utterances; `meta.intent`. */
  readonly userExamples: DialogIndex;
  /** Names of user messages; `meta.intent`. */
  readonly userIntents: DialogIndex;
  /** Names of bot messages, one entry per variant; `meta.text`. */
  readonly botMessages: DialogIndex;
  /** Lines of the user's own flows; `meta.flow` is the whole text. */
  readonly flows: DialogIndex;
  /** The intent that has exactly this text among its examples; undefined when several have it. */
  exactIntent(text: string): string | undefined;
}

/**
 * Describes the indexes of a program without building them.
 *
 * @param createExampleIndex makes the index of example utterances; as the others unless given
 */
function createDialogIndexes(
  program: Pick<Colang1Program, "userMessages" | "botMessages" | "flows">,
  createIndex: CreateDialogIndex,
  createExampleIndex: CreateDialogIndex = createIndex,
): DialogIndexes {
  let exact: ReadonlyMap<string, string | undefined> | undefined;
  return {
    exactIntent: (text) => (exact ??= intentsByText(userExampleItems(program.userMessages))).get(text.trim()),
    userExamples: lazyIndex(() => userExampleItems(program.userMessages), createExampleIndex),
    userIntents: lazyIndex(
      () => Object.keys(program.userMessages).map((intent) => ({ text: intent, meta: { intent } })),
      createIndex,
    ),
    botMessages: lazyIndex(() => {
      const messages = Object.entries(program.botMessages);
      return messages.flatMap(([intent, variants]) => variants.map((text) => ({ text: intent, meta: { text } })));
    }, createIndex),
    flows: lazyIndex(() => flowLineItems(program.flows), createIndex),
  };
}

function userExampleItems(messages: Colang1Program["userMessages"]): readonly DialogItem[] {
  return Object.entries(messages).flatMap(([intent, examples]) => examples.map((text) => ({ text, meta: { intent } })));
}

function flowLineItems(flows: Colang1Program["flows"]): readonly DialogItem[] {
  return flows
    .filter(({ tier }) => tier === "user")
    .flatMap(({ sourceText }) =>
      sourceText
        .split("\n")
        .map((line) => line.trim())
        .filter((line) => line !== "")
        .map((text) => ({ text, meta: { flow: sourceText } })),
    );
}
