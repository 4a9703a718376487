/** The check of an answer against its evidence: a plain function, registered as an action under its name. */

const FILLERS = new Set(
  "a an and are at be by can did do does for from has have how i in is it me my of on or our should that the their to was we were what when where which who why will with you your".split(
    " ",
  ),
);

/** The words that carry meaning, without endings, so that `opens` and `open` count as one. */
export function contentWords(text: string): Set<string> {
  const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return new Set(words.filter((word) => !FILLERS.has(word)).map((word) => word.replace(/(?:ing|ed|es|s|e)$/, "")));
}

/** An answer is grounded when it stands in the evidence and has something to do with the question. */
export function is_grounded(params: Readonly<Record<string, unknown>>): boolean {
  const answer = contentWords(String(params["answer"] ?? ""));
  const evidence = contentWords(String(params["evidence"] ?? ""));
  const question = contentWords(String(params["question"] ?? ""));
  const supported = [...answer].every((word) => evidence.has(word));
  return supported && [...question].some((word) => answer.has(word));
}
