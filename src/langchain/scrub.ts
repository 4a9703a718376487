const MAX_DEPTH = 64;
const MIN_LENGTH = 1;

/**
 * A copy of `value` in which every string that contains one of `texts` is removed (or replaced). Metadata of providers
 * often repeats the whole answer; what a rail blocked or rewrote must not survive there. Plain data is copied; other
 * objects are kept unless their own strings carry the text, in which case they go.
 */
export function scrubText(value: unknown, texts: readonly string[], replacement?: string): unknown {
  const wanted = texts.filter((text) => text.trim().length >= MIN_LENGTH);
  if (wanted.length === 0) return value;
  return scrub(value, wanted, replacement, 0);
}

/** Whether any string inside the value contains one of the texts. */
export function carriesText(value: unknown, texts: readonly string[]): boolean {
  return carries(
    value,
    texts.filter((text) => text.trim().length >= MIN_LENGTH),
    new Set(),
    0,
  );
}

function scrub(value: unknown, texts: readonly string[], replacement: string | undefined, depth: number): unknown {
  if (typeof value === "string") return texts.some((text) => value.includes(text)) ? replacement : value;
  if (typeof value !== "object" || value === null) return value;
  if (!carriesText(value, texts)) return value;
  if (depth > MAX_DEPTH) return undefined;
  if (Array.isArray(value)) {
    return value.map((item) => scrub(item, texts, replacement, depth + 1)).filter((item) => item !== undefined);
  }
  if (!isPlain(value)) return undefined;
  const entries = Object.entries(value).flatMap(([key, inner]): [string, unknown][] => {
    if (texts.some((text) => key.includes(text))) return [];
    const kept = scrub(inner, texts, replacement, depth + 1);
    return kept === undefined ? [] : [[key, kept]];
  });
  return Object.fromEntries(entries);
}

function carries(value: unknown, texts: readonly string[], seen: Set<object>, depth: number): boolean {
  if (typeof value === "string") return texts.some((text) => value.includes(text));
  if (typeof value !== "object" || value === null || seen.has(value)) return false;
  if (depth > MAX_DEPTH) return true;
  seen.add(value);
  if (value instanceof Map || value instanceof Set) {
    for (const item of value) if (carries(item, texts, seen, depth + 1)) return true;
    return false;
  }
  return Object.entries(value).some(
    ([key, inner]) => texts.some((text) => key.includes(text)) || carries(inner, texts, seen, depth + 1),
  );
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
