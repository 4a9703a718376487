import type { CompiledFlow, Element } from "./elements.js";

/** Places move when lines are added above; they are no part of what a flow means. */
const PLACES_OF_ELEMENTS = new Set(["location", "text"]);
const PLACES_OF_EXPRESSIONS = new Set(["start", "end"]);

/**
 * A cheap, deterministic hash of plain data: two FNV-1a lanes of 32 bits with different starts, in hexadecimal.
 * It tells versions of a flow apart; it does not resist anyone who wants a collision.
 */
export function hashText(text: string): string {
  let low = 0x811c9dc5;
  let high = 0x9747b28c;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ ((unit << 5) | (unit >>> 11)), 0x85ebca6b);
    high ^= high >>> 13;
  }
  return hex(low) + hex(high);
}

function hex(lane: number): string {
  return (lane >>> 0).toString(16).padStart(8, "0");
}

/** The hash of a flow's elements and flags, the same wherever the flow stands in its file. */
export function hashFlow(flow: Omit<CompiledFlow, "hash">): string {
  const { elements, location: _location, sourceText: _sourceText, ...flags } = flow;
  return hashText(JSON.stringify(flags) + JSON.stringify(elements.map(withoutPlaces), skipOffsets));
}

/** The hash of a program: of its flows in order and of its messages. */
export function hashProgram(
  flows: readonly CompiledFlow[],
  userMessages: Readonly<Record<string, readonly string[]>>,
  botMessages: Readonly<Record<string, readonly string[]>>,
): string {
  const parts = [flows.map((flow) => flow.hash), Object.entries(userMessages), Object.entries(botMessages)];
  return hashText(JSON.stringify(parts));
}

function withoutPlaces(element: Element): Record<string, unknown> {
  return Object.fromEntries(Object.entries(element).filter(([key]) => !PLACES_OF_ELEMENTS.has(key)));
}

function skipOffsets(key: string, value: unknown): unknown {
  return PLACES_OF_EXPRESSIONS.has(key) ? undefined : value;
}
