import { type Element, type ElementOf, successorsOf } from "../elements.js";

/** How a flow can come to its end without a `stop`. */
interface Ends {
  readonly silent: boolean;
  readonly spoken: boolean;
}

type ElementsOf = (id: string) => readonly Element[] | undefined;
type EndsOf = (id: string) => Ends;

const NEVER: Ends = { silent: false, spoken: false };

/**
 * For each of the given flows the positions at which it says something, itself or through a flow it calls, and may then
 * run to its end without a `stop` and without saying more. An exception event ends the turn and so counts as a stop
 * [D-25].
 */
export function findSpokenEnds(
  ids: Iterable<string>,
  elementsOf: ElementsOf,
  calls: ReadonlyMap<string, ReadonlySet<string>>,
): Map<string, readonly number[]> {
  const roots = [...ids];
  const order = calleesFirst(roots, calls);
  const known = new Map<string, Ends>();
  const endsOf: EndsOf = (id) => known.get(id) ?? NEVER;
  // Without recursion the first pass settles everything; with it, ends are only ever added, so passes come to an end.
  for (let changed = true; changed;) {
    changed = false;
    for (const id of order) {
      const before = endsOf(id);
      const elements = elementsOf(id) ?? [];
      const silent = silentWays(elements, endsOf)[0] ?? true;
      const spoken = lastWords(elements, endsOf).length > 0;
      if (silent === before.silent && spoken === before.spoken) continue;
      known.set(id, { silent, spoken });
      changed = true;
    }
  }
  return new Map(roots.map((id) => [id, lastWords(elementsOf(id) ?? [], endsOf)]));
}

/** The flows that can be reached, each after the flows it calls as far as calls have no cycle. */
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

/** The positions of what may be the last that is said before an end. */
function lastWords(elements: readonly Element[], endsOf: EndsOf): number[] {
  const ways = silentWays(elements, endsOf);
  return elements.flatMap((element, position) => {
    const speaks = element.kind === "Say" || (element.kind === "Call" && endsOfCall(element, endsOf).spoken);
    return speaks && ways[position + 1] ? [position] : [];
  });
}

/** What a variable will name is not known; taken for a flow that passes. */
function endsOfCall({ flow }: ElementOf<"Call">, endsOf: EndsOf): Ends {
  return flow === undefined ? { silent: true, spoken: false } : endsOf(flow);
}

/** For each position, the end included, whether an end can be reached from it without a word. */
function silentWays(elements: readonly Element[], endsOf: EndsOf): boolean[] {
  const ways = elements.map((element) => element.kind === "Return");
  ways.push(true);
  // Most jumps lead forward, so going backward settles them in one pass.
  for (let changed = true; changed;) {
    changed = false;
    for (let position = elements.length - 1; position >= 0; position -= 1) {
      const element = elements[position];
      if (!element || ways[position]) continue;
      if (!nextPositions(element, position, endsOf).some((next) => ways[next])) continue;
      ways[position] = true;
      changed = true;
    }
  }
  return ways;
}

function nextPositions(element: Element, position: number, endsOf: EndsOf): readonly number[] {
  const isPassed =
    element.kind === "Call"
      ? endsOfCall(element, endsOf).silent
      : element.kind !== "Say" && !(element.kind === "Emit" && element.type.endsWith("Exception"));
  return isPassed ? successorsOf(element, position) : [];
}
