import { createMap } from "../../../../expressions/values/value.js";
import type { ElementOf } from "../../../elements.js";
import { closeScope, mayRestart, queueRestart } from "../../flows/endings.js";
import { evaluateIn } from "../../values/evaluate-in.js";
import { addHead, branchOf, findFork, removeHead, spawnHead } from "../heads.js";
import { expectInstance } from "../../flows/instances.js";
import { internalEvent } from "../../dispatch/queue.js";
import { compareScores, scoresOf, type EngineState, type Fork, type Head } from "../../state/state.js";
import type { Move, Step } from "./move.js";

export function fork({ state, head, element }: Step<ElementOf<"Fork">>): Move {
  const opened: Fork = {
    number: element.fork,
    parent: head,
    heads: new Set(),
    notes: element.targets.map(() => undefined),
    isReady: false,
  };
  head.status = "dormant";
  head.ownFork = opened;
  const from = { scores: scoresOf(state, head), handlers: head.handlers, scopes: head.scopes, fork: opened };
  const heads = element.targets.map((address, branch) => addHead(state, head.instance, { ...from, address, branch }));
  return { kind: "fork", heads };
}

export function spawn({ state, head, element, added }: Step<ElementOf<"Spawn">>): Move {
  const around = findFork(head, element.fork);
  if (around !== undefined) added.push(spawnHead(state, around, element.target, scoresOf(state, head)));
  return "next";
}

/** A branch tells that its start phase is over (spec 4.4.2). */
export function ready({ state, head, element, added }: Step<ElementOf<"Ready">>): Move {
  const around = findFork(head, element.fork);
  const into = findFork(head, element.into);
  if (around === undefined || into === undefined || around.isReady) return "next";
  const branch = branchOf(head, around);
  if (branch < 0 || around.notes[branch] !== undefined) return "next";
  around.notes[branch] = { failed: element.failed, scores: scoresOf(state, head), round: state.round };
  around.next = { into, target: element.target };
  if (around.notes.every((note) => note !== undefined)) added.push(...endStartPhase(state, around));
  else state.startingForks.add(around);
  return "next";
}

/** Adds the head that waits for the branches that were started; none if all of them failed. */
export function endStartPhase(state: EngineState, around: Fork): Head[] {
  const { next } = around;
  const scores = around.notes.flatMap((note) =>
    note === undefined || note.failed ? [] : [note.round === state.round ? note.scores : []],
  );
  const [first] = scores;
  state.startingForks.delete(around);
  if (next === undefined || first === undefined || around.isReady) return [];
  around.isReady = true;
  const best = scores.reduce((one, other) => (compareScores(other, one) > 0 ? other : one), first);
  return [spawnHead(state, next.into, next.target, best)];
}

export function vanish({ state, head }: Step<ElementOf<"Vanish">>): Move {
  removeHead(state, head);
  return "vanish";
}

export function idle({ head }: Step<ElementOf<"Idle">>): Move {
  head.waits = "open";
  head.instance.hasWaited = true;
  return "wait";
}

/** The last of the heads the join waits for goes on. */
export function join({ head, element }: Step<ElementOf<"Join">>): Move {
  const arrived = [...(head.fork?.heads ?? [head])].filter(
    (other) =>
      other === head || (other.waits === "open" && other.address === head.address && other.status === "active"),
  );
  if (arrived.length >= element.count) return "next";
  head.waits = "open";
  head.instance.hasWaited = true;
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

export function openScope({ state, head, element }: Step<ElementOf<"OpenScope">>): Move {
  state.orders += 1;
  head.scopes = [...head.scopes, { number: element.scope, order: state.orders, members: new Set() }];
  return "next";
}

export function closeOpenScope({ state, head, element }: Step<ElementOf<"CloseScope">>): Move {
  closeScope(state, head, element.scope);
  return "next";
}

export function fail({ element }: Step<ElementOf<"Fail">>): Move {
  return { kind: "fail", isAbort: element.isAbort };
}

export function giveBack({ state, head, element }: Step<ElementOf<"Return">>): Move {
  const value = element.value === undefined ? null : evaluateIn(state, head.instance, element.value);
  return { kind: "return", value };
}

/** The next instance begins now, and this one goes on (spec 6.8.7). */
export function restartPoint({ state, head }: Step<ElementOf<"RestartPoint">>): Move {
  const { instance } = head;
  if (instance.hasSuccessor) return "next";
  if (instance.status !== "started") {
    const message = "`start_new_flow_instance` before the flow has waited for anything is skipped";
    state.trace.push({ type: "warning", code: "C2-405", message, flow: instance.definition.id });
    return "next";
  }
  instance.hasSuccessor = true;
  if (instance.activation !== undefined) {
    if (!instance.activation.hasEnded && mayRestart(state, instance.activation)) {
      queueRestart(state, instance.activation);
    }
    return "next";
  }
  const fields = createMap();
  const reference = expectInstance(state, instance.definition.id);
  fields["flow_id"] = instance.definition.id;
  fields["flow_instance_uid"] = reference.uid;
  fields["source_flow_instance_uid"] = instance.parent?.uid ?? null;
  const origin = { source: instance.parent, address: 0, reference, predecessor: instance };
  state.queue.unshift(internalEvent(state, "StartFlow", { fields, payload: instance.bound, origin, flow: reference }));
  return "next";
}

/** A head comes here only by the event that made its instance. */
export function entry(): Move {
  return "next";
}
