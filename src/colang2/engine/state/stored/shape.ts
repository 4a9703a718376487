import { InputShapeError } from "../../../../diagnostics/errors.js";

export type StoredRecord = Readonly<Record<string, unknown>>;

/** Reads a part of a stored state. `name` is the field it stands in. */
export type Reader<Part> = (stored: unknown, name: string) => Part;

/** A stored state that cannot be read; nothing of it is used. */
export function damaged(problem: string): InputShapeError {
  return new InputShapeError(`the stored conversation is damaged: ${problem}; start a new conversation`);
}

function unexpected(name: string, expected: string): InputShapeError {
  return damaged(`expected ${expected} in \`${name}\``);
}

/** An own property; undefined when there is none. */
export function own(fields: StoredRecord, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
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
  if (typeof stored !== "number" || !Number.isSafeInteger(stored) || stored < 0) {
    throw unexpected(name, "a whole number");
  }
  return stored;
}

/** A number from 0 to 1. */
export function fraction(stored: unknown, name: string): number {
  const read = number(stored, name);
  if (read < 0 || read > 1) throw unexpected(name, "a number from 0 to 1");
  return read;
}

export function flag(stored: unknown, name: string): boolean {
  if (stored !== undefined && typeof stored !== "boolean") throw unexpected(name, "true or false");
  return stored ?? false;
}

export function oneOf<Word extends string>(words: readonly Word[]): Reader<Word> {
  return (stored, name) => {
    const found = words.find((word) => word === stored);
    if (found === undefined) throw unexpected(name, `one of ${words.join(", ")}`);
    return found;
  };
}

export function optional<Part>(read: Reader<Part>): Reader<Part | undefined> {
  return (stored, name) => (stored === undefined ? undefined : read(stored, name));
}

/** A list of parts; an empty one is not stored. */
export function listOf<Part>(read: Reader<Part>): Reader<Part[]> {
  return (stored, name) => (stored === undefined ? [] : list(stored, name).map((item) => read(item, name)));
}

/** A reader of each field. Every field of a record is stored or has an empty value; other fields are refused. */
export type Shape<Fields> = { readonly [Name in keyof Fields]-?: Reader<Fields[Name]> };

export function recordOf<Fields>(shape: Shape<Fields>): Reader<Fields> {
  const readers = Object.entries(shape) as [string, Reader<unknown>][];
  return (stored, name) => {
    const fields = record(stored, name);
    const read: Record<string, unknown> = {};
    for (const [field, readField] of readers) read[field] = readField(own(fields, field), field);
    for (const field of Object.keys(fields)) {
      if (!Object.hasOwn(shape, field)) throw damaged(`\`${name}\` has an unknown field \`${field.slice(0, 80)}\``);
    }
    return read as Fields;
  };
}
