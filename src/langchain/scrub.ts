const MAX_VALUES = 100_000;
const MIN_FRAGMENT = 12;

/** What must not survive in the data around an answer. */
export interface Secret {
  /** Whether a string tells the text, or so much of it that it counts as told. */
  isIn(text: string): boolean;
}

/**
 * @param texts - what was blocked or rewritten
 * @param fragments - also count strings that are longer pieces of it: a draft, a summary's source, one of its sentences
 */
export function secretOf(texts: readonly string[], fragments = false): Secret | undefined {
  const plain = texts.map(normalize).filter((text) => text !== "");
  if (plain.length === 0) return undefined;
  // Metadata often holds the answer as serialised JSON.
  const escaped = texts.map((text) => normalize(JSON.stringify(text.trim()).slice(1, -1)));
  const needles = [...new Set([...plain, ...escaped])].filter((text) => text !== "");
  return {
    isIn(text) {
      const hay = normalize(text);
      if (needles.some((needle) => hay.includes(needle))) return true;
      return fragments && hay.length >= MIN_FRAGMENT && plain.some((whole) => whole.includes(hay));
    },
  };
}

/** So many letters in a row that two texts share are no coincidence. */
const MIN_RUN = 14;

/**
 * Finds strings that quote a text: as a whole, or a run of its letters long enough that it is no coincidence, or that are
 * nothing but a piece of it.
 */
export function quotedFrom(texts: readonly string[]): Secret | undefined {
  const whole = secretOf(texts, true);
  if (whole === undefined) return undefined;
  const sources = texts.map(normalize);
  return { isIn: (text) => whole.isIn(text) || sharesRun(normalize(text), sources) };
}

function sharesRun(text: string, sources: readonly string[]): boolean {
  // A shared run of twice the step covers one piece that begins at a step.
  const step = MIN_RUN / 2;
  for (let at = 0; at + step <= text.length; at += step) {
    const piece = text.slice(at, at + step);
    for (const source of sources) {
      for (let found = source.indexOf(piece); found !== -1; found = source.indexOf(piece, found + 1)) {
        if (runAround(text, at, source, found) >= MIN_RUN) return true;
      }
    }
  }
  return false;
}

/** The length of what both texts share around these places, up to the length that counts. */
function runAround(text: string, at: number, source: string, found: number): number {
  let start = 0;
  while (start < MIN_RUN && at - start > 0 && found - start > 0 && text[at - start - 1] === source[found - start - 1])
    start += 1;
  let end = 0;
  while (end < MIN_RUN && at + end < text.length && text[at + end] === source[found + end]) end += 1;
  return start + end;
}

/**
 * A copy of `value` without the strings that tell the secret. Plain data is copied; any other object that tells it goes as
 * a whole. What does not tell it stays the very same value.
 */
export function scrubText(value: unknown, secret: Secret | undefined): unknown {
  if (secret === undefined || !carriesText(value, secret)) return value;
  return scrub(value, secret, new Map());
}

/**
 * Whether any string inside the value tells the secret. INVARIANT: what cannot be looked through (getters that fail, more
 * values than anybody reads) counts as telling it.
 */
export function carriesText(value: unknown, secret: Secret): boolean {
  const seen = new Set<object>();
  const queue: unknown[] = [value];
  for (let item = queue.pop(); queue.length > 0 || item !== undefined; item = queue.pop()) {
    if (typeof item === "string" && secret.isIn(item)) return true;
    if (typeof item !== "object" || item === null || seen.has(item)) continue;
    seen.add(item);
    if (seen.size > MAX_VALUES || queue.length > MAX_VALUES) return true;
    if (!enqueueParts(item, queue)) return true;
  }
  return false;
}

/** False when a part could not be read. */
function enqueueParts(value: object, queue: unknown[]): boolean {
  if (ArrayBuffer.isView(value)) {
    queue.push(new TextDecoder().decode(value as unknown as Uint8Array));
    return true;
  }
  try {
    if (value instanceof Map) for (const [key, inner] of value) queue.push(key, inner);
    else if (value instanceof Set) for (const inner of value) queue.push(inner);
    const isArray = Array.isArray(value);
    // Errors and class instances hide their texts in properties that are not enumerable or not their own.
    for (let owner: object | null = value; owner !== null && !isBuiltIn(owner); owner = prototypeOf(owner)) {
      for (const key of Reflect.ownKeys(owner)) {
        if (key === "constructor" || (isArray && key === "length")) continue;
        if (typeof key === "string" && !isArray) queue.push(key);
        const inner: unknown = Reflect.get(owner, key, value);
        if (inner !== undefined && typeof inner !== "function") queue.push(inner);
      }
    }
    return true;
  } catch {
    return false;
  }
}

function scrub(value: unknown, secret: Secret, copies: Map<object, unknown>): unknown {
  if (typeof value === "string") return secret.isIn(value) ? undefined : value;
  if (typeof value !== "object" || value === null) return value;
  if (copies.has(value)) return copies.get(value);
  if (Array.isArray(value)) {
    const list: unknown[] = [];
    copies.set(value, list);
    for (const item of value) {
      const kept = scrub(item, secret, copies);
      if (kept !== undefined) list.push(kept);
    }
    return list;
  }
  if (!isPlain(value)) {
    const kept = carriesText(value, secret) ? undefined : value;
    copies.set(value, kept);
    return kept;
  }
  const copy: Record<string, unknown> = {};
  copies.set(value, copy);
  for (const [key, inner] of Object.entries(value)) {
    const kept = secret.isIn(key) ? undefined : scrub(inner, secret, copies);
    if (kept === undefined) continue;
    Object.defineProperty(copy, key, { value: kept, enumerable: true, configurable: true, writable: true });
  }
  return copy;
}

function normalize(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim().toLowerCase();
}

function isPlain(value: object): boolean {
  const prototype = prototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

const BUILT_IN = new Set<object>([Object, Array, Map, Set, Error].map(({ prototype }) => prototype));

function isBuiltIn(prototype: object): boolean {
  return BUILT_IN.has(prototype);
}

function prototypeOf(value: object): object | null {
  return Object.getPrototypeOf(value) as object | null;
}
