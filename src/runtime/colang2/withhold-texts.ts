import type { Turn } from "../../turn/turn.js";

/** What must not be found in anything that is kept or told of a turn. */
export interface Withheld {
  readonly blocked: ReadonlySet<string>;
  /** What rails made other texts of, with what became of it. */
  readonly rewritten: ReadonlyMap<string, string>;
}

/** Shorter texts would be found in values that have nothing to do with them. */
const MIN_CONTAINED = 8;

/** Every form in which rails saw what they blocked, and what they rewrote. */
export function withheldOf(turn: Turn, texts: readonly string[], said: readonly string[]): Withheld {
  const blocked = new Set<string>(texts);
  const isBlock = (status: string): boolean => status === "blocked" || status === "error";
  for (const stage of ["input", "output", "retrieval"] as const) {
    if (!turn.decisions.some((decision) => decision.stage === stage && isBlock(decision.status))) continue;
    for (const text of turn.reviewed[stage]) if (!said.includes(text)) blocked.add(text);
  }
  blocked.delete("");
  const long = turn.rewrites.filter(({ from }) => from.length >= MIN_CONTAINED);
  return { blocked, rewritten: new Map(long.map(({ from, to }) => [from, to])) };
}

/**
 * The value without these texts. A text that was blocked becomes an empty one, so that a state keeps its form.
 */
export function withholdTexts<Value>(value: Value, { blocked, rewritten }: Withheld): Value {
  if (blocked.size === 0 && rewritten.size === 0) return value;
  return clean(value, (text) => replace(text, blocked, rewritten)) as Value;
}

function replace(text: string, blocked: ReadonlySet<string>, rewritten: ReadonlyMap<string, string>): string {
  for (const secret of blocked) {
    if (text === secret || (secret.length >= MIN_CONTAINED && text.includes(secret))) return "";
  }
  let result = text;
  // A rewritten text that holds the old one would be rewritten again and again.
  for (const [from, to] of rewritten) if (!result.includes(to)) result = result.replaceAll(from, () => to);
  return result;
}

/** INVARIANT: states and events are plain data of bounded depth, for the engine makes them. */
function clean(value: unknown, replaced: (text: string) => string): unknown {
  if (typeof value === "string") return replaced(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => clean(item, replaced));
  const entries = Object.entries(value).map(
    ([key, item]) => [key, KINDS.has(key) ? item : clean(item, replaced)] as const,
  );
  return Object.fromEntries(entries);
}

/** Names of kinds, which are never the text of anybody. */
const KINDS: ReadonlySet<string> = new Set(["$", "type"]);

/** Parts of a stored state that hold values of the program. Everything else is the form of the state. */
const VALUES: ReadonlySet<string> = new Set([
  "globals",
  "variables",
  "bound",
  "shared",
  "returnValue",
  "start",
  "context",
  "payload",
  "extras",
  "asks",
  "history",
]);

/** The same for the stored state of an engine. */
export function withholdInState(state: unknown, withheld: Withheld): unknown {
  if (withheld.blocked.size === 0 && withheld.rewritten.size === 0) return state;
  const walk = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map(walk);
    const entries = Object.entries(value).map(
      ([key, item]) => [key, VALUES.has(key) ? withholdTexts(item, withheld) : walk(item)] as const,
    );
    return Object.fromEntries(entries);
  };
  return walk(state);
}
