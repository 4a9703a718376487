import { type Element, type ElementOf, successorsOf } from "../elements.js";

/** The ways in which a flow can come to its end without a `stop`. */
interface Ends {
  readonly silent: boolean;
  readonly emitsText: boolean;
}

type ElementsOf = (id: string) => readonly Element[] | undefined;
type EndsOf = (id: string) => Ends;

const NEVER: Ends = { silent: false, emitsText: false };

/**
 * Finds for each flow the positions of its last utterances, its own or those of a flow it calls: behind them the flow may run
 * to its end without a `stop` and without another utterance. An exception event ends the turn and so counts as a stop.
 */
export function findUtteranceEnds(
  ids: Iterable<string>,
  elementsOf: ElementsOf,
  calls: ReadonlyMap<string, ReadonlySet<string>>,
): Map<string, readonly number[]> {
  const roots = [...ids];
  const order = calleesFirst(roots, calls);
  const known = new Map<string, Ends>();
  const endsOf: EndsOf = (id) => known.get(id) ?? NEVER;
  // Without recursion one pass is enough; with it, ends are only added, so the number of passes is finite.
  for (let changed = true; changed;) {
    changed = false;
    for (const id of order) {
      const before = endsOf(id);
      const elements = elementsOf(id) ?? [];
      const silent = silentPaths(elements, endsOf)[0] ?? true;
      const emitsText = lastUtterances(elements, endsOf).length > 0;
      if (silent === before.silent && emitsText === before.emitsText) continue;
      known.set(id, { silent, emitsText });
      changed = true;
    }
  }
  return new Map(roots.map((id) => [id, lastUtterances(elementsOf(id) ?? [], endsOf)]));
}

/** Returns the reachable flows, each after the flows it calls, as far as calls have no cycle. */
function calleesFirst(roots: readonly string[], calls: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const order: string[] = [];
  const seen = new Set<string>();
  const open = roots.map((id) => ({ id, isLeft: false }));
  for (let step = open.pop(); step; step = open.pop()) {
    if (step.isLeft) order.push(step.id);
    else if (!seen.has(step.id)) {
      seen.add(step.id);
      open.push({ id: step.id, isLeft: true });
      for (const id of calls.get(step.id) ?? []) open.push({ id, isLeft: false });
    }
  }
  return order;
}

/** Returns the positions of the utterances that may be the last before an end. */
function lastUtterances(elements: readonly Element[], endsOf: EndsOf): number[] {
  const paths = silentPaths(elements, endsOf);
  return elements.flatMap((element, position) => {
    const emitsText = element.kind === "Say" || (element.kind === "Call" && endsOfCall(element, endsOf).emitsText);
    return emitsText && paths[position + 1] ? [position] : [];
  });
}

/** Returns the ends of a callee; a callee named by a variable is taken for one that passes silently. */
function endsOfCall({ flow }: ElementOf<"Call">, endsOf: EndsOf): Ends {
  return flow === undefined ? { silent: true, emitsText: false } : endsOf(flow);
}

/** Returns for each position, the end included, true if an end can be reached from it without an utterance. */
function silentPaths(elements: readonly Element[], endsOf: EndsOf): boolean[] {
  const paths = elements.map((element) => element.kind === "Return");
  paths.push(true);
  // Most jumps lead forward, so one backward pass is usually enough.
  for (let changed = true; changed;) {
    changed = false;
    for (let position = elements.length - 1; position >= 0; position -= 1) {
      const element = elements[position];
      if (!element || paths[position]) continue;
      if (!nextPositions(element, position, endsOf).some((next) => paths[next])) continue;
      paths[position] = true;
      changed = true;
    }
  }
  return paths;
}

function nextPositions(element: Element, position: number, endsOf: EndsOf): readonly number[] {
  const isPassed =
    element.kind === "Call"
      ? endsOfCall(element, endsOf).silent
      : element.kind !== "Say" && !(element.kind === "Emit" && element.type.endsWith("Exception"));
  return isPassed ? successorsOf(element, position) : [];
}
