import { InputShapeError } from "../../diagnostics/errors.js";

const HINT =
  "expected plain data: objects, lists, strings, numbers and booleans, at most a few hundred levels deep, without cycles";

/**
 * Plain data as JSON; a bigint as its digits.
 *
 * @throws InputShapeError for data that no JSON can hold: what cannot be read must not pass unreviewed
 */
export function jsonText(value: unknown, subject: string): string {
  try {
    const write = (_key: string, inner: unknown): unknown => (typeof inner === "bigint" ? String(inner) : inner);
    return JSON.stringify(value, write) ?? "";
  } catch {
    throw new InputShapeError(`${subject} cannot be read, so rails cannot check them; ${HINT}`);
  }
}
