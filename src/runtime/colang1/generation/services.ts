import type { RunnableConfig } from "@langchain/core/runnables";
import type { ActionContext } from "../../../actions/action.js";
import type { Colang1Program } from "../../../colang1/elements.js";
import { compileFlowBody } from "../../../colang1/flow-body.js";
import type { RailsSettings } from "../../../config/settings.js";
import type { AbortSource } from "../../../engine/async.js";
import type { Clock, IdSource } from "../../../engine/events.js";
import {
  type CreateDialogIndex,
  type DialogIndex,
  intentsByText,
  lazyIndex,
  throughLookup,
} from "../../../generation/indexes.js";
import type { CallServices, GenerationCall } from "../../../generation/services.js";
import type { ModelSet } from "../../../llm/model.js";
import type { TaskScope } from "../../../llm/task/call-model.js";
import type { LlmTasks } from "../../../llm/task/task.js";
import type { MergedSlot } from "./merged-call.js";
import { createPredefinedMessages, type PickVariant, type PredefinedMessages } from "./predefined-messages.js";
import type { DialogItem } from "../../../retrieval/embedding-index.js";

/** Parts of a Colang 1.0 generation action that belong to one call. */
export interface Colang1Call extends GenerationCall {
  /** The model call that the stages of a turn share; absent if a stage runs on its own. */
  readonly merged?: MergedSlot | undefined;
  /** Scope of a model call that goes on while later actions run, so that it ends with the turn; absent for one that cannot. */
  readonly sharedScope?: TaskScope | undefined;
  /** Aborts with the action; default: its signal. */
  readonly own?: AbortSource | undefined;
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
  /** True if the configuration has user messages, so that utterances get canonical forms. */
  readonly hasUserMessages: boolean;
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
    hasUserMessages: Object.keys(program.userMessages).length > 0,
    ids,
    clock,
    indexes: createDialogIndexes(program, options.createIndex, options.createExampleIndex),
    messages: createPredefinedMessages(program.botMessages, options.pickVariant),
    compileFlowBody: (id, completion) => compileFlowBody(id, completion, { allowedActions, program }),
  };
}

/**
 * Joins what is fixed with what an action is given.
 *
 * @param merged - replaces the model call that the stages of the turn share; null for a stage on its own
 */
export function stepServices(services: GenerationServices, context: ActionContext, merged?: null): StepServices {
  const { services: given } = context;
  const found = Object.hasOwn(given, "call") ? given["call"] : undefined;
  const known: Colang1Call = typeof found === "object" && found !== null ? found : {};
  return new JoinedServices(
    services,
    context,
    merged === null ? { ...known, lookup: known.lookup, merged: undefined } : known,
  );
}

/**
 * The services of one step. A class with getters, because most steps call no model: the signal and the scope of a call are
 * made when a step asks for them.
 */
class JoinedServices implements StepServices {
  readonly settings: RailsSettings;
  readonly program: Colang1Program;
  readonly hasUserMessages: boolean;
  readonly messages: PredefinedMessages;
  readonly ids: IdSource;
  readonly clock: Clock;
  readonly compileFlowBody: GenerationServices["compileFlowBody"];
  readonly indexes: DialogIndexes;
  readonly tasks: LlmTasks;
  // INVARIANT: read at once, because speculation replaces models and knowledge base for actions that begin before the verdict.
  readonly models: ModelSet;
  readonly kb: unknown;
  readonly call: Colang1Call;
  readonly #action: ActionContext;

  constructor(fixed: GenerationServices, action: ActionContext, call: Colang1Call) {
    this.settings = fixed.settings;
    this.program = fixed.program;
    this.hasUserMessages = fixed.hasUserMessages;
    this.messages = fixed.messages;
    this.ids = fixed.ids;
    this.clock = fixed.clock;
    this.compileFlowBody = fixed.compileFlowBody;
    this.indexes = call.lookup === undefined ? fixed.indexes : throughLookup(fixed.indexes, call.lookup);
    this.tasks = action.tasks;
    this.models = action.models;
    this.kb = action.kb;
    this.call = call;
    this.#action = action;
  }

  get scope(): TaskScope {
    return this.#action.scope;
  }

  get signal(): AbortSignal {
    return this.#action.signal;
  }

  get config(): RunnableConfig {
    return this.#action.runnableConfig;
  }
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
