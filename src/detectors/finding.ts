/**
 * Disguise that was removed from a text before a rule read it: invisible characters, look-alikes of Latin letters, combining
 * marks and accents, compatibility forms such as full-width letters, letters written apart, encodings, numbers and other
 * alphabets for letters, and simple ciphers.
 */
export type TextLayer =
  | "invisible"
  | "confusables"
  | "combining"
  | "compatibility"
  | "base64"
  | "base32"
  | "hex"
  | "percent"
  | "entities"
  | "escapes"
  | "quoted-printable"
  | "numbers"
  | "spelling"
  | "leetspeak"
  | "spaced"
  | "rot13"
  | "reversed";

/**
 * Piece of a text that a detector found. It does not hold the text itself, so that it can be logged: `textOf` gives it.
 *
 * @example
 * ```ts
 * detect("mail ada@example.org", [personalData()]);
 * // [{ type: "EMAIL_ADDRESS", start: 5, end: 20, score: 1, detector: "personal-data", rule: "email" }]
 * ```
 */
export interface Finding {
  /** Kind of the finding in capitals: an entity name of Presidio (`EMAIL_ADDRESS`), or a name of our own (`JAILBREAK`). */
  readonly type: string;
  /** Offset of the first UTF-16 code unit in the text that was scanned. */
  readonly start: number;
  /** Offset after the last UTF-16 code unit. */
  readonly end: number;
  /** Certainty between 0 and 1. */
  readonly score: number;
  /** Name of the detector, for example `personal-data`. */
  readonly detector: string;
  /** Name of the rule within the detector, for example `email`. */
  readonly rule: string;
  /** Disguises that were removed to find it, outermost first; absent if the text contains it undisguised. */
  readonly layers?: readonly TextLayer[];
}

/**
 * Returns the text of a finding.
 *
 * @example
 * ```ts
 * const text = "mail ada@example.org";
 * detect(text, [personalData()]).map((finding) => textOf(finding, text)); // ["ada@example.org"]
 * ```
 */
export function textOf(finding: Pick<Finding, "start" | "end">, text: string): string {
  return text.slice(finding.start, finding.end);
}
