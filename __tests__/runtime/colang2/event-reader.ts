import type { GuardrailsEvent } from "../../../src/engine/events.js";

/** Reads events up to the first one of a type, or all if none is of it; the iterator stays open. */
export async function readUntil(events: AsyncIterator<GuardrailsEvent>, last: string): Promise<GuardrailsEvent[]> {
  const emitted: GuardrailsEvent[] = [];
  for (;;) {
    const { value, done } = await events.next();
    if (done === true) return emitted;
    emitted.push(value);
    if (value.type === last) return emitted;
  }
}
