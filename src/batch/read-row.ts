import { isMap } from "../engine/plain-data.js";

/** A row to moderate: the value, and its side of the conversation. */
export interface BatchRow {
  /** Line of the file, counted from 1. */
  readonly line: number;
  /** The `id` of the row, unchanged. */
  readonly id?: string | number | undefined;
  readonly value: unknown;
  /** Side whose rails check the value; absent if the last message decides. */
  readonly stage?: "input" | "output" | undefined;
}

/** A line that is not a row, with its problem. */
export interface UnreadableRow {
  readonly line: number;
  readonly id?: string | number | undefined;
  readonly problem: string;
}

const EXPECTED = "expected `text`, `messages`, or `output` with an optional `input`";

/** Longest id in characters that a result repeats. */
const MAX_ID = 1000;

/**
 * Reads one line of JSON (undefined for one that is too long): `{ text }`, on the side `stage`; `{ messages }`, whose
 * last message decides the side; or `{ input, output }`, a response with its question. An `id` is copied to the result.
 */
export function readRow(line: number, text: string | undefined, stage: "input" | "output"): BatchRow | UnreadableRow {
  if (text === undefined) return { line, problem: "the line is too long" };
  let row: unknown;
  try {
    row = JSON.parse(text);
  } catch {
    return { line, problem: "expected a line of JSON" };
  }
  if (!isMap(row)) return { line, problem: `expected an object, got ${typeName(row)}` };
  const field = (key: string): unknown => (Object.hasOwn(row, key) ? row[key] : undefined);
  const rawId = field("id");
  const isId = typeof rawId === "number" || (typeof rawId === "string" && rawId.length <= MAX_ID);
  const id = isId ? rawId : undefined;
  const [content, messages, input, output] = ["text", "messages", "input", "output"].map(field);
  const kinds = [content, messages, output].filter((value) => value !== undefined);
  if (kinds.length !== 1) return { line, id, problem: kinds.length === 0 ? EXPECTED : `${EXPECTED}, got several` };
  if (content !== undefined) {
    if (typeof content !== "string")
      return { line, id, problem: `expected \`text\` to be a text, got ${typeName(content)}` };
    return { line, id, value: content, stage };
  }
  if (messages !== undefined) {
    if (Array.isArray(messages) && messages.length > 0) return { line, id, value: messages };
    return { line, id, problem: `expected \`messages\` to be a list of messages, got ${typeName(messages)}` };
  }
  if (typeof output !== "string")
    return { line, id, problem: `expected \`output\` to be a text, got ${typeName(output)}` };
  if (input === undefined) return { line, id, value: output, stage: "output" };
  if (typeof input !== "string")
    return { line, id, problem: `expected \`input\` to be a text, got ${typeName(input)}` };
  return { line, id, value: { input, output }, stage: "output" };
}

/** INVARIANT: names nothing that the row holds. */
function typeName(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
