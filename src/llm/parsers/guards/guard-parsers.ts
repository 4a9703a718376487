import { categoriesIn, guardParser, jsonFields, labelledLines, withoutFence } from "./guard-reply.js";

const LLAMA_CODES = /^unsafe\s*((?:[A-Z]{1,3}\d{1,2}[ ,\n]{0,3}){0,20})$/i;

/** Llama Guard: `safe`, or `unsafe` and category codes on the next line. */
const readLlamaGuard = guardParser((reply) => {
  if (/^safe$/i.test(reply)) return { passes: true };
  if (!/^unsafe\b/i.test(reply)) return undefined;
  return { passes: false, categories: categoriesIn((LLAMA_CODES.exec(reply)?.[1] ?? "").toUpperCase()) };
});

const NEMO_KEYS: ReadonlySet<string> = new Set(["user safety", "response safety", "safety categories"]);

/** NemoGuard and Nemotron Safety Guard: a JSON object with the safety of each side. */
const nemoGuard = (own: "user safety" | "response safety") =>
  guardParser((reply) => {
    const fields = jsonFields(reply);
    if (fields === undefined) return undefined;
    const safety = (key: string): string | undefined => {
      const value = fields.get(key);
      return typeof value === "string" ? value.trim().toLowerCase() : undefined;
    };
    const listed = fields.get("safety categories");
    const categories = categoriesIn(
      Array.isArray(listed) ? listed.join(",") : typeof listed === "string" ? listed : "",
    );
    if (safety(own) === "unsafe") return { passes: false, categories };
    const sides = ["user safety", "response safety"].map(safety);
    const isKnown = [...fields.keys()].every((key) => NEMO_KEYS.has(key));
    // Categories without an unsafe side contradict the verdict.
    const isClear = isKnown && (categories.length === 0 || sides.includes("unsafe"));
    return safety(own) === "safe" && isClear ? { passes: true } : undefined;
  });

type Labels = Readonly<Record<string, readonly string[]>>;

const NEMOTRON_LINES: Labels = {
  "prompt harm": ["harmful", "unharmful"],
  "response harm": ["harmful", "unharmful", "n/a"],
  "response refusal": ["refusal", "compliance", "n/a"],
};

const WILD_GUARD_LINES: Labels = {
  "harmful request": ["yes", "no"],
  "response refusal": ["yes", "no", "n/a"],
  "harmful response": ["yes", "no", "n/a"],
};

/** Lines with a label and a value: one of them is the verdict, all others are known. */
function labelled(own: string, pass: string, fail: string, known: Labels) {
  const failing = new RegExp(`^[^\\S\\n]{0,9}${own}[^\\S\\n]{0,9}:[^\\S\\n]{0,9}${fail}\\b`, "im");
  return guardParser((reply) => {
    if (failing.test(reply)) return { passes: false };
    const fields = labelledLines(reply);
    if (fields === undefined || fields.get(own) !== pass) return undefined;
    const isKnown = [...fields].every(([label, value]) => Object.hasOwn(known, label) && known[label]?.includes(value));
    return isKnown ? { passes: true } : undefined;
  });
}

/** Nemotron content safety with reasoning: `Prompt harm: unharmful` and `Response harm: …`, one per line. */
const nemotronReasoning = (own: "prompt harm" | "response harm") =>
  labelled(own, "unharmful", "harmful", NEMOTRON_LINES);

/** WildGuard: `Harmful request: no`, `Response refusal: …` and `Harmful response: …`, one per line. */
const wildGuard = (own: "harmful request" | "harmful response") => labelled(own, "no", "yes", WILD_GUARD_LINES);

/** A line of an explanation: three words or more in Latin letters. A shorter one may be another verdict, such as `Ja`. */
const EXPLAINS = /^\W{0,9}(?:[a-z'’,-]{1,40}[^\S\n]{1,9}){2}[a-z]/i;

/** ShieldGemma: `Yes` for a text that violates the policy, otherwise `No`; an explanation may follow on later lines. */
const readShieldGemma = guardParser((reply) => {
  const [first = "", ...rest] = reply.split("\n");
  const response = /^(yes|no)\b/i.exec(first)?.[1]?.toLowerCase();
  if (response === "yes") return { passes: false };
  const isExplained = rest.every((line) => line.trim() === "" || EXPLAINS.test(line));
  const isAlone = /^no\.?$/i.test(first.trim()) && isExplained && !/\b(?:yes|unsafe)\b/i.test(rest.join("\n"));
  return response === "no" && isAlone ? { passes: true } : undefined;
});

const NO_RISK =
  /^(?:<score>\s{0,9}no\s{0,9}<\/score>|no)(?:\s{0,9}<confidence>\s{0,9}(?:high|low)\s{0,9}<\/confidence>)?$/i;

/** Granite Guardian: `Yes` for a risk, in a score tag, or before a confidence in later releases. */
const readGraniteGuardian = guardParser((reply) => {
  if (/^(?:<score>\s{0,9})?yes\b/i.test(reply)) return { passes: false };
  return NO_RISK.test(reply) ? { passes: true } : undefined;
});

/** Topic control: `on-topic` or `off-topic`. */
const readTopicSafety = guardParser((reply) => {
  if (/^on-topic\.?$/i.test(reply)) return { passes: true };
  return /^off-topic\b/i.test(reply) ? { passes: false } : undefined;
});

const SCORE = /"SCORE\\?"\s{0,9}:\s{0,9}(?:\\?["'])?(\w{1,20})["']?/gi;

/** Lynx: `{"REASONING": [...], "SCORE": PASS}`, the score last. A score that the reasoning quotes contradicts another one. */
const readLynx = guardParser((given) => {
  const reply = withoutFence(given);
  const scores = [...reply.matchAll(SCORE)];
  if (scores.some(([, score]) => /^fail$/i.test(score ?? ""))) return { passes: false };
  const [only] = scores;
  if (only === undefined || scores.length > 1 || !reply.startsWith("{")) return undefined;
  const rest = reply.slice(only.index + only[0].length);
  return /^pass$/i.test(only[1] ?? "") && /^\s{0,9}\}$/.test(rest) ? { passes: true } : undefined;
});

/** Tool safety: `safe`, or `unsafe:` and reasons separated by semicolons. */
const readToolSafety = guardParser((reply) => {
  if (/^safe\.?$/i.test(reply)) return { passes: true };
  const reasons = /^unsafe\b:?([^]*)$/i.exec(reply)?.[1];
  return reasons === undefined ? undefined : { passes: false, categories: categoriesIn(reasons) };
});

/** Parsers of guard models, by their names in `output_parser`: one per family and side. */
export const GUARD_PARSERS = {
  llama_guard_parse_safety: readLlamaGuard,
  nemoguard_parse_prompt_safety: nemoGuard("user safety"),
  nemoguard_parse_response_safety: nemoGuard("response safety"),
  nemotron_reasoning_parse_prompt_safety: nemotronReasoning("prompt harm"),
  nemotron_reasoning_parse_response_safety: nemotronReasoning("response harm"),
  shieldgemma_parse_safety: readShieldGemma,
  granite_guardian_parse_safety: readGraniteGuardian,
  wildguard_parse_prompt_safety: wildGuard("harmful request"),
  wildguard_parse_response_safety: wildGuard("harmful response"),
  topic_safety_parse_verdict: readTopicSafety,
  patronus_lynx_parse_score: readLynx,
  parse_tool_safety_verdict: readToolSafety,
} as const;
