/** Family of payloads, written from parts: every combination of a break-out, a body and an end. */
export interface PayloadFamily {
  readonly name: string;
  readonly payloads: readonly string[];
}

function combine(...parts: readonly (readonly string[])[]): readonly string[] {
  return parts.reduce<readonly string[]>(
    (texts, next) => texts.flatMap((text) => next.map((part) => text + part)),
    [""],
  );
}

/** Returns a family of all combinations of its parts. */
export const family = (name: string, ...parts: readonly (readonly string[])[]): PayloadFamily => ({
  name,
  payloads: combine(...parts),
});
