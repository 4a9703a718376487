import type { ElementOf } from "../elements.js";

const keys = new WeakMap<ElementOf<"Run">, string>();

/**
 * What makes two `Run` elements the same request: action, argument expressions and result name, not their place [D-01].
 */
export function runKey(element: ElementOf<"Run">): string {
  const known = keys.get(element);
  if (known !== undefined) return known;
  const key = JSON.stringify([element.action, element.arguments, element.result ?? null], withoutOffsets);
  keys.set(element, key);
  return key;
}

function withoutOffsets(name: string, value: unknown): unknown {
  return name === "start" || name === "end" ? undefined : value;
}
