import { LOG_NAMES, type HistoryEntry } from "../records.js";
import type { PlainData } from "../../../../engine/plain-data.js";
import { count, damaged, oneOf, recordOf, text } from "../../../../engine/stored-shape.js";

/** Texts stored along with a state, such as those of its history. */
export interface SharedTexts {
  /** Number of the first text. A text keeps its number while it is stored. */
  readonly first: number;
  /** In number order; undefined for a text that must not be referenced. */
  readonly texts: readonly (string | undefined)[];
}

const NO_TEXTS: SharedTexts = { first: 0, texts: [] };

interface WrittenLog {
  readonly entry: HistoryEntry;
  readonly row: PlainData;
  /** Lowest number of a text referenced by the row. */
  readonly lowest: number;
}

/** Log events of a conversation as last stored: they never change, so most need not be written again. */
export class WrittenLogs {
  #shared = NO_TEXTS;
  #written: readonly WrittenLog[] = [];

  /** Number of the first text that the rows may reference. */
  get first(): number {
    return this.#shared.first;
  }

  /** Adopts the rows of log events that were read. */
  restore(history: readonly HistoryEntry[], rows: readonly unknown[], shared: SharedTexts): void {
    this.#shared = shared;
    this.#written = history.map((entry, at) => {
      // INVARIANT: the row was read before. Numbers of texts are in its name and after it.
      const row = rows[at] as readonly PlainData[];
      const numbers = [row[1], row.slice(2)].flat().filter((item) => typeof item === "number");
      return { entry, row: row as PlainData, lowest: Math.min(...numbers) };
    });
  }

  /**
   * Writes log events.
   *
   * @param texts - texts stored along with the state; undefined for those that must not be referenced
   * @returns immutable data
   */
  write(history: readonly HistoryEntry[], texts: SharedTexts["texts"]): PlainData {
    // INVARIANT: rows of a state without its hidden texts are not reused.
    const isWhole = !texts.includes(undefined);
    const shared = { first: isWhole ? numberOfFirst(this.#shared, texts) : 0, texts };
    const known = isWhole ? this.#written : [];
    const written: WrittenLog[] = [];
    let at = 0;
    for (const entry of history) {
      while (at < known.length && known[at]?.entry !== entry) at += 1;
      const before = known[at];
      written.push(before === undefined || before.lowest < shared.first ? new LogWriter(shared).write(entry) : before);
    }
    this.#shared = isWhole ? shared : NO_TEXTS;
    this.#written = isWhole ? written : [];
    return Object.freeze(written.map(({ row }) => row)) as PlainData;
  }
}

/** Number of texts that a turn may drop without renumbering the others. */
const MAX_FORGOTTEN = 64;

/** Returns the number of the first text: its position among the previous texts, the first of which may be dropped. */
function numberOfFirst({ first, texts: before }: SharedTexts, texts: SharedTexts["texts"]): number {
  const continues = (forgotten: number): boolean => {
    for (let at = forgotten; at < before.length; at += 1) if (before[at] !== texts[at - forgotten]) return false;
    return true;
  };
  const most = Math.min(before.length - 1, MAX_FORGOTTEN);
  for (let forgotten = 0; forgotten <= most; forgotten += 1) if (continues(forgotten)) return first + forgotten;
  return first + before.length;
}

/**
 * Writes a log event compactly: its kind, flow, parameter and intent, without trailing nulls. Texts stored along with
 * the state are written as numbers, both parameters and those in flow names; a name that contains its parameter is
 * stored as the pieces around it.
 */
class LogWriter {
  readonly #shared: SharedTexts;
  #lowest = Infinity;

  constructor(shared: SharedTexts) {
    this.#shared = shared;
  }

  write(entry: HistoryEntry): WrittenLog {
    const { name, flow, parameter, intent } = entry;
    const stored = parameter === null ? null : (this.#numberOf(parameter) ?? parameter);
    const kind = LOG_NAMES.indexOf(name);
    const pieces = this.#writeName(flow, parameter);
    const row: PlainData =
      typeof intent === "string"
        ? [kind, pieces, stored, intent]
        : stored === null
          ? [kind, pieces]
          : [kind, pieces, stored];
    return { entry, row: Object.freeze(row) as PlainData, lowest: this.#lowest };
  }

  /** `user said "hello"` is `["user said \"", 7, "\""]` if text 7 is `hello`. */
  #writeName(flow: string, parameter: string | null): PlainData {
    const from = flow.indexOf('"') + 1;
    const to = flow.lastIndexOf('"');
    const number = from > 0 && to > from ? this.#numberOf(flow.slice(from, to)) : undefined;
    if (number !== undefined) return Object.freeze([flow.slice(0, from), number, flow.slice(to)]) as PlainData;
    const at = parameter === null || parameter === "" ? -1 : flow.indexOf(parameter);
    if (parameter === null || at === -1 || flow.includes(parameter, at + 1)) return flow;
    return Object.freeze([flow.slice(0, at), flow.slice(at + parameter.length)]) as PlainData;
  }

  /** A new log event is about one of the last texts. */
  #numberOf(text: string): number | undefined {
    const { first, texts } = this.#shared;
    const at = texts.lastIndexOf(text);
    if (at === -1) return undefined;
    this.#lowest = Math.min(this.#lowest, first + at);
    return first + at;
  }
}

/** @throws InputShapeError for anything that `LogWriter` never wrote */
export function readLog(stored: unknown, texts: SharedTexts): HistoryEntry {
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

function readName(stored: unknown, parameter: string | null, texts: SharedTexts): string {
  if (!Array.isArray(stored)) return text(stored, "a log");
  const pieces: readonly unknown[] = stored;
  const between = pieces.length > 2 ? readShared(pieces[1], texts) : (parameter ?? "");
  return text(pieces[0], "a log") + between + text(pieces.at(-1), "a log");
}

function readShared(number: unknown, texts: SharedTexts): string {
  const found = texts.texts[count(number, "a log") - texts.first];
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
