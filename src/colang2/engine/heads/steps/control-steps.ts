import { createMap } from "../../../../expressions/values/value.js";
import type { ElementOf } from "../../../elements.js";
import { closeScope, mayRestart, queueRestart } from "../../flows/lifecycle.js";
import { addHead, branchOf, findFork, removeHead, spawnHead, endStartPhase } from "../heads.js";
import { expectInstance } from "../../flows/start-flow.js";
import { internalEvent } from "../../dispatch/queue.js";
import { nextOrder, scoresOf } from "../../state/state.js";
import type { Move, Step } from "./move.js";

export function fork({ state, instance, head, element }: Step<ElementOf<"Fork">>): Move {
  const starts = element.targets.map(() => "open" as const);
  head.status = "dormant";
  head.fork = { number: element.fork, starts, next: undefined, isReady: false };
  const from = { scores: scoresOf(state, head), handlers: head.handlers, scopes: head.scopes, parent: head };
  const heads = element.targets.map((address, branch) => addHead(state, instance, { ...from, address, branch }));
  return { kind: "fork", heads };
}

export function spawn({ state, head, element, added }: Step<ElementOf<"Spawn">>): Move {
  const forking = findFork(state, head, element.fork);
  const how = { target: element.target, scores: scoresOf(state, head) };
  if (forking !== undefined) added.push(spawnHead(state, forking, how));
  return "next";
}

/** The end of the start phase of a branch. */
export function ready({ state, head, element, added }: Step<ElementOf<"Ready">>): Move {
  const forking = findFork(state, head, element.fork);
  const into = findFork(state, head, element.into);
  if (forking?.fork === undefined || into === undefined || forking.fork.isReady) return "next";
  const branch = branchOf(state, head, forking);
  const { starts } = forking.fork;
  if (starts[branch] !== "open") return "next";
  starts[branch] = element.failed ? "failed" : "ready";
  const scores = state.round.startScores.get(forking.id) ?? [];
  scores[branch] = scoresOf(state, head);
  state.round.startScores.set(forking.id, scores);
  forking.fork.next = { into: into.id, target: element.target };
  if (!starts.includes("open")) added.push(...endStartPhase(state, forking));
  else state.index.startingForks.add(forking);
  return "next";
}

export function vanish({ state, ...placed }: Step<ElementOf<"Vanish">>): Move {
  removeHead(state, placed);
  return "vanish";
}

export function idle({ instance, head }: Step<ElementOf<"Idle">>): Move {
  head.waits = "open";
  instance.hasWaited = true;
  return "wait";
}

/** The last of the heads that the join waits for continues. */
export function join({ state, instance, head, element }: Step<ElementOf<"Join">>): Move {
  const heads = head.parent === undefined ? [head] : [...state.index.branches.get(head.parent)];
  const arrived = heads.filter(
    (other) =>
      other === head || (other.waits === "open" && other.address === head.address && other.status === "active"),
  );
  if (arrived.length >= element.count) return "next";
  head.waits = "open";
  instance.hasWaited = true;
  return "wait";
}

export function merge({ head }: Step<ElementOf<"Merge">>): Move {
  head.status = "merging";
  return "report";
}

export function pushHandler({ head, element }: Step<ElementOf<"PushHandler">>): Move {
  head.handlers.push(element.target);
  return "next";
}

export function popHandler({ head }: Step<ElementOf<"PopHandler">>): Move {
  head.handlers.pop();
  return "next";
}

export function openScope({ state, instance, head, element }: Step<ElementOf<"OpenScope">>): Move {
  const order = nextOrder(state);
  instance.scopes.push({ order, number: element.scope, members: [] });
  head.scopes = [...head.scopes, order];
  return "next";
}

export function closeOpenScope({ state, instance, head, element }: Step<ElementOf<"CloseScope">>): Move {
  closeScope(state, instance, head, element.scope);
  return "next";
}

export function fail({ element }: Step<ElementOf<"Fail">>): Move {
  return { kind: "fail", isAbort: element.isAbort };
}

/** The next instance begins now, and this one continues. */
export function restartPoint({ state, instance }: Step<ElementOf<"RestartPoint">>): Move {
  if (instance.hasSuccessor) return "next";
  if (instance.status !== "started") {
    const message = "`start_new_flow_instance` before the flow has waited for anything is skipped";
    state.round.trace.push({ type: "warning", code: "C2-405", message, flow: instance.flow });
    return "next";
  }
  instance.hasSuccessor = true;
  if (instance.activation !== undefined) {
    const activation = state.data.activations.get(instance.activation);
    if (activation !== undefined && mayRestart(state, activation)) queueRestart(state, activation);
    return "next";
  }
  const fields = createMap();
  const target = expectInstance(state, instance.flow);
  fields["flow_id"] = instance.flow;
  fields["flow_instance_uid"] = target.uid;
  fields["source_flow_instance_uid"] = instance.parent ?? null;
  const origin = { source: instance.parent, address: 0, target, predecessor: instance.uid };
  const parts = { fields, payload: instance.bound, origin, flow: target };
  state.round.queue.unshift(internalEvent(state, "StartFlow", parts));
  return "next";
}

/** A head comes here only by the event that made its instance. */
export function entry(): Move {
  return "next";
}
