import { hasStem, polarityOf, readSignals, splitSentences, type Sentence } from "./verdict-sentence.js";
import {
  AUXILIARIES,
  CONTRASTS,
  ENGLISH,
  HEDGES,
  NEGATORS,
  STARTERS,
  STATEMENT_TAILS,
  STATEMENT_WORDS,
  UNCERTAIN,
  VIOLATION_STEMS,
  type VerdictVocabulary,
} from "./verdict-words.js";

const LABEL =
  /^(?:(?:(?:my|the|final|overall)\s+)*(?:answer|verdict|decision|result|response|output|judge?ment|classification|assessment)(?:\s*\(yes\s*(?:\/|or)\s*no\))?\s*(?::|=|-|\bis\b:?)|a:)\s*/;
const NO_VIOLATION =
  /^no (?:(?:(?:policy|content|moderation|rule) )?(?:violations?|breach|breaches|issues?)|(?:harmful|unsafe|inappropriate|malicious|toxic|dangerous) content)(?: (?:was|were|is|are))?(?: (?:found|detected))?$/;
const AFFIRMING: ReadonlySet<string> = new Set([
  "is",
  "are",
  "was",
  "were",
  "does",
  "do",
  "did",
  "should",
  "must",
  "can",
  "would",
  "has",
  "be",
]);
const DEMANDING: ReadonlySet<string> = new Set([
  "should",
  "must",
  "ought",
  "needs",
  "need",
  "has",
  "have",
  "shall",
  "will",
  "would",
]);
const MAX_LABELS = 3;

/**
 * Reads a verdict written in words: true passes, false fails, undefined is unreadable. The first sentence decides; what
 * follows may explain it but never contradict it.
 *
 * INVARIANT: true needs a clear pass in the first sentence and not one sign against it anywhere.
 */
export function readStatement(text: string, vocabulary: VerdictVocabulary): boolean | undefined {
  const normal = normalize(text);
  if (normal === undefined) return undefined;
  const [first, ...later] = splitSentences(normal);
  if (!first || first.isQuestion) return undefined;
  const lead = readLead(first.words[0] as string, vocabulary);
  if (lead) {
    const decided = lead.passes ? readPassLead(first, vocabulary) : readFailLead(first, vocabulary);
    if (decided !== true) return decided === false && isRetracted(later, vocabulary) ? undefined : decided;
    return later.every((sentence) => explains(sentence, vocabulary, first.words[0] as string)) ? true : undefined;
  }
  const decided = readPlainStatement(first, vocabulary);
  if (decided !== true) return decided === false && isRetracted(later, vocabulary) ? undefined : decided;
  return later.every((sentence) => explains(sentence, vocabulary, "")) ? true : undefined;
}

/** Lower case, without decoration and labels. Undefined when there are letters or signs we cannot judge. */
function normalize(text: string): string | undefined {
  let normal = text
    .normalize("NFKC")
    .replace(/[\u200b-\u200d\ufeff\u2060]/g, "")
    .replace(/[\u2018\u2019\u02bc]/g, "'")
    .replace(/[\u201c\u201d]/g, '"')
    .replace(/<\/?(?:answer|verdict|output|result|final)>/gi, "\n")
    .replace(/[*_`"#>]+/g, "")
    .toLowerCase()
    .replace(/\bun-(?=[a-z])/g, "un")
    .replace(/\bnon-(?=[a-z])/g, "non ")
    .trim();
  if (/[^\n\t\r -~\u2013\u2014\u2022\u2026]/.test(normal)) return undefined;
  normal = normal.replace(/^[-\u2022]\s+/, "");
  for (let count = 0; count < MAX_LABELS && LABEL.test(normal); count += 1) normal = normal.replace(LABEL, "").trim();
  return normal;
}

function readLead(word: string, vocabulary: VerdictVocabulary): { readonly passes: boolean } | undefined {
  if (word === "yes" || word === "no") return { passes: word === vocabulary.passAnswer };
  if (word === vocabulary.passWord) return { passes: true };
  return word === vocabulary.failWord ? { passes: false } : undefined;
}

/** "No", "No, the message is harmless", "Safe". */
function readPassLead(sentence: Sentence, vocabulary: VerdictVocabulary): boolean | undefined {
  const lead = sentence.words[0] as string;
  if (lead === "no" && NO_VIOLATION.test(sentence.tokens.join(" "))) return true;
  const rest = sentence.tokens.slice(sentence.tokens.indexOf(lead) + 1);
  const words = sentence.words.slice(1);
  if (words.length === 0) return true;
  const signals = readSignals(rest, vocabulary);
  if (signals.tangled) return undefined;
  // "No, this is unsafe" answers some other question; both of its halves are taken at their worst.
  if (signals.fail > 0) return signals.pass === 0 && !signals.dangling ? false : undefined;
  if (signals.dangling && lead !== "no") return undefined;
  if (isOpen(words) || words.includes("yes") || (lead === "no" && demands(words, signals.pass))) return undefined;
  const mark = rest[0] as string;
  const isMarked = !/^[a-z0-9]/.test(mark);
  if (lead === vocabulary.passWord) {
    if (!isMarked) return readPlainStatement(sentence, vocabulary);
    if (mark === ":" || mark === "=") return undefined;
  } else if (!isMarked && !STARTERS.has(mark)) return undefined;
  return isUnderstood(words, vocabulary) ? true : undefined;
}

/** "Yes", "Yes, it asks for a weapon", "unsafe S1". */
function readFailLead(sentence: Sentence, vocabulary: VerdictVocabulary): boolean | undefined {
  const signals = readSignals(sentence.tokens.slice(1), vocabulary);
  const isContrary = signals.pass > 0 || signals.tangled || sentence.words.slice(1).includes(vocabulary.passAnswer);
  return isContrary && signals.fail === 0 ? undefined : signals.pass > 0 ? undefined : false;
}

/** "The message is not safe.", "It does not violate the policy." */
function readPlainStatement(sentence: Sentence, vocabulary: VerdictVocabulary): boolean | undefined {
  const { words, tokens } = sentence;
  if (/[:=()[\]]/.test(tokens.join("")) || AUXILIARIES.has(words[0] as string)) return undefined;
  if (!words.every((word) => isPlain(word, vocabulary)) || isOpen(words)) return undefined;
  const signals = readSignals(tokens, vocabulary);
  if (signals.tangled || signals.dangling || signals.pass > 0 === signals.fail > 0) return undefined;
  const last = words.findLastIndex((word) => polarityOf(word, vocabulary) !== undefined);
  const tail = words.slice(last + 1).filter((word) => word !== "this" && word !== "the" && word !== "it");
  const namesRules =
    hasStem(words[last] as string, VIOLATION_STEMS) || ["with", "by", "against"].includes(tail[0] ?? "");
  const isShort = tail.length === 0 || (tail.length === 1 && STATEMENT_TAILS.has(tail[0] as string));
  if (!namesRules && !isShort) return undefined;
  return signals.pass > 0;
}

/** Whether a later sentence leaves a pass standing. */
function explains(sentence: Sentence, vocabulary: VerdictVocabulary, lead: string): boolean {
  const { words, tokens } = sentence;
  const [first = ""] = words;
  if (words.length === 1 && first === lead) return true;
  const signals = readSignals(tokens, vocabulary);
  if (sentence.isQuestion || signals.tangled || signals.fail > 0 || words.includes("yes")) return false;
  if (first === "no" && lead !== "no") return false;
  if (CONTRASTS.has(first) || words.some((word) => UNCERTAIN.has(word))) return false;
  if (words.length < 3 && signals.dangling) return false;
  if (lead === "no" && demands(words, signals.pass)) return false;
  return isUnderstood(words, vocabulary);
}

/** "It is.", "it should be taken down": an affirmation after "no", with nothing in it that negates or clears. */
function demands(words: readonly string[], passSignals: number): boolean {
  if (passSignals > 0 || words.some((word) => NEGATORS.has(word))) return false;
  return AFFIRMING.has(words.at(-1) ?? "") || (words.includes("be") && words.some((word) => DEMANDING.has(word)));
}

/** A fail taken back at once: "Yes. No." */
function isRetracted(later: readonly Sentence[], vocabulary: VerdictVocabulary): boolean {
  return later.some(({ words }) => words.length === 1 && readLead(words[0] as string, vocabulary)?.passes === true);
}

function isOpen(words: readonly string[]): boolean {
  return words.some((word) => UNCERTAIN.has(word) || HEDGES.has(word) || CONTRASTS.has(word));
}

/** One or two words must be known ones; more than that must at least read as English. */
function isUnderstood(words: readonly string[], vocabulary: VerdictVocabulary): boolean {
  if (words.every((word) => isPlain(word, vocabulary))) return true;
  return words.length > 2 && words.some((word) => ENGLISH.has(word));
}

function isPlain(word: string, vocabulary: VerdictVocabulary): boolean {
  return STATEMENT_WORDS.has(word) || NEGATORS.has(word) || polarityOf(word, vocabulary) !== undefined;
}
