import type { Tier } from "../elements.js";
import type { LiveInstance, Processing } from "./processing.js";
import { run, storeResult } from "./slide.js";

/**
 * Repeats until nothing changes: interrupted instances go on when no instance suspends them any more, and end together with
 * the instance they wait for. Resuming comes first, so that an extension flow that finishes can still revive instances that
 * this event aborted.
 */
export function stabilize(work: Processing): void {
  let changed = true;
  while (changed) {
    changed = resumeAll(work);
    for (const tier of ["system", "user"] as const) changed = revive(work, tier) || changed;
    if (!changed) changed = cascade(work);
  }
}

/** Revives the instances that this event aborted, when an extension flow has finished. */
export function revive(work: Processing, tier: Tier): boolean {
  if (!work.extensionFinished[tier]) return false;
  let changed = false;
  for (const instance of work.abortedByEvent) {
    if (instance.tier !== tier || instance.status !== "aborted") continue;
    instance.status = "active";
    instance.suspendedBy = null;
    work.trace.push({ type: "resumed", flow: instance.flow, instance: instance.uid });
    work.offer(instance, "resumed");
    changed = true;
  }
  return changed;
}

function resumeAll(work: Processing): boolean {
  let changed = false;
  for (const instance of work.instances) {
    if (instance.status !== "interrupted") continue;
    const holder = work.find(instance.suspendedBy);
    if (holder && holder.status !== "completed") continue;
    changed = true;
    resume(work, instance, holder);
  }
  return changed;
}

function resume(work: Processing, instance: LiveInstance, holder: LiveInstance | undefined): void {
  const wasSleeping = instance.sleeping;
  instance.status = "active";
  instance.sleeping = false;
  instance.suspendedBy = null;
  work.trace.push({ type: "resumed", flow: instance.flow, instance: instance.uid });
  if (wasSleeping && holder) storeResult(work, instance, holder.uid);
  if (wasSleeping && holder && work.isImmune(holder)) work.makeImmune(instance);
  runInPlace(work, instance, "resumed");
}

/** Aborts the instances that wait for an aborted one; returns true if there were any. */
export function cascade(work: Processing): boolean {
  let changed = false;
  for (const instance of work.instances) {
    if (instance.status !== "interrupted" || work.find(instance.suspendedBy)?.status !== "aborted") continue;
    work.abort(
      instance,
      instance.sleeping ? "the subflow it waited for was aborted" : "what it waited for was aborted",
    );
    changed = true;
  }
  return changed;
}

/** Runs an instance of the list; its callees come before it. */
export function runInPlace(work: Processing, instance: LiveInstance, reason: "matched" | "resumed"): void {
  run(work, instance, reason);
  if (work.spawned.length === 0) return;
  const at = work.instances.indexOf(instance);
  // INVARIANT: a new list, because loops over the old one are under way.
  work.instances = work.instances.toSpliced(at, 0, ...work.spawned);
  work.spawned = [];
}
