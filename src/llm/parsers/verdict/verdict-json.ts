import type { VerdictGrammar } from "./verdict-grammar.js";

/** The parts of a JSON reply that decide: its flags, and the texts that must not contradict them. */
export interface JsonVerdict {
  readonly passes: boolean | undefined;
  /** Texts under keys such as `answer`, to be read like a plain reply. */
  readonly answers: readonly string[];
  readonly reasons: readonly string[];
  readonly categories: readonly string[];
  /** True if there is an unknown key; such a reply never passes. */
  readonly hasUnknown: boolean;
}

const KEY = /"((?:[^"\\]|\\.)*)"\s*:/g;
const MAX_CATEGORIES = 20;
const ANSWERS: ReadonlySet<string> = new Set([
  "answer",
  "final_answer",
  "verdict",
  "decision",
  "result",
  "label",
  "classification",
  "response",
  "output",
]);
const REASONS: ReadonlySet<string> = new Set(["reason", "reasons", "reasoning", "explanation", "rationale"]);
const CATEGORIES: ReadonlySet<string> = new Set(["categories", "violations", "codes", "category", "safety_categories"]);

/**
 * Reads `{"safe": false, "categories": ["S1"]}` and its relatives; undefined for anything but a plain JSON object.
 *
 * @param given - begins with a brace
 */
export function readJsonVerdict(given: string, grammar: VerdictGrammar): JsonVerdict | undefined {
  const text = given.includes('"') ? given : fromPython(given);
  let parsed: object;
  try {
    parsed = JSON.parse(text) as object;
  } catch {
    return undefined;
  }
  // `JSON.parse` drops the first value of a duplicate key.
  const keys = Array.from(text.matchAll(KEY), ([, key = ""]) => normalizeKey(key));
  if (new Set(keys).size !== keys.length) return undefined;

  const said: boolean[] = [];
  const answers: string[] = [];
  const reasons: string[] = [];
  const categories: string[] = [];
  let hasUnknown = false;
  for (const [key, value] of Object.entries(parsed)) {
    const name = normalizeKey(key);
    const isPass = grammar.passKeys.has(name);
    if (isPass || grammar.failKeys.has(name)) {
      const flag = toFlag(value);
      if (flag === undefined) return undefined;
      said.push(flag === isPass);
    } else if (ANSWERS.has(name) && typeof value === "string") answers.push(value);
    else if (REASONS.has(name) && typeof value === "string") reasons.push(value);
    else if (CATEGORIES.has(name)) categories.push(...toCategories(value));
    else hasUnknown = true;
  }
  if (said.some((flag) => flag !== said[0])) return undefined;
  return { passes: said[0], answers, reasons, categories, hasUnknown };
}

/** `{'safe': True}` as JSON. */
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
