import { InputShapeError } from "../../diagnostics/errors.js";
import type { Finding } from "../finding.js";
import { joinOverlaps } from "./ranges.js";
import { RestoringStream, type RestoreOptions } from "./restoring-stream.js";

/** Names in pseudonyms for types with a long name; other types stand for themselves. */
const LABELS: ReadonlyMap<string, string> = new Map([
  ["EMAIL_ADDRESS", "EMAIL"],
  ["PHONE_NUMBER", "PHONE"],
  ["CREDIT_CARD", "CARD"],
  ["IBAN_CODE", "IBAN"],
  ["IP_ADDRESS", "IP"],
  ["MAC_ADDRESS", "MAC"],
  ["DOMAIN_NAME", "DOMAIN"],
  ["DATE_TIME", "DATE"],
  ["US_SSN", "SSN"],
]);
/** Stands for a text that looks like a pseudonym and is not one of ours. */
const LITERAL = "LITERAL";
const LONGEST_LABEL = 40;
const PSEUDONYM = /<([A-Z][A-Z0-9_]{0,39})_([1-9]\d{0,8})>/g;
/** Levels of arrays and objects in which pseudonyms are restored. */
const MOST_LEVELS = 200;

/** One value and its pseudonym, `<LABEL_NUMBER>`. */
export interface PseudonymEntry {
  readonly label: string;
  readonly number: number;
  readonly value: string;
}

/** State of pseudonyms as plain JSON, to be stored with a conversation. It holds the values. */
export interface PseudonymState {
  readonly entries: readonly PseudonymEntry[];
}

/**
 * Reversible pseudonyms of one conversation: a value that a detector found becomes `<EMAIL_1>` towards the model, and is
 * restored in the model's output. The same value of a type always has the same pseudonym; numbers count per label.
 *
 * - A text that looks like a pseudonym before values are replaced, such as a literal `<EMAIL_1>` in a document, gets a
 *   pseudonym of its own (`<LITERAL_1>`), so that it is restored as it was and never to a value of the conversation.
 * - A pseudonym that was never given, such as `<EMAIL_9>` invented by a model, stays as it is.
 *
 * @example
 * ```ts
 * const pseudonyms = new Pseudonyms();
 * const text = "mail ada@example.org";
 * const masked = pseudonyms.replace(text, detect(text, [personalData()])); // "mail <EMAIL_1>"
 * pseudonyms.restore("I wrote to <EMAIL_1>."); // "I wrote to ada@example.org."
 * ```
 */
export class Pseudonyms {
  /** Values by pseudonym. */
  readonly #values = new Map<string, string>();
  /** Pseudonyms by label and value. */
  readonly #pseudonyms = new Map<string, string>();
  readonly #counts = new Map<string, number>();
  readonly #entries: PseudonymEntry[] = [];
  /** Entries in the order of `hide`; undefined after a change. */
  #known: readonly PseudonymEntry[] | undefined;

  /**
   * Continues from a stored state.
   *
   * @throws InputShapeError if the state was not made by `toJSON`
   */
  constructor(state?: PseudonymState) {
    if (state !== undefined) for (const entry of readEntries(state)) this.#add(entry);
  }

  /** State of these pseudonyms as plain JSON. */
  toJSON(): PseudonymState {
    return { entries: [...this.#entries] };
  }

  /** Returns the pseudonym of a value, a new one if it has none. */
  pseudonymOf(type: string, value: string): string {
    return this.#pseudonymOf(labelOf(type), value);
  }

  /** Returns a text in which findings are replaced by pseudonyms. Findings that overlap are replaced together. */
  replace(text: string, findings: readonly Finding[]): string {
    let replaced = "";
    let at = 0;
    for (const { start, end, best } of joinOverlaps(findings)) {
      replaced += this.protect(text.slice(at, start)) + this.pseudonymOf(best.type, text.slice(start, end));
      at = end;
    }
    return replaced + this.protect(text.slice(at));
  }

  /** Returns a text in which everything that looks like a pseudonym has one of its own, so that it is restored as it was. */
  protect(text: string): string {
    return text.replaceAll(PSEUDONYM, (literal) => this.#pseudonymOf(LITERAL, literal));
  }

  /** Returns a text in which pseudonyms are the values that they stand for. */
  restore(text: string): string {
    return text.replaceAll(PSEUDONYM, (pseudonym) => this.#values.get(pseudonym) ?? pseudonym);
  }

  /**
   * Returns a text in which known values are replaced by their pseudonyms where they stand as whole words, the longest first: for
   * texts that quote the conversation, such as an earlier answer. It does not look for new values.
   *
   * @example
   * ```ts
   * pseudonyms.hide("I wrote to ada@example.org."); // "I wrote to <EMAIL_1>."
   * ```
   */
  hide(text: string): string {
    this.#known ??= this.#entries
      .filter(({ label, value }) => label !== LITERAL && value !== "")
      .sort((a, b) => b.value.length - a.value.length);
    // INVARIANT: a pseudonym that was put in is not searched for other values.
    let pieces: readonly Piece[] = [{ text, isHidden: false }];
    for (const { label, number, value } of this.#known) {
      if (!text.includes(value)) continue;
      const pseudonym = `<${label}_${number}>`;
      pieces = pieces.flatMap((piece) => (piece.isHidden ? piece : hideIn(piece.text, value, pseudonym)));
    }
    return pieces.map((piece) => piece.text).join("");
  }

  /**
   * Returns a copy of a JSON value, for example of the arguments of a tool call, in which pseudonyms are restored in all texts
   * and keys. Objects that are not plain stay as they are.
   *
   * @example
   * ```ts
   * pseudonyms.restoreIn({ to: ["<EMAIL_1>"] }); // { to: ["ada@example.org"] }
   * ```
   */
  restoreIn<Value>(value: Value): Value {
    // The shape stays: only texts change.
    return this.#restoreIn(value, 0) as Value;
  }

  /**
   * Returns a stream that restores pseudonyms which chunks cut.
   *
   * @example
   * ```ts
   * const stream = pseudonyms.restoreStream();
   * stream.push("to <EMA") + stream.push("IL_1>.") + stream.finish(); // "to ada@example.org."
   * ```
   */
  restoreStream(options?: RestoreOptions): RestoringStream {
    return new RestoringStream(this, options);
  }

  /** Returns true if a text is a pseudonym of ours without its end. */
  mayBegin(text: string): boolean {
    for (const [label, count] of this.#counts) {
      const head = `<${label}_`;
      if (head.startsWith(text)) return true;
      const digits = text.startsWith(head) ? text.slice(head.length) : "0";
      if (/^[1-9]\d{0,8}$/.test(digits) && Number(digits) <= count) return true;
    }
    return false;
  }

  #restoreIn(value: unknown, level: number): unknown {
    if (typeof value === "string") return this.restore(value);
    if (typeof value !== "object" || value === null || level >= MOST_LEVELS) return value;
    if (Array.isArray(value)) return value.map((item) => this.#restoreIn(item, level + 1));
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) return value;
    // INVARIANT: `fromEntries` defines properties, so that a restored key never reaches a setter such as `__proto__`.
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [this.restore(key), this.#restoreIn(item, level + 1)]),
    );
  }

  #pseudonymOf(label: string, value: string): string {
    const known = this.#pseudonyms.get(`${label} ${value}`);
    if (known !== undefined) return known;
    return this.#add({ label, number: (this.#counts.get(label) ?? 0) + 1, value });
  }

  #add(entry: PseudonymEntry): string {
    const { label, number, value } = entry;
    const pseudonym = `<${label}_${number}>`;
    this.#entries.push(entry);
    this.#known = undefined;
    this.#values.set(pseudonym, value);
    this.#pseudonyms.set(`${label} ${value}`, pseudonym);
    this.#counts.set(label, Math.max(number, this.#counts.get(label) ?? 0));
    return pseudonym;
  }
}

/** Part of a text in which known values are replaced. */
interface Piece {
  readonly text: string;
  readonly isHidden: boolean;
}

/** Replaces a value where no letter or digit stands next to it. */
function hideIn(text: string, value: string, pseudonym: string): readonly Piece[] {
  const isWord = (unit: string | undefined): boolean => unit !== undefined && /[\p{L}\p{N}]/u.test(unit);
  const pieces: Piece[] = [];
  let done = 0;
  for (let at = text.indexOf(value); at !== -1; at = text.indexOf(value, at + value.length)) {
    if (isWord(text[at - 1]) || isWord(text[at + value.length])) continue;
    pieces.push({ text: text.slice(done, at), isHidden: false }, { text: pseudonym, isHidden: true });
    done = at + value.length;
  }
  return [...pieces, { text: text.slice(done), isHidden: false }];
}

function labelOf(type: string): string {
  const label =
    LABELS.get(type) ??
    type
      .toUpperCase()
      .replaceAll(/[^A-Z0-9_]/g, "_")
      .slice(0, LONGEST_LABEL);
  return /^[A-Z]/.test(label) ? label : `TYPE${label}`.slice(0, LONGEST_LABEL);
}

function readEntries(state: PseudonymState): readonly PseudonymEntry[] {
  // A state comes from storage and may be anything.
  const entries: unknown = (state as Partial<PseudonymState> | null)?.entries;
  if (!Array.isArray(entries) || !entries.every(isEntry)) {
    throw new InputShapeError(
      "expected the state of pseudonyms as `toJSON` gave it: `{ entries: [{ label, number, value }] }`",
    );
  }
  return entries;
}

function isEntry(value: unknown): value is PseudonymEntry {
  if (typeof value !== "object" || value === null) return false;
  const { label, number, value: entryValue } = value as Partial<Record<keyof PseudonymEntry, unknown>>;
  const isNumber = typeof number === "number" && Number.isInteger(number) && number >= 1 && number < 1e9;
  return (
    typeof label === "string" && /^[A-Z][A-Z0-9_]{0,39}$/.test(label) && isNumber && typeof entryValue === "string"
  );
}
