import { createMap } from "../../../../expressions/values/value.js";
import type { ElementOf } from "../../../elements.js";
import { closeScope, mayRestart, queueRestart } from "../../flows/endings.js";
import { evaluateIn } from "../../values/evaluate-in.js";
import { addHead, branchOf, findFork, removeHead, spawnHead } from "../heads.js";
import { expectInstance } from "../../flows/instances.js";
import { internalEvent } from "../../dispatch/queue.js";
import type { Head } from "../../state/records.js";
import { bestOf, nextOrder, scoresOf, type EngineState } from "../../state/state.js";
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

/** Adds the head that waits for the branches that were started; none if all of them failed. */
export function endStartPhase(state: EngineState, forking: Head): Head[] {
  const { fork: ended } = forking;
  state.index.startingForks.delete(forking);
  const into = state.index.heads.get(ended?.next?.into ?? -1);
  if (ended?.next === undefined || into === undefined || ended.isReady) return [];
  const known = state.round.startScores.get(forking.id) ?? [];
  const scores = ended.starts.flatMap((start, branch) => (start === "ready" ? [known[branch] ?? []] : []));
  const [best] = bestOf(scores, (each) => each);
  if (best === undefined) return [];
  ended.isReady = true;
  return [spawnHead(state, into, { target: ended.next.target, scores: best })];
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

export function giveBack({ state, instance, element }: Step<ElementOf<"Return">>): Move {
  const value = element.value === undefined ? null : evaluateIn(state, instance, element.value);
  return { kind: "return", value };
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
