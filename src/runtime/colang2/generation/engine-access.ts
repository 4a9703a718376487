import type { EngineConversation, Round } from "../../../colang2/engine/conversation.js";
import {
  awaitedFlows,
  awaitsEvent,
  instanceRunning,
  nearestDocstring,
  plainGlobals,
  plainVariables,
} from "../../../colang2/engine/explain/inspect.js";
import { nextUid } from "../../../colang2/engine/state/state.js";
import type { Colang2Access } from "./conversation-access.js";

export interface EngineAccessOptions {
  readonly conversation: EngineConversation;
  /** Told what the removal of flows led to: its events are to be completed and fed back like any others. */
  readonly onRound: (round: Round) => void;
  /** Text of the last complete user utterance. */
  readonly lastTranscript: () => string | undefined;
}

/**
 * What generation actions see of a conversation of the engine. Nothing is copied before it is asked for, so one can be made
 * for every action that runs.
 *
 * @example
 * ```ts
 * const services = { [COLANG2_SERVICE]: accessConversation({ conversation, onRound, lastTranscript: () => heard }) };
 * ```
 */
export function accessConversation({ conversation, onRound, lastTranscript }: EngineAccessOptions): Colang2Access {
  const { state } = conversation;
  return {
    definitions: state.definitions,
    isAdded: (id) => state.addedFlows.has(id),
    get history() {
      return conversation.history;
    },
    get globals() {
      return plainGlobals(state);
    },
    get lastTranscript() {
      return lastTranscript();
    },
    awaitedFlows: () =>
      awaitedFlows(state).map(({ id, uid, isMarked }) => ({
        id,
        ...(uid === undefined ? {} : { uid }),
        isMarkedIntent: isMarked,
      })),
    awaitsEvent: (name, given) => awaitsEvent(state, name, given),
    scopeOf: (flowId, actionUid) => {
      const instance = instanceRunning(state, flowId, actionUid);
      if (instance === undefined) return { variables: {} };
      const nearest = nearestDocstring(state, instance);
      const variables = plainVariables(state, instance);
      if (nearest === undefined) return { variables };
      return { variables, docstring: nearest.text, docstringFlow: nearest.instance.definition.id };
    },
    nextId: () => nextUid(state),
    addFlows: (flows, source) => conversation.addFlows(flows, source),
    removeFlows: (ids) => {
      const added = ids.filter((id) => state.addedFlows.has(id));
      if (added.length > 0) onRound(conversation.removeFlows(added));
    },
  };
}
