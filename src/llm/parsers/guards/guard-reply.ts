import { writtenKeys } from "../../../engine/unique-json.js";
import { bareReply } from "../verdict/verdict-frame.js";
import type { VerdictReading } from "../verdict/verdict.js";

/** Verdict of a guard model on one text. */
export type GuardReading = VerdictReading<"allow" | "block">;

/** Outcome of an unframed reply; undefined if it is not in the model's format. */
type GuardOutcome = { readonly passes: boolean; readonly categories?: readonly string[] } | undefined;

const MAX_CATEGORIES = 20;
const CATEGORY = /^[\p{L}\p{N}][\p{L}\p{N} &/().'-]{0,79}$/u;

/**
 * Creates the parser of a model family. It reads a reply without reasoning blocks and template tokens.
 *
 * INVARIANT: a text passes only if the whole reply is in the model's format with a single verdict. Less is enough for a
 * block.
 */
export function guardParser(read: (reply: string) => GuardOutcome): (completion: string) => GuardReading {
  return (completion) => {
    const reply = bareReply(completion);
    const outcome = reply === undefined || reply === "" ? undefined : read(reply);
    if (outcome === undefined) return { ok: false, raw: completion };
    const { passes, categories = [] } = outcome;
    return { ok: true, verdict: passes ? "allow" : "block", categories: passes ? [] : categories };
  };
}

/** Category names in a list separated by commas or line breaks; everything else is ignored. */
export function categoriesIn(list: string): readonly string[] {
  const names = list.split(/[,;\n]/).map((name) => name.trim());
  return [...new Set(names.filter((name) => CATEGORY.test(name)))].slice(0, MAX_CATEGORIES);
}

/** The text in a fence around the whole reply, or the reply. */
export function withoutFence(reply: string): string {
  return /^```(?:json)?\n([^`]*)```$/.exec(reply)?.[1]?.trim() ?? reply;
}

/**
 * Parses an object in plain JSON, fenced or not, by lower-case keys; undefined for anything else, and for duplicate
 * keys.
 */
export function jsonFields(reply: string): ReadonlyMap<string, unknown> | undefined {
  const text = withoutFence(reply);
  if (!text.startsWith("{")) return undefined;
  let parsed: object;
  try {
    parsed = JSON.parse(text) as object;
  } catch {
    return undefined;
  }
  const fields = new Map(Object.entries(parsed).map(([key, value]) => [key.trim().toLowerCase(), value]));
  // `JSON.parse` drops the first value of a duplicate key. Nested objects have keys as well.
  return fields.size === writtenKeys(text).length ? fields : undefined;
}

/** Parses the lines `Label: value` of a reply, in lower case; undefined for other lines or duplicate labels. */
export function labelledLines(reply: string): ReadonlyMap<string, string> | undefined {
  const fields = new Map<string, string>();
  for (const line of reply.split("\n")) {
    if (line.trim() === "") continue;
    const at = line.indexOf(":");
    const label = line.slice(0, at).trim().toLowerCase();
    if (at === -1 || fields.has(label)) return undefined;
    fields.set(
      label,
      line
        .slice(at + 1)
        .trim()
        .toLowerCase(),
    );
  }
  return fields;
}
