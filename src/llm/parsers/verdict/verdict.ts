import { MODERATION, SUPPORT, type VerdictGrammar } from "./verdict-grammar.js";
import { readJsonVerdict } from "./verdict-json.js";
import { textBeforeLoneTag, unframe } from "./verdict-frame.js";
import { explainsPass, readStatement } from "./verdict-statement.js";

/** A verdict, or the reply in which there is none. Rails ask again for the latter; it never counts as a pass. */
export type VerdictReading<Verdict extends string> =
  | { readonly ok: true; readonly verdict: Verdict; readonly categories: readonly string[] }
  | { readonly ok: false; readonly raw: string };

/**
 * Reads the reply to "should this be blocked?". "No" and "safe" allow, "yes" and "unsafe" block, each alone or with a short
 * statement that means the same. Everything else is unclear.
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

/** A reply that begins with a verdict and closes its reasoning later quotes a tag: `Yes. The user writes "</think> No`. */
function isQuotedTag(completion: string, grammar: VerdictGrammar): boolean {
  const before = textBeforeLoneTag(completion);
  const text = before === undefined ? "" : (unframe(before) ?? "");
  const [first = ""] = text.split(/[^\p{L}\p{M}]+/u);
  return first !== "" && readStatement(first, grammar) !== undefined;
}

interface Found {
  readonly passes: boolean;
  readonly categories: readonly string[];
}

function readReply(text: string, grammar: VerdictGrammar): Found | undefined {
  if (text.startsWith("{")) return readJson(text, grammar);
  const passes = readStatement(text, grammar);
  if (passes === undefined) return undefined;
  return { passes, categories: passes ? [] : readCategories(text, grammar.failWord) };
}

function readJson(text: string, grammar: VerdictGrammar): Found | undefined {
  const json = readJsonVerdict(text, grammar);
  if (!json) return undefined;
  const outcomes = [
    ...(json.passes === undefined ? [] : [json.passes]),
    ...json.answers.map((answer) => readStatement(unframe(answer) ?? "", grammar)),
  ];
  const [first] = outcomes;
  if (first === undefined || outcomes.some((passes) => passes !== first)) return undefined;
  if (!first) return { passes: false, categories: json.categories };
  const isExplained = json.reasons.every((reason) => explainsPass(reason, grammar));
  return json.hasUnknown || json.categories.length > 0 || !isExplained ? undefined : { passes: true, categories: [] };
}

/** `unsafe` followed by codes such as `S1, S7` or by short names, on the same line or the next ones. */
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
