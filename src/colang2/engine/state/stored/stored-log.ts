import { LOG_NAMES, type HistoryEntry } from "../records.js";
import type { PlainData } from "../../../../engine/plain-data.js";
import { count, damaged, oneOf, recordOf, text } from "../../../../engine/stored-shape.js";

/**
 * A log event, compactly: its kind, the flow, the parameter and the intent, without the nulls at the end. Texts that are
 * stored along with the state are written as their numbers, as a parameter or in the name of a flow, and a name that holds its
 * parameter is the pieces around it.
 */
export function writeLog(
  { name, flow, parameter, intent }: HistoryEntry,
  texts: ReadonlyMap<string, number>,
): PlainData {
  const stored = parameter === null ? null : (texts.get(parameter) ?? parameter);
  const kind = LOG_NAMES.indexOf(name);
  const pieces = writeName(flow, parameter, texts);
  if (typeof intent === "string") return [kind, pieces, stored, intent];
  return stored === null ? [kind, pieces] : [kind, pieces, stored];
}

/** `user said "hello"` is `["user said \"", 7, "\""]` where the text 7 is `hello`. */
function writeName(flow: string, parameter: string | null, texts: ReadonlyMap<string, number>): PlainData {
  const from = flow.indexOf('"') + 1;
  const to = flow.lastIndexOf('"');
  const number = from > 0 && to > from ? texts.get(flow.slice(from, to)) : undefined;
  if (number !== undefined) return [flow.slice(0, from), number, flow.slice(to)];
  const at = parameter === null || parameter === "" ? -1 : flow.indexOf(parameter);
  if (parameter === null || at === -1 || flow.includes(parameter, at + 1)) return flow;
  return [flow.slice(0, at), flow.slice(at + parameter.length)];
}

/** @throws InputShapeError for what `writeLog` never wrote */
export function readLog(stored: unknown, texts: readonly string[]): HistoryEntry {
  if (!Array.isArray(stored)) return readFirstForm(stored, "history", undefined);
  const parts: readonly unknown[] = stored;
  const kind = parts[0];
  const name = typeof kind === "number" ? LOG_NAMES[kind] : undefined;
  if (name === undefined) throw damaged("a log is of a wrong kind");
  const given = parts.length > 2 ? parts[2] : null;
  const parameter = typeof given === "number" ? readShared(given, texts) : readTextOrNull(given);
  const flow = readName(parts[1], parameter, texts);
  if (name === "UserIntentLog" || name === "BotIntentLog") return { name, flow, parameter };
  return { name, flow, parameter, intent: parts.length > 3 ? readTextOrNull(parts[3]) : null };
}

function readName(stored: unknown, parameter: string | null, texts: readonly string[]): string {
  if (!Array.isArray(stored)) return text(stored, "a log");
  const pieces: readonly unknown[] = stored;
  const between = pieces.length > 2 ? readShared(pieces[1], texts) : (parameter ?? "");
  return text(pieces[0], "a log") + between + text(pieces.at(-1), "a log");
}

function readShared(number: unknown, texts: readonly string[]): string {
  const found = texts[count(number, "a log")];
  if (found === undefined) throw damaged("a text of a log is missing");
  return found;
}

function readTextOrNull(value: unknown): string | null {
  return value === null ? null : text(value, "a log");
}

/** The form of the first version. */
const readFirstForm = recordOf({
  name: oneOf(...LOG_NAMES),
  flow: text,
  parameter: (stored) => readTextOrNull(stored ?? null),
  intent: (stored) => (stored === undefined ? undefined : readTextOrNull(stored)),
});
