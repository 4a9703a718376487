import type { Element } from "./elements.js";

/** How a flow can come to its end without a `stop`. */
interface Ends {
  readonly silent: boolean;
  readonly spoken: boolean;
}

const NEVER: Ends = { silent: false, spoken: false };

/**
 * The positions at which a flow says something, itself or through a flow it calls, and may then run to its end without
 * a `stop` and without saying more. An exception event ends the turn and so counts as a stop [D-25].
 */
export function spokenEnds(id: string, elementsOf: (id: string) => readonly Element[] | undefined): number[] {
  const known = new Map<string, Ends>();

  function endsOf(flow: string): Ends {
    const found = known.get(flow);
    if (found) return found;
    // A flow that calls itself adds no way to end that it has not without the call.
    known.set(flow, NEVER);
    const elements = elementsOf(flow) ?? [];
    const ends = {
      silent: canEndSilently(elements, 0),
      spoken: elements.some((_element, position) => speaksLast(elements, position)),
    };
    known.set(flow, ends);
    return ends;
  }

  function speaksLast(elements: readonly Element[], position: number): boolean {
    const element = elements[position];
    const speaks = element?.kind === "Say" || (element?.kind === "Call" && callEnds(element).spoken);
    return speaks && canEndSilently(elements, position + 1);
  }

  function callEnds(call: Extract<Element, { kind: "Call" }>): Ends {
    return call.flow === undefined ? { silent: true, spoken: false } : endsOf(call.flow);
  }

  function canEndSilently(elements: readonly Element[], start: number): boolean {
    const seen = new Set<number>();
    const open = [start];
    for (let position = open.pop(); position !== undefined; position = open.pop()) {
      if (seen.has(position)) continue;
      seen.add(position);
      const element = elements[position];
      if (!element || element.kind === "Return") return true;
      open.push(...nextPositions(element, position));
    }
    return false;
  }

  function nextPositions(element: Element, position: number): readonly number[] {
    switch (element.kind) {
      case "Say":
      case "Stop":
        return [];
      case "Emit":
        return element.type.endsWith("Exception") ? [] : [position + 1];
      case "Call":
        return callEnds(element).silent ? [position + 1] : [];
      case "Jump":
        return [element.target];
      case "JumpIfNot":
        return [position + 1, element.target];
      case "Choice":
        return element.heads;
      default:
        return [position + 1];
    }
  }

  const elements = elementsOf(id) ?? [];
  known.set(id, NEVER);
  return elements.flatMap((_element, position) => (speaksLast(elements, position) ? [position] : []));
}
