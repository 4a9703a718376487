import { InputShapeError } from "../../diagnostics/errors.js";
import { textsIn } from "../../turn/redact-data.js";
import { readValue, splitLines } from "../structured-text.js";
import { isMessage, isPromptValue, type PlainObject } from "./message-kinds.js";
import { pathOf, type UnseenPart } from "./unseen.js";

/** The entries of an object beside its main text, as texts for rails. */
export interface OtherKeys {
  /** A line `path.of.keys: text` for each value; empty if there are none. */
  readonly text: string;
  /** The keys that were read. */
  readonly keys: readonly string[];
  /** Keys that hold texts and cannot be read. */
  readonly unseen: readonly UnseenPart[];
  /** New values of the keys whose lines a rail changed; undefined for a key whose lines do not fit it any more. */
  rewrite(text: string): PlainObject;
}

/**
 * Reads the entries of an object that hold texts, keys included. Messages have readers of their own, and an entry of
 * numbers and switches under plain names says nothing.
 *
 * @param isKnown - keys that are read elsewhere
 */
export function readOtherKeys(value: PlainObject, isKnown: (key: string) => boolean): OtherKeys {
  const parts = new Map<string, string>();
  const unseen: UnseenPart[] = [];
  for (const key of Object.keys(value)) {
    if (isKnown(key) || isReadElsewhere(value[key])) continue;
    const text = readEntry({ [key]: value[key] });
    if (text === undefined && textsIn(value[key]).length > 0) unseen.push({ path: pathOf("", [key]), kind: "key" });
    else if (text !== undefined && text !== "") parts.set(key, text);
  }
  const keys = [...parts.keys()];
  return {
    text: [...parts.values()].join("\n"),
    keys,
    unseen,
    rewrite: (text) => {
      const after = splitLines([...parts.values()], text);
      const entries = keys.flatMap((key, index) => {
        const part = after?.[index];
        if (part === parts.get(key)) return [];
        const changed = part === undefined ? undefined : readValue({ [key]: value[key] }, saysText).rewrite(part);
        return [[key, changed === undefined ? undefined : (changed.value as PlainObject)[key]] as const];
      });
      return Object.fromEntries(entries);
    },
  };
}

/** The lines of one entry; undefined if it cannot be read. */
function readEntry(entry: PlainObject): string | undefined {
  try {
    return readValue(entry, saysText).text;
  } catch (error) {
    if (InputShapeError.isInstance(error)) return undefined;
    throw error;
  }
}

function isReadElsewhere(value: unknown): boolean {
  return (
    isMessage(value) || isPromptValue(value) || (Array.isArray(value) && value.length > 0 && value.every(isMessage))
  );
}

const PLAIN_NAME = /^[A-Za-z_$][A-Za-z_$-]{0,39}$/;

/**
 * Returns true for a name that developers and protocols give: one word of letters. INVARIANT: this is the one rule by which
 * keys, labels and names count as texts that rails read or not.
 */
export function isPlainName(name: string): boolean {
  return PLAIN_NAME.test(name);
}

/** Numbers and switches under plain names say nothing; long numbers may be accounts or telephones. */
function saysText(path: readonly string[], text: string): boolean {
  return path.some((key) => !isPlainName(key)) || !/^(?:|true|false|null|undefined|-?[\d.e+-]{1,5})$/.test(text);
}

/** A text that was joined from a main one and the lines of other keys, in two again. */
export function splitOff(
  main: string,
  others: string,
  text: string,
): { readonly main: string; readonly others: string } {
  if (others === "") return { main: text, others };
  const parts = [main, others].filter((part) => part !== "");
  const lines = splitLines(parts, text);
  if (lines !== undefined) return { main: main === "" ? "" : (lines[0] ?? ""), others: lines.at(-1) ?? "" };
  // A rail that only adds lines leaves those of the keys as they are.
  const at = text.lastIndexOf(others);
  if (at >= 0) return { main: text.slice(0, at).replace(/\n$/, "") + text.slice(at + others.length), others };
  return { main: text, others: "" };
}
