import { InputShapeError } from "../diagnostics/errors.js";

export type StoredRecord = Readonly<Record<string, unknown>>;

/** Reads or rejects a part of a stored state. `name` is its field; `context` reads program values. */
export type Reader<Part, Context = unknown> = (stored: unknown, name: string, context: Context) => Part;

type AnyReader = Reader<unknown, never>;

/** The type that a reader returns. */
export type ReadBy<Read extends AnyReader> = ReturnType<Read>;

/** The context that all of the readers together need. */
type ContextOf<Read extends AnyReader> = [Read] extends [Reader<unknown, infer Context>] ? Context : never;

/** A stored state that cannot be read; nothing of it is used. */
export function damaged(problem: string): InputShapeError {
  return new InputShapeError(`the stored conversation is damaged: ${problem}; start a new conversation`);
}

function unexpected(name: string, expected: string): InputShapeError {
  return damaged(`expected ${expected} in \`${name}\``);
}

export function record(stored: unknown, name: string): StoredRecord {
  if (typeof stored !== "object" || stored === null || Array.isArray(stored)) throw unexpected(name, "an object");
  return stored as StoredRecord;
}

export function list(stored: unknown, name: string): readonly unknown[] {
  if (!Array.isArray(stored)) throw unexpected(name, "a list");
  return stored as unknown[];
}

export function text(stored: unknown, name: string): string {
  if (typeof stored !== "string") throw unexpected(name, "a text");
  return stored;
}

export function number(stored: unknown, name: string): number {
  if (typeof stored !== "number" || !Number.isFinite(stored)) throw unexpected(name, "a number");
  return stored;
}

/** A whole number that is not negative. */
export function count(stored: unknown, name: string): number {
  if (!Number.isSafeInteger(stored) || (stored as number) < 0) throw unexpected(name, "a whole number");
  return stored as number;
}

/** A number from 0 to 1. */
export function fraction(stored: unknown, name: string): number {
  const read = number(stored, name);
  if (read < 0 || read > 1) throw unexpected(name, "a number from 0 to 1");
  return read;
}

/** True or false; false is not stored. */
export function flag(stored: unknown, name: string): boolean {
  if (stored !== undefined && typeof stored !== "boolean") throw unexpected(name, "true or false");
  return stored ?? false;
}

export function oneOf<const Word>(...words: readonly Word[]): Reader<Word> {
  return (stored, name) => {
    if (!words.includes(stored as Word)) throw unexpected(name, `one of ${words.join(", ")}`);
    return stored as Word;
  };
}

export function orNull<Part>(read: Reader<Part>): Reader<Part | null> {
  return (stored, name, context) => (stored === null ? null : read(stored, name, context));
}

export function optional<Read extends AnyReader>(read: Read): Reader<ReadBy<Read> | undefined, ContextOf<Read>> {
  return (stored, name, context) =>
    stored === undefined ? undefined : (read(stored, name, context as never) as ReadBy<Read>);
}

/** A list of parts that changes in place; an empty one is not stored. */
export function arrayOf<Read extends AnyReader>(read: Read): Reader<ReadBy<Read>[], ContextOf<Read>> {
  return (stored, name, context) =>
    stored === undefined ? [] : list(stored, name).map((item) => read(item, name, context as never) as ReadBy<Read>);
}

/** A list of parts; an empty one is not stored. */
export function listOf<Read extends AnyReader>(read: Read): Reader<readonly ReadBy<Read>[], ContextOf<Read>> {
  return arrayOf(read);
}

/** A reader of each field. */
type Fields = Readonly<Record<string, AnyReader>>;

type RecordOf<Fixed extends Fields, Changing extends Fields = Record<never, never>> = {
  readonly [Name in keyof Fixed]: ReadBy<Fixed[Name]>;
} & {
  -readonly [Name in keyof Changing]: ReadBy<Changing[Name]>;
};

/**
 * A record with these fields. Every field is stored or has an empty value; other fields are refused.
 *
 * @param changing - the fields that change while a conversation runs
 *
 * @example
 * ```ts
 * const SCOPE = recordOf({ order: count, members: arrayOf(text) }, { isOpen: flag });
 * type Scope = ReadBy<typeof SCOPE>; // { readonly order: number; readonly members: string[]; isOpen: boolean }
 * ```
 */
export function recordOf<Fixed extends Fields, Changing extends Fields = Record<never, never>>(
  fixed: Fixed,
  changing?: Changing,
): Reader<RecordOf<Fixed, Changing>, ContextOf<(Fixed & Changing)[keyof (Fixed & Changing)]>> {
  return readFields({ ...fixed, ...changing }, true) as never;
}

/** A record with these fields, all of which are stored; others are left out. */
export function fieldsOf<Fixed extends Fields>(fields: Fixed): Reader<RecordOf<Fixed>, ContextOf<Fixed[keyof Fixed]>> {
  return readFields(fields, false) as never;
}

function readFields(all: Fields, isClosed: boolean): Reader<StoredRecord> {
  const readers = Object.entries(all);
  // Copied per record: existing fields are set several times faster than new ones are added.
  const empty = Object.fromEntries(readers.map(([field]) => [field, undefined as unknown]));
  return (stored, name, context) => {
    const fields = record(stored, name);
    const read = { ...empty };
    let found = 0;
    for (const [field, readField] of readers) {
      const part = fields[field];
      if (part !== undefined) found += 1;
      read[field] = readField(part, field, context as never);
    }
    const names = Object.keys(fields);
    if (!isClosed || found === names.length) return read;
    const unknown = names.find((field) => !Object.hasOwn(all, field));
    if (unknown !== undefined) throw damaged(`\`${name}\` has an unknown field \`${unknown.slice(0, 80)}\``);
    return read;
  };
}
