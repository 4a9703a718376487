import { Hasher } from "../engine/hasher.js";
import type { CompiledFlow } from "./elements.js";

/** Places move when lines are added above; they are no part of what a flow means. */
const PLACES_OF_ELEMENTS: ReadonlySet<string> = new Set(["location", "text"]);
const PLACES_OF_FLOWS: ReadonlySet<string> = new Set(["location", "sourceText", "elements"]);

/** The hash of a flow's elements and flags, the same wherever the flow stands in its file. */
export function hashFlow(flow: Omit<CompiledFlow, "hash">): string {
  const hasher = new Hasher();
  hasher.addValue(flow, PLACES_OF_FLOWS);
  for (const element of flow.elements) hasher.addValue(element, PLACES_OF_ELEMENTS);
  return hasher.toString();
}

/** The hash of a program: of its flows in order and of its messages. */
export function hashProgram(
  flows: readonly CompiledFlow[],
  userMessages: Readonly<Record<string, readonly string[]>>,
  botMessages: Readonly<Record<string, readonly string[]>>,
): string {
  const hasher = new Hasher();
  for (const flow of flows) hasher.addText(flow.hash);
  hasher.addValue(userMessages);
  hasher.addValue(botMessages);
  return hasher.toString();
}
