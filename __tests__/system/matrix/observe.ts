import { concat } from "@langchain/core/utils/stream";

/** Everything that a caller can read of a value: its properties, hidden and inherited ones, errors with causes, maps, bytes, JSON. */
export function textOf(value: unknown): string {
  const seen = new Set<object>();
  const parts: string[] = [];
  const visit = (item: unknown): void => {
    if (typeof item === "string") parts.push(item);
    if (typeof item !== "object" || item === null || seen.has(item)) return;
    seen.add(item);
    if (ArrayBuffer.isView(item)) {
      parts.push(new TextDecoder().decode(item as Uint8Array));
      return;
    }
    if (item instanceof Map || item instanceof Set) for (const entry of item) visit(entry);
    if (item instanceof Error) [item.message, item.stack, item.cause].forEach(visit);
    for (const key of Reflect.ownKeys(item)) {
      if (typeof key === "string") parts.push(key);
      visit(Reflect.get(item, key));
    }
    const prototype: unknown = Object.getPrototypeOf(item);
    if (isPlainHolder(prototype)) visit(prototype);
  };
  visit(value);
  if (typeof value === "object") parts.push(jsonOf(value));
  return parts.join("\n");
}

/** Returns true for a prototype that is not a class, whose entries belong to another object. */
function isPlainHolder(prototype: unknown): boolean {
  return typeof prototype === "object" && prototype !== null && !Object.hasOwn(prototype, "constructor");
}

function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return "";
  }
}

/** The chunks of a stream and their joined text, because a marker may be spread over several. */
export function textOfChunks(chunks: readonly unknown[]): string {
  let whole: unknown = chunks[0];
  for (const chunk of chunks.slice(1)) {
    try {
      whole = concat(whole as never, chunk as never);
    } catch {
      whole = [whole, chunk];
    }
  }
  return `${textOf(chunks)}\n${textOf(whole)}`;
}

interface StreamedEvent {
  readonly event: string;
  readonly run_id: string;
  readonly name: string;
  readonly data?: { readonly chunk?: unknown; readonly output?: unknown; readonly input?: unknown };
}

/** All events of a run, the chunks of each run joined too; inputs only if the marker was not in the caller's own input. */
export function textOfEvents(events: readonly unknown[], withInputs: boolean): string {
  const chunks = new Map<string, unknown[]>();
  const parts: string[] = [];
  for (const { run_id: run, data = {}, ...rest } of events as readonly StreamedEvent[]) {
    const { chunk, input, output, ...others } = data;
    parts.push(textOf([rest, output, others]));
    if (withInputs) parts.push(textOf(input));
    if (chunk !== undefined) chunks.set(run, [...(chunks.get(run) ?? []), chunk]);
  }
  for (const ofRun of chunks.values()) parts.push(textOfChunks(ofRun));
  return parts.join("\n");
}

/** Forms in which a marker may be written in a text. */
export function contains(text: string, marker: string): boolean {
  if (text.includes(marker)) return true;
  return [0, 1, 2].some((shift) => {
    // A marker inside base64 looks different at each of three offsets; its inner part is the same whatever is around it.
    const encoded = btoa(" ".repeat(shift) + marker).slice(shift === 0 ? 0 : shift + 1, -4);
    return text.includes(encoded);
  });
}
