import type { VerdictGrammar } from "./verdict-grammar.js";

/**
 * The end of a segment: a full stop before a blank, other signs, a dash between blanks, a line, "and". A full stop inside
 * a word or before another one does not count, so that "No...yes" stays one segment.
 */
const SEPARATOR = /\.(?=\s|$)|[!,;。、،।—\n]|:(?=\s)|(?<=\s)[-–](?=\s)|\sand\s/;
/** "No the message is fine", "no because it is safe". */
const NO_COMMA = /^(no|yes)(?= (?:the|this|that|it|because) )/;
const CONJUNCTION = /^(?:because|since|as) /;
/** The reply begins or ends amid a statement. */
const PARTIAL = /^[.!,;:。、،—–-]|[,;:、،—–-]$/;
const QUESTION = /[?¿؟]|!!/;
/** "No (safe)" */
const ASIDE = /\s\(([^()]*)\)/g;
const DENIAL = /^(?:not|false|untrue|wrong|incorrect)$/;
const HEADING = /^(?:explanation|reason|reasoning|rationale|justification)$/;
const CODES = /^[a-z]{1,3}\d{1,2}(?:[\s,]+[a-z]{1,3}\d{1,2})*$/;

/**
 * Reads a verdict in words, freed of its frame: true passes, false fails, undefined is unclear. A pass consists of an
 * answer or a name of the outcome, and of nothing else but statements that mean the same. A fail begins with one; an
 * explanation may follow that contains no word for the contrary.
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
  // "Yes" may answer another question; "unsafe" may not, so that only a contradiction leaves it open.
  const isNamed = !grammar.failAnswers.has(first);
  const isOpen = later.some((segment) => {
    if (grammar.passAnswers.has(segment) || grammar.passNames(segment) || DENIAL.test(segment)) return true;
    // A statement that fails may hold words such as "not".
    return !isNamed && !grammar.failNames(segment) && grammar.contraries.test(segment);
  });
  return isOpen ? undefined : false;
}

/** Returns true if a text explains a pass: nothing, or statements that mean the same. */
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

/** A fail, also with the codes of categories directly behind it. */
function isFail(first: string, grammar: VerdictGrammar): boolean {
  if (grammar.failAnswers.has(first) || grammar.failNames(first)) return true;
  return first.startsWith(`${grammar.failWord} `) && CODES.test(first.slice(grammar.failWord.length + 1));
}
