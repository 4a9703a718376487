/** Local checks of the demo's rails: plain functions, registered as actions under their names. */

const CARD = /(?:\d[ -]?){13,19}/g;

/** Returns true if a text holds a number of 13 to 19 digits that passes the Luhn check. */
export function find_card_number(params: Readonly<Record<string, unknown>>): boolean {
  const candidates = String(params["text"] ?? "").match(CARD) ?? [];
  return candidates.some((candidate) => passesLuhn(candidate.replace(/\D/g, "")));
}

function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const digit = Number(digits[digits.length - 1 - index]);
    const doubled = index % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

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
