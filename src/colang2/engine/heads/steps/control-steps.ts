import { closeScope, mayRestart, queueRestart } from "../../flows/lifecycle.js";
import { addHead, branchOf, findFork, removeHead, spawnHead, endStartPhase } from "../heads.js";
import { expectInstance } from "../../flows/start-flow.js";
import { flowEvent } from "../../dispatch/queue.js";
import { nextOrder, scoresOf } from "../../state/state.js";
import type { Steps } from "./move.js";

export const CONTROL_STEPS = {
  Fork({ state, instance, head, element }) {
    const starts = element.targets.map(() => "open" as const);
    head.status = "dormant";
    head.fork = { number: element.fork, starts, next: undefined, isReady: false };
    const scores = scoresOf(state, head);
    const { handlers, scopes } = head;
    const heads = element.targets.map((address, branch) =>
      addHead(state, instance, { address, scores, handlers, scopes, parent: head, branch }),
    );
    return { kind: "fork", heads };
  },

  Spawn({ state, head, element, added }) {
    const forking = findFork(state, head, element.fork);
    const how = { target: element.target, scores: scoresOf(state, head) };
    if (forking !== undefined) added.push(spawnHead(state, forking, how));
  },

  /** The end of the start phase of a branch. */
  Ready({ state, head, element, added }) {
    const forking = findFork(state, head, element.fork);
    const into = findFork(state, head, element.into);
    if (forking?.fork === undefined || into === undefined || forking.fork.isReady) return;
    const branch = branchOf(state, head, forking);
    const { starts } = forking.fork;
    if (starts[branch] !== "open") return;
    starts[branch] = element.failed ? "failed" : "ready";
    const scores = state.round.startScores.get(forking.id) ?? [];
    scores[branch] = scoresOf(state, head);
    state.round.startScores.set(forking.id, scores);
    forking.fork.next = { into: into.id, target: element.target };
    if (!starts.includes("open")) added.push(...endStartPhase(state, forking));
    else state.index.startingForks.add(forking);
  },

  Vanish({ state, ...placed }) {
    removeHead(state, placed);
    return "vanish";
  },

  Idle({ head }) {
    head.waits = "open";
    return "wait";
  },

  /** The last of the heads awaited by the join continues. */
  Join({ state, head, element }) {
    const heads = head.parent === undefined ? [head] : [...state.index.branches.of(head.parent)];
    const arrived = heads.filter(
      (other) =>
        other === head || (other.waits === "open" && other.address === head.address && other.status === "active"),
    );
    if (arrived.length >= element.count) return undefined;
    head.waits = "open";
    return "wait";
  },

  Merge({ head }) {
    head.status = "merging";
    return "report";
  },

  PushHandler({ head, element }) {
    head.handlers.push(element.target);
  },

  PopHandler({ head }) {
    head.handlers.pop();
  },

  OpenScope({ state, instance, head, element }) {
    const order = nextOrder(state);
    instance.scopes.push({ order, number: element.scope, members: [] });
    head.scopes = [...head.scopes, order];
  },

  CloseScope({ state, instance, head, element }) {
    closeScope(state, instance, head, element.scope);
  },

  Fail: ({ element }) => ({ kind: "fail", isAbort: element.isAbort }),

  /** The next instance starts now, and this one continues. */
  RestartPoint({ state, instance }) {
    if (instance.hasSuccessor) return;
    const isMain = instance === state.index.main;
    if (isMain || instance.status !== "started") {
      const where = isMain ? "in `main`, which begins again when it ends," : "before the flow has waited for anything";
      const message = `\`start_new_flow_instance\` ${where} is skipped`;
      state.round.trace.push({ type: "warning", code: "C2-405", message, flow: instance.flow });
      return;
    }
    instance.hasSuccessor = true;
    if (instance.activation !== undefined) {
      const activation = state.data.activations.get(instance.activation);
      if (activation !== undefined && mayRestart(state, activation)) queueRestart(state, activation);
      return;
    }
    const { parent, bound: payload } = instance;
    const target = expectInstance(state, instance.flow);
    const origin = { source: parent, address: 0, target, predecessor: instance.uid };
    state.round.queue.unshift(flowEvent(state, "StartFlow", { flow: target, parent, payload, origin }));
  },

  /** A head only gets here by the event that created its instance. */
  Entry: () => undefined,
} satisfies Partial<Steps>;
