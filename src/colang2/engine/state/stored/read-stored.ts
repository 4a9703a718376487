import { InputShapeError } from "../../../../diagnostics/errors.js";

/** A stored state that cannot be read; nothing of it is used. */
export function damaged(what: string): InputShapeError {
  return new InputShapeError(`the stored conversation is damaged: ${what}; start a new conversation`);
}

export function readRecord(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw damaged(`${what} is no object`);
  return value as Record<string, unknown>;
}

/** An own property; undefined when there is none. */
export function own(record: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

export function readList(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw damaged(`${what} is no list`);
  return value as unknown[];
}

export function readText(value: unknown, what: string): string {
  if (typeof value !== "string") throw damaged(`${what} is no text`);
  return value;
}

export function readNumber(value: unknown, what: string): number {
  if (typeof value !== "number" || !Number.isFinite(value)) throw damaged(`${what} is no number`);
  return value;
}

/** A whole number that is not negative. */
export function readCount(value: unknown, what: string): number {
  const number = readNumber(value, what);
  if (!Number.isSafeInteger(number) || number < 0) throw damaged(`${what} is no whole number`);
  return number;
}

export function readOneOf<Word extends string>(value: unknown, words: readonly Word[], what: string): Word {
  const found = words.find((word) => word === value);
  if (found === undefined) throw damaged(`${what} is none of the known ones`);
  return found;
}
