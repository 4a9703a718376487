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

/** Per-call dependencies of a Colang 1.0 generation action. */
export interface Colang1Call extends GenerationCall {
  /** The model call shared by the stages of a turn; absent for a stage that runs alone. */
  readonly merged?: MergedSlot | undefined;
  /** Scope of a model call that outlives its action and ends with the turn; absent if the call cannot. */
  readonly sharedScope?: TaskScope | undefined;
  /** Aborts with the action. Default: its signal. */
  readonly own?: AbortSource | undefined;
  /** True if the configuration finds or filters chunks itself, which a built-in prompt must not bypass. */
  readonly ownRetrieval?: boolean | undefined;
  /** The running rail, with the texts defined by the configuration. */
  readonly rail?: { readonly written: Set<string> } | undefined;
  /** Receives non-fatal problems, such as a message that reads an undefined variable. */
  readonly warn?: ((warning: { readonly code: "CO-408"; readonly message: string }) => void) | undefined;
}

/** Dependencies of dialog generation that are fixed by the configuration. */
export interface GenerationServices {
  readonly settings: RailsSettings;
  readonly program: Colang1Program;
  /** True if the configuration has user messages, so utterances get canonical forms. */
  readonly hasUserMessages: boolean;
  readonly indexes: DialogIndexes;
  readonly messages: PredefinedMessages;
  readonly ids: IdSource;
  readonly clock: Clock;
  /** Compiles an LLM-written flow; undefined if it is invalid. */
  readonly compileFlowBody: (id: string, completion: string) => { readonly sourceText: string } | undefined;
}

/** Everything a step needs: the fixed dependencies, and the context of its call. */
export interface StepServices extends GenerationServices, CallServices {
  readonly call: Colang1Call;
}

export interface GenerationOptions {
  readonly settings: RailsSettings;
  readonly program: Colang1Program;
  readonly createIndex: CreateDialogIndex;
  /** Makes the index of example utterances. Default: `createIndex`. */
  readonly createExampleIndex?: CreateDialogIndex | undefined;
  readonly ids: IdSource;
  readonly clock: Clock;
  readonly pickVariant?: PickVariant | undefined;
}

/** Prepares dialog generation for a configuration; indexes and templates are created on first use. */
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
 * Joins the fixed dependencies with the context of an action.
 *
 * @param merged - replaces the shared model call of the turn; null for a stage that runs alone
 */
export function stepServices(services: GenerationServices, context: ActionContext, merged?: null): StepServices {
  const { services: registered } = context;
  const call = Object.hasOwn(registered, "call") ? registered["call"] : undefined;
  const known: Colang1Call = typeof call === "object" && call !== null ? call : {};
  return new JoinedServices(
    services,
    context,
    merged === null ? { ...known, lookup: known.lookup, merged: undefined } : known,
  );
}

/**
 * Dependencies of one step. A class with getters, because most steps call no model: signal and scope of a call are
 * created on demand.
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
  // INVARIANT: read at once, because speculation replaces models and knowledge base for actions that start before the
  // verdict.
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

/** Indexes over a program, each built at its first search. */
interface DialogIndexes {
  /** Example utterances; `meta.intent`. */
  readonly userExamples: DialogIndex;
  /** Names of user messages; `meta.intent`. */
  readonly userIntents: DialogIndex;
  /** Names of bot messages, one entry per variant; `meta.text`. */
  readonly botMessages: DialogIndex;
  /** Lines of the user's own flows; `meta.flow` is the whole text. */
  readonly flows: DialogIndex;
  /** Returns the intent with exactly this text among its examples; undefined if several have it. */
  exactIntent(text: string): string | undefined;
}

/**
 * Creates the indexes of a program without building them.
 *
 * @param createExampleIndex - makes the index of example utterances. Default: `createIndex`
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
