import type { ActionContext } from "../../../actions/action.js";
import type { CompiledFlow } from "../../../colang2/program.js";
import { type HistoryEntry } from "../../../colang2/engine/state/records.js";
import { nextUid } from "../../../colang2/engine/state/state.js";
import { ActionError } from "../../../diagnostics/errors.js";
import type { EngineConversation, Round } from "../../../colang2/engine/conversation.js";
import {
  awaitedFlows,
  awaitsEvent,
  instanceRunning,
  nearestDocstring,
  plainVariables,
} from "../../../colang2/engine/explain/inspect.js";

/** The name under which actions of a Colang 2.x conversation find their `Colang2Access` among the services. */
export const COLANG2_SERVICE = "colang2";

/** The scope of a flow, for prompts made of its docstring. */
export interface FlowScope {
  /** Of the flow, or of the nearest one that started it and has one, with its `{$…}` filled in. */
  readonly docstring?: string;
  /** The flow the docstring was written in. */
  readonly docstringFlow?: string;
  /** Variables of the flow by name, as plain data. */
  readonly variables: Readonly<Record<string, unknown>>;
}

/**
 * The running conversation, as generation actions see it. The host hands one in with every action it runs; all
 * of it is of the moment it is asked.
 */
export interface Colang2Access {
  /** Every flow of the program and those added since, by id. */
  readonly definitions: ReadonlyMap<string, CompiledFlow>;
  /** Flows added while the conversation runs. */
  isAdded(id: string): boolean;
  /** The log events so far, oldest first. */
  readonly history: readonly HistoryEntry[];
  /** Global variables as plain data. */
  readonly globals: Readonly<Record<string, unknown>>;
  /** Text of the last user utterance that was complete, as it came in. */
  readonly lastTranscript: string | undefined;
  /**
   * Flows that waiting heads await by `FlowFinished`, each once, in the order in which they were begun; marked ones are the
   * intent of a user while they run.
   */
  awaitedFlows(): ReturnType<typeof awaitedFlows>;
  /** Returns true if a started flow waits for such an event. */
  awaitsEvent(name: string, given: Readonly<Record<string, unknown>>): boolean;
  /**
   * @param actionUid - of the action that asks; it differs between instances of a flow
   */
  scopeOf(flowId: string, actionUid: string | undefined): FlowScope;
  /** Returns an identifier that is unique in this conversation. */
  nextId(): string;
  /** Adds compiled flows; those whose names are known are left out. Returns the names added. */
  addFlows(flows: readonly CompiledFlow[], source: string): readonly string[];
  /** Ends what lives of these flows and forgets their definitions. Flows of the program itself stay as they are. */
  removeFlows(ids: readonly string[]): void;
}

/**
 * The conversation an action runs in.
 *
 * @throws ActionError when the action runs outside of a Colang 2.x conversation
 */
export function conversationOf(context: ActionContext, action: string): Colang2Access {
  const found = Object.hasOwn(context.services, COLANG2_SERVICE) ? context.services[COLANG2_SERVICE] : undefined;
  if (typeof found === "object" && found !== null) return found as Colang2Access;
  throw new ActionError("this action needs a Colang 2.x conversation", { action });
}

/**
 * Gives generation actions access to a conversation. Nothing is copied before it is read, so one can be made
 * for every action that runs.
 *
 * @param conversation - returns the conversation; called when an action reads of it
 * @param onRound - receives the round of a removal of flows; its events are completed and fed back like any others
 * @param lastTranscript - returns the text of the last complete user utterance
 *
 * @example
 * ```ts
 * const services = { [COLANG2_SERVICE]: accessConversation(() => conversation, onRound, () => "hello") };
 * ```
 */
export function accessConversation(
  conversation: () => EngineConversation,
  onRound: (round: Round) => void,
  lastTranscript: () => string | undefined,
): Colang2Access {
  return new ConversationAccess(conversation, onRound, lastTranscript);
}

/** A class and no literal, because literals with accessors are slow and keep what they see in memory for long. */
class ConversationAccess implements Colang2Access {
  readonly #conversation: () => EngineConversation;
  readonly #onRound: (round: Round) => void;
  readonly #lastTranscript: () => string | undefined;

  constructor(
    conversation: () => EngineConversation,
    onRound: (round: Round) => void,
    lastTranscript: () => string | undefined,
  ) {
    this.#conversation = conversation;
    this.#onRound = onRound;
    this.#lastTranscript = lastTranscript;
  }

  get #state(): EngineConversation["state"] {
    return this.#conversation().state;
  }

  get definitions(): Colang2Access["definitions"] {
    return this.#state.definitions;
  }

  isAdded(id: string): boolean {
    return this.#state.data.addedFlows.has(id);
  }

  get history(): Colang2Access["history"] {
    return this.#conversation().history;
  }

  get globals(): Colang2Access["globals"] {
    return this.#conversation().globals;
  }

  get lastTranscript(): string | undefined {
    return this.#lastTranscript();
  }

  awaitedFlows(): ReturnType<typeof awaitedFlows> {
    return awaitedFlows(this.#state);
  }

  awaitsEvent(name: string, given: Readonly<Record<string, unknown>>): boolean {
    return awaitsEvent(this.#state, name, given);
  }

  scopeOf(flowId: string, actionUid: string | undefined): FlowScope {
    const state = this.#state;
    const instance = instanceRunning(state, flowId, actionUid);
    if (instance === undefined) return { variables: {} };
    const nearest = nearestDocstring(state, instance);
    const variables = plainVariables(state, instance);
    if (nearest === undefined) return { variables };
    return { variables, docstring: nearest.text, docstringFlow: nearest.instance.flow };
  }

  nextId(): string {
    return nextUid(this.#state);
  }

  addFlows(flows: readonly CompiledFlow[], source: string): readonly string[] {
    return this.#conversation().addFlows(flows, source);
  }

  removeFlows(ids: readonly string[]): void {
    const added = ids.filter((id) => this.isAdded(id));
    if (added.length > 0) this.#onRound(this.#conversation().removeFlows(added));
  }
}
