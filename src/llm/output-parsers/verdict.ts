import { stripThinking } from "./thinking.js";
import { readJsonVerdict } from "./verdict-json.js";
import { readStatement } from "./verdict-statement.js";
import { MODERATION_WORDS, SUPPORT_WORDS, type VerdictVocabulary } from "./verdict-words.js";

/** A verdict, or the text in which none could be found. Rails treat the latter as a failure, never as a pass. */
export type VerdictReading<Verdict extends string> =
  | { readonly ok: true; readonly verdict: Verdict; readonly categories: readonly string[] }
  | { readonly ok: false; readonly raw: string };

/**
 * Reads the answer to "should this be blocked?": yes and "unsafe" block, no and "safe" allow. Contradictory, hedged,
 * foreign or unfinished answers are never read as allowed.
 *
 * @example
 * ```ts
 * readModerationVerdict("No."); // { ok: true, verdict: "allow", categories: [] }
 * readModerationVerdict("Not safe."); // { ok: true, verdict: "block", categories: [] }
 * readModerationVerdict("I cannot help with that"); // { ok: false, raw: "I cannot help with that" }
 * ```
 */
export function readModerationVerdict(completion: string): VerdictReading<"allow" | "block"> {
  return read(completion, MODERATION_WORDS, "allow", "block");
}

/**
 * Reads the answer to "is this supported?" and "do these agree?": yes supports, no does not. Only a clear yes is read as
 * supported.
 *
 * @example
 * ```ts
 * readSupportVerdict("Yes, the evidence says so."); // { ok: true, verdict: "supported", categories: [] }
 * ```
 */
export function readSupportVerdict(completion: string): VerdictReading<"supported" | "unsupported"> {
  return read(completion, SUPPORT_WORDS, "supported", "unsupported");
}

const MAX_LENGTH = 20_000;
const MAX_CATEGORIES = 20;
const FENCE = /^```\w*\n([\s\S]*?)\n?```$/;
const CODE = /\b[A-Z]{1,3}\d{1,2}\b/g;
const CATEGORY = /^[A-Za-z][\w &/()-]{0,59}$/;

function read<Pass extends string, Fail extends string>(
  completion: string,
  vocabulary: VerdictVocabulary,
  pass: Pass,
  fail: Fail,
): VerdictReading<Pass | Fail> {
  const answer = completion.length > MAX_LENGTH ? undefined : stripThinking(completion);
  if (answer === undefined) return { ok: false, raw: completion };
  const text = FENCE.exec(answer)?.[1]?.trim() ?? answer;
  const found = text.startsWith("{") ? readJson(text, vocabulary) : readText(text, vocabulary);
  if (!found) return { ok: false, raw: completion };
  return { ok: true, verdict: found.passes ? pass : fail, categories: found.categories };
}

interface Found {
  readonly passes: boolean;
  readonly categories: readonly string[];
}

function readText(text: string, vocabulary: VerdictVocabulary): Found | undefined {
  const passes = readStatement(text, vocabulary);
  if (passes === undefined) return undefined;
  return { passes, categories: passes ? [] : readCategories(text, vocabulary.failWord) };
}

function readJson(text: string, vocabulary: VerdictVocabulary): Found | undefined {
  const json = readJsonVerdict(text, vocabulary);
  if (!json) return undefined;
  const said = [
    ...(json.passes === undefined ? [] : [json.passes]),
    ...json.answers.map((answer) => readStatement(answer, vocabulary)),
  ];
  const [first] = said;
  if (first === undefined || said.some((passes) => passes !== first)) return undefined;
  if (!first) return { passes: false, categories: json.categories };
  const isContradicted = json.reasons.some((reason) => {
    // A reason is judged as what would follow the bare answer.
    return reason.trim() !== "" && readStatement(`${vocabulary.passAnswer}.\n${reason}`, vocabulary) !== true;
  });
  if (json.hasUnknown || json.categories.length > 0 || isContradicted) return undefined;
  return { passes: true, categories: [] };
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
