import type { VerdictGrammar } from "./verdict-grammar.js";

/**
 * The end of a segment: a full stop before white space, other punctuation, a dash between spaces, a line break, "and".
 * A full stop inside a word or before another one does not count, so "No...yes" stays one segment.
 */
const SEPARATOR = /\.(?=\s|$)|[!,;。、،।—\n]|:(?=\s)|(?<=\s)[-–](?=\s)|\sand\s/;
/** "No the message is fine", "no because it is safe". */
const NO_COMMA = /^(no|yes)(?= (?:the|this|that|it|because) )/;
const CONJUNCTION = /^(?:because|since|as) /;
/** The reply begins or ends in the middle of a statement. */
const PARTIAL = /^[.!,;:。、،—–-]|[,;:、،—–-]$/;
const QUESTION = /[?¿؟]|!!/;
/** "No (safe)" */
const ASIDE = /\s\(([^()]*)\)/g;
const DENIAL = /^(?:not|false|untrue|wrong|incorrect)$/;
const HEADING = /^(?:explanation|reason|reasoning|rationale|justification)$/;
const CODES = /^[a-z]{1,3}\d{1,2}(?:[\s,]+[a-z]{1,3}\d{1,2})*$/;

/**
 * Reads an unframed verdict in words: true passes, false fails, undefined is unclear. A pass consists of an answer or
 * an outcome, and otherwise only of statements with the same meaning. A fail begins with one; an explanation may follow
 * that contains no contrary words.
 *
 * INVARIANT: a text passes only if the grammar derives all of it.
 */
export function readStatement(given: string, grammar: VerdictGrammar): boolean | undefined {
  const text = given.toLowerCase().trim();
  if (QUESTION.test(text) || PARTIAL.test(text)) return undefined;
  const [first, ...later] = segmentsOf(text);
  if (first === undefined || HEADING.test(later.at(-1) ?? "")) return undefined;
  const isAnswer = grammar.passAnswers.has(first);
  if (isAnswer || grammar.passNames(first)) {
    const others = later[0] === first ? later.slice(1) : later;
    const confirms = (segment: string): boolean =>
      grammar.passNames(segment) || (isAnswer && (grammar.echoes(segment) || HEADING.test(segment)));
    if (others.every(confirms)) return true;
    // "No, this is unsafe" answers the opposite question.
    return isAnswer && later.some(grammar.failNames) && !later.some(grammar.passNames) ? false : undefined;
  }
  if (!isFail(first, grammar)) return undefined;
  // "Yes" may answer another question, but "unsafe" cannot: only a contradiction makes it unclear.
  const isNamed = !grammar.failAnswers.has(first);
  const isOpen = later.some((segment) => {
    if (grammar.passAnswers.has(segment) || grammar.passNames(segment) || DENIAL.test(segment)) return true;
    // A failing statement may contain words such as "not".
    return !isNamed && !grammar.failNames(segment) && grammar.contraries.test(segment);
  });
  return isOpen ? undefined : false;
}

/** Returns true if a text explains a pass: it is empty, or all statements mean the same. */
export function explainsPass(given: string, grammar: VerdictGrammar): boolean {
  return given.trim() === "" || readStatement(`${grammar.passAnswer}.\n${given}`, grammar) === true;
}

function segmentsOf(text: string): readonly string[] {
  return text
    .replace(ASIDE, ", $1")
    .replace(NO_COMMA, "$1,")
    .split(SEPARATOR)
    .map((segment, index) => (index === 0 ? segment.trim() : segment.trim().replace(CONJUNCTION, "")))
    .filter((segment) => segment !== "");
}

/** Returns true for a fail, including one directly followed by category codes. */
function isFail(first: string, grammar: VerdictGrammar): boolean {
  if (grammar.failAnswers.has(first) || grammar.failNames(first)) return true;
  return first.startsWith(`${grammar.failWord} `) && CODES.test(first.slice(grammar.failWord.length + 1));
}
