import { VALUE_TABLES } from "../../colang2/engine/state/records.js";
import type { Turn } from "../../turn/turn.js";
import { textsIn } from "../../turn/redact-data.js";
import { createRedactor, type Redactor } from "../../turn/redactor.js";

/** Texts that nothing kept or emitted of a turn may hold. */
export interface HiddenTexts {
  readonly blocked: ReadonlySet<string>;
  /** Finds quotes of all of them; undefined when nothing was blocked or rewritten. */
  readonly redactor: Redactor | undefined;
  /** The text without what was blocked, and with what rails made of it. */
  readonly replace: (text: string) => string;
}

/** Every form in which rails saw what they blocked, and what they rewrote. */
export function hiddenTextsOf(turn: Turn, texts: readonly string[], said: readonly string[]): HiddenTexts {
  const blocked = new Set<string>(texts);
  const isBlock = (status: string): boolean => status === "blocked" || status === "error";
  for (const stage of ["input", "output", "retrieval"] as const) {
    if (!turn.decisions.some((decision) => decision.stage === stage && isBlock(decision.status))) continue;
    for (const text of turn.reviewed[stage]) if (!said.includes(text)) blocked.add(text);
  }
  blocked.delete("");
  const changes = turn.rewrites.map(({ from }) => ({ text: from, replacement: turn.rewritesTo(from) }));
  const rewritten = [...changes, ...turn.hidden];
  const hidden = createRedactor([...blocked], { shown: said });
  // A part of a rewritten text may be kept on purpose, such as the names that a later rail puts back.
  const changed = createRedactor(rewritten, { parts: false });
  return {
    blocked,
    redactor: createRedactor([...blocked, ...rewritten], { shown: said }),
    replace: (text) => (hidden?.quotes(text) === true ? "" : (changed?.redact(text) ?? text)),
  };
}

/**
 * The value without these texts. A text that was blocked becomes an empty one, so that a state keeps its form.
 */
export function hideTexts<Value>(value: Value, { redactor, replace }: HiddenTexts): Value {
  return redactor === undefined ? value : (clean(value, replace) as Value);
}

/** INVARIANT: states and events are plain data of bounded depth, for the engine makes them. */
function clean(value: unknown, replaced: (text: string) => string): unknown {
  if (typeof value === "string") return replaced(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => clean(item, replaced));
  const entries = Object.entries(value).map(
    ([key, item]) => [key, NAMES.test(key) ? item : clean(item, replaced)] as const,
  );
  return Object.fromEntries(entries);
}

/** Keys whose values are identifiers and never texts. */
const NAMES = /^(?:\$|type|uid|id|flow_id|action_name|event_created_at|.*_uid)$/;

/** Parts of a stored state that hold values of the program. All other texts are names and identifiers. */
const VALUES: ReadonlySet<string> = new Set([...VALUE_TABLES, "returnValue", "shared", "history"]);

/** Values that are records: what they hold of the program stands in tables again. */
const RECORDS: ReadonlySet<unknown> = new Set(["flow", "action", "event"]);

/**
 * The same for the stored state of an engine.
 *
 * @param stored - the conversation as it was kept before the turn; its texts stay
 */
export function hideInState(state: unknown, { redactor, replace }: HiddenTexts, stored?: unknown): unknown {
  if (redactor === undefined) return state;
  const known = new Set(textsIn(stored));
  const clear = (text: string): string => (known.has(text) ? text : replace(text));
  const walk = (value: unknown, isValue: boolean): unknown => {
    if (typeof value === "string") return isValue ? clear(value) : value;
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map((item) => walk(item, isValue));
    const holdsValues = isValue && !RECORDS.has((value as { readonly $?: unknown }).$);
    const entries = Object.entries(value).map(([key, item]) =>
      holdsValues && NAMES.test(key) ? [key, item] : [key, walk(item, holdsValues || VALUES.has(key))],
    );
    return Object.fromEntries(entries);
  };
  return walk(state, false);
}
