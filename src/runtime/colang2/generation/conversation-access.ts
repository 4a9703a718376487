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

/** Name under which actions of a Colang 2.x conversation find their `Colang2Access` among the services. */
export const COLANG2_SERVICE = "colang2";

/** The scope of a flow, for prompts made of its docstring. */
export interface FlowScope {
  /** Docstring of the flow, or of the nearest ancestor with one, with its `{$…}` filled in. */
  readonly docstring?: string;
  /** The flow that has the docstring. */
  readonly docstringFlow?: string;
  /** Variables of the flow by name, as plain data. */
  readonly variables: Readonly<Record<string, unknown>>;
}

/**
 * The running conversation as generation actions see it, passed by the host to every action. All members reflect the
 * moment of the call.
 */
export interface Colang2Access {
  /** Every flow of the program and all added flows, by id. */
  readonly definitions: ReadonlyMap<string, CompiledFlow>;
  /** Returns true for flows added during the conversation. */
  isAdded(id: string): boolean;
  /** The log events so far, oldest first. */
  readonly history: readonly HistoryEntry[];
  /** Global variables as plain data. */
  readonly globals: Readonly<Record<string, unknown>>;
  /** Original text of the last complete user utterance. */
  readonly lastTranscript: string | undefined;
  /**
   * Flows awaited by waiting heads through `FlowFinished`, each once, in start order; marked flows are the user's
   * intent while they run.
   */
  awaitedFlows(): ReturnType<typeof awaitedFlows>;
  /** Returns true if a started flow waits for such an event. */
  awaitsEvent(name: string, given: Readonly<Record<string, unknown>>): boolean;
  /** @param actionUid - of the requesting action; distinguishes instances of a flow */
  scopeOf(flowId: string, actionUid: string | undefined): FlowScope;
  /** Returns an identifier that is unique in this conversation. */
  nextId(): string;
  /** Adds compiled flows except those with known names. Returns the names added. */
  addFlows(flows: readonly CompiledFlow[], source: string): readonly string[];
  /** Stops all instances of these flows and removes their definitions. Flows of the program are not affected. */
  removeFlows(ids: readonly string[]): void;
}

/**
 * Returns the conversation that an action runs in.
 *
 * @throws ActionError if the action runs outside of a Colang 2.x conversation
 */
export function conversationOf(context: ActionContext, action: string): Colang2Access {
  const access = Object.hasOwn(context.services, COLANG2_SERVICE) ? context.services[COLANG2_SERVICE] : undefined;
  if (typeof access === "object" && access !== null) return access as Colang2Access;
  throw new ActionError("expected a Colang 2.x conversation", { action });
}

/**
 * Gives generation actions access to a conversation. Nothing is copied until it is read, so one can be created per
 * action.
 *
 * @param conversation - returns the conversation; called when an action reads it
 * @param onRound - receives the round of a flow removal, whose events are completed and fed back like any others
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

/** A class, because literals with accessors are slow and retain their closure for long. */
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
