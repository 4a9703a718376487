import { writtenKeys } from "../../../engine/unique-json.js";
import { MODERATION, SUPPORT, type VerdictGrammar } from "./verdict-grammar.js";
import { firstTag, unframe } from "./verdict-frame.js";
import { explainsPass, readStatement } from "./verdict-statement.js";

/** A verdict, or a reply without one. Rails retry the latter; it never counts as a pass. */
export type VerdictReading<Verdict extends string> =
  | { readonly ok: true; readonly verdict: Verdict; readonly categories: readonly string[] }
  | { readonly ok: false; readonly raw: string };

/**
 * Reads the reply to "should this be blocked?". "No" and "safe" allow, "yes" and "unsafe" block, alone or with a short
 * statement of the same meaning. Everything else is unclear.
 *
 * @example
 * ```ts
 * readModerationVerdict("No."); // { ok: true, verdict: "allow", categories: [] }
 * readModerationVerdict("Not safe."); // { ok: true, verdict: "block", categories: [] }
 * readModerationVerdict("No, it's hate speech."); // { ok: false, raw: "No, it's hate speech." }
 * ```
 */
export function readModerationVerdict(completion: string): VerdictReading<"allow" | "block"> {
  return read(completion, MODERATION, "allow", "block");
}

/**
 * Reads the reply to "is this supported?" and "do these agree?". "Yes" and "supported" support, "no" and "unsupported" do
 * not. Everything else is unclear.
 *
 * @example
 * ```ts
 * readSupportVerdict("Yes, the evidence supports it."); // { ok: true, verdict: "supported", categories: [] }
 * ```
 */
export function readSupportVerdict(completion: string): VerdictReading<"supported" | "unsupported"> {
  return read(completion, SUPPORT, "supported", "unsupported");
}

const MAX_CATEGORIES = 20;
const CODE = /\b[A-Z]{1,3}\d{1,2}\b/g;
const CATEGORY = /^[A-Za-z][\w &/()-]{0,59}$/;

function read<Pass extends string, Fail extends string>(
  completion: string,
  grammar: VerdictGrammar,
  pass: Pass,
  fail: Fail,
): VerdictReading<Pass | Fail> {
  const text = unframe(completion);
  const found = text === undefined || isQuotedTag(completion, grammar) ? undefined : readReply(text, grammar);
  if (!found) return { ok: false, raw: completion };
  return { ok: true, verdict: found.passes ? pass : fail, categories: found.categories };
}

/**
 * A reply that begins with a verdict and closes its reasoning later quotes a tag: `Yes. The user writes "</think> No`.
 */
function isQuotedTag(completion: string, grammar: VerdictGrammar): boolean {
  const tag = firstTag(completion);
  if (tag?.[1] !== "/") return false;
  const [first = ""] = (unframe(completion.slice(0, tag.index)) ?? "").split(/[^\p{L}\p{M}]+/u);
  return first !== "" && readStatement(first, grammar) !== undefined;
}

interface Found {
  readonly passes: boolean;
  readonly categories: readonly string[];
}

function readReply(text: string, grammar: VerdictGrammar): Found | undefined {
  if (text.startsWith("{")) return readJson(text, grammar);
  const passes = readStatement(text, grammar);
  return passes === undefined
    ? undefined
    : { passes, categories: passes ? [] : readCategories(text, grammar.failWord) };
}

/** Reads `unsafe` followed by codes such as `S1, S7` or by short names, on the same line or the next ones. */
function readCategories(text: string, failWord: string): readonly string[] {
  const at = text.toLowerCase().indexOf(failWord);
  if (at === -1) return [];
  const rest = text.slice(at + failWord.length);
  const codes = rest.match(CODE);
  if (codes) return [...new Set(codes)].slice(0, MAX_CATEGORIES);
  const names = rest.split(/[,;:\n]/).map((name) => name.replace(/[.*_`"']+/g, "").trim());
  const given = names.filter((name) => name !== "");
  return given.every((name) => CATEGORY.test(name) && name.split(" ").length <= 4)
    ? given.slice(0, MAX_CATEGORIES)
    : [];
}

const ANSWERS: ReadonlySet<string> = new Set(
  "answer final_answer verdict decision result label classification response output".split(" "),
);

const REASONS: ReadonlySet<string> = new Set(["reason", "reasons", "reasoning", "explanation", "rationale"]);

const CATEGORIES: ReadonlySet<string> = new Set(["categories", "violations", "codes", "category", "safety_categories"]);

/**
 * Reads `{"safe": false, "categories": ["S1"]}` and variants; undefined for anything but a plain JSON object. Flags and
 * answers must agree, and a reply with an unknown key never passes.
 *
 * @param given - starts with a brace
 */
function readJson(given: string, grammar: VerdictGrammar): Found | undefined {
  const text = given.includes('"') ? given : fromPython(given);
  let parsed: object;
  try {
    parsed = JSON.parse(text) as object;
  } catch {
    return undefined;
  }
  // `JSON.parse` drops the first value of a duplicate key.
  const keys = writtenKeys(text).map(normalizeKey);
  if (new Set(keys).size !== keys.length) return undefined;

  const outcomes: (boolean | undefined)[] = [];
  const reasons: string[] = [];
  const categories: string[] = [];
  let hasUnknown = false;
  for (const [key, value] of Object.entries(parsed)) {
    const name = normalizeKey(key);
    const isPass = grammar.passKeys.has(name);
    if (isPass || grammar.failKeys.has(name)) {
      const flag = toFlag(value);
      outcomes.push(flag === undefined ? undefined : flag === isPass);
    } else if (ANSWERS.has(name) && typeof value === "string") {
      outcomes.push(readStatement(unframe(value) ?? "", grammar));
    } else if (REASONS.has(name) && typeof value === "string") reasons.push(value);
    else if (CATEGORIES.has(name)) categories.push(...toCategories(value));
    else hasUnknown = true;
  }
  const [passes] = outcomes;
  if (passes === undefined || outcomes.some((outcome) => outcome !== passes)) return undefined;
  if (!passes) return { passes, categories };
  const isExplained = reasons.every((reason) => explainsPass(reason, grammar));
  return hasUnknown || categories.length > 0 || !isExplained ? undefined : { passes, categories };
}

/** Converts `{'safe': True}` to JSON. */
function fromPython(text: string): string {
  return text
    .replaceAll("'", '"')
    .replace(/\bTrue\b/g, "true")
    .replace(/\bFalse\b/g, "false");
}

function normalizeKey(key: string): string {
  return key
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, "_");
}

function toFlag(value: unknown): boolean | undefined {
  if (typeof value === "boolean") return value;
  const text = typeof value === "string" ? value.trim().toLowerCase() : undefined;
  if (text === "true" || text === "yes") return true;
  return text === "false" || text === "no" ? false : undefined;
}

function toCategories(value: unknown): string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : typeof value === "string" ? value.split(",") : [];
  return list
    .flatMap((item) => (typeof item === "string" && item.trim() !== "" ? [item.trim()] : []))
    .slice(0, MAX_CATEGORIES);
}
