import { CLAUSE_WORDS, FALSE_NEGATION, NEGATORS, REVERSALS, type VerdictVocabulary } from "./verdict-words.js";

/** What a stretch of text says about a verdict, negations counted in. */
export interface Signals {
  pass: number;
  fail: number;
  /** Two negators, one behind the word it might belong to, a word that turns everything round. */
  tangled: boolean;
  /** A negator with nothing to negate: "it is not". */
  dangling: boolean;
}

export interface Sentence {
  readonly words: readonly string[];
  /** Words with the punctuation that ends clauses kept as words of their own. */
  readonly tokens: readonly string[];
  readonly isQuestion: boolean;
}

const TOKEN = /[a-z0-9]+(?:'[a-z]+)?|[,:;=()[\]—–-]/g;

/** Cuts normalised text into sentences; a line is at least one. Sentences without a word are dropped. */
export function splitSentences(text: string): readonly Sentence[] {
  const sentences: Sentence[] = [];
  for (const [piece] of text.matchAll(/[^.!?\n]+[.!?]*/g)) {
    const tokens = piece.match(TOKEN) ?? [];
    const words = tokens.filter((token) => /^[a-z0-9]/.test(token));
    if (words.length > 0) sentences.push({ words, tokens, isQuestion: piece.includes("?") });
  }
  return sentences;
}

/** INVARIANT: whenever a negation cannot be attributed with certainty, `tangled` is set. */
export function readSignals(tokens: readonly string[], vocabulary: VerdictVocabulary): Signals {
  const signals: Signals = { pass: 0, fail: 0, tangled: false, dangling: false };
  let negators = 0;
  let decided = 0;
  const endClause = (): void => {
    if (negators > 0 && decided === 0) signals.dangling = true;
    negators = 0;
    decided = 0;
  };
  for (const [index, token] of tokens.entries()) {
    const next = tokens[index + 1] ?? "";
    if (!/^[a-z0-9]/.test(token) || CLAUSE_WORDS.has(token)) endClause();
    else if (NEGATORS.has(token)) {
      if (FALSE_NEGATION.has(next)) signals.tangled = true;
      if (decided > 0 && token !== "nor") signals.tangled = true;
      // "neither … nor" negates once.
      if (token !== "nor" || negators === 0) negators += 1;
    } else {
      const polarity = polarityOf(token, vocabulary);
      if (polarity === undefined) {
        signals.tangled ||= REVERSALS.has(token);
        continue;
      }
      decided += 1;
      if (negators > 1) signals.tangled = true;
      const isPass = (polarity === "pass") === (negators === 0);
      if (isPass) signals.pass += 1;
      else signals.fail += 1;
    }
  }
  endClause();
  return signals;
}

export function polarityOf(word: string, vocabulary: VerdictVocabulary): "pass" | "fail" | undefined {
  if (vocabulary.fail.has(word) || hasStem(word, vocabulary.failStems)) return "fail";
  return vocabulary.pass.has(word) ? "pass" : undefined;
}

export function hasStem(word: string, stems: Iterable<string>): boolean {
  for (const stem of stems) if (word.startsWith(stem)) return true;
  return false;
}
