import type { Runtime } from "../evaluate/runtime.js";
import { charactersOf, findAllText, findText, textLength } from "../values/text.js";
import { isList, toValue, type Value } from "../values/value.js";
import { defineMethod, type FunctionArguments, type FunctionDefinition } from "./function-definition.js";
import { textArgument, wholeArgument } from "./string-arguments.js";

/* The methods that look for a text in a text. Places count code points, and may be limited by a start and an end. */

interface Part {
  readonly text: string;
  /** Number of code points before the part. */
  readonly start: number;
}

/** The part of a text between two positions, as in slicing; undefined if the start is after the end of the text. */
function partOf(runtime: Runtime, name: string, text: string, [from, to]: FunctionArguments): Part | undefined {
  if ((from ?? null) === null && (to ?? null) === null) return { text, start: 0 };
  const length = textLength(runtime, text);
  const start = placeOf(runtime, name, from, length) ?? 0;
  const end = Math.min(placeOf(runtime, name, to, length) ?? length, length);
  if (start > length || start > end) return undefined;
  if (length === text.length) return { text: text.slice(start, end), start };
  return { text: charactersOf(runtime, text).slice(start, end).join(""), start };
}

function placeOf(runtime: Runtime, name: string, given: Value = null, length: number): number | undefined {
  if (given === null) return undefined;
  const place = wholeArgument(runtime, name, given);
  return place < 0 ? Math.max(0, place + length) : place;
}

function findMethod(name: string, isFromEnd: boolean, isRequired: boolean): FunctionDefinition {
  return defineMethod<string>(name, "text, start?, end?", (runtime, whole, [wanted, ...places]) => {
    const text = textArgument(runtime, name, wanted);
    const part = partOf(runtime, name, whole, places);
    const at = part === undefined ? -1 : findIn(runtime, part.text, text, isFromEnd);
    if (part !== undefined && at !== -1)
      return part.start + (at === 0 ? 0 : textLength(runtime, part.text.slice(0, at)));
    return isRequired ? runtime.fail("the text is not in the other text") : -1;
  });
}

function findIn(runtime: Runtime, text: string, wanted: string, isFromEnd: boolean): number {
  if (!isFromEnd) return findText(runtime, text, wanted);
  if (wanted === "") return text.length;
  runtime.chargeText(text.length);
  runtime.chargeCharacters(wanted.length);
  // The mirrored search also takes linear time.
  const at = findText(runtime, mirror(runtime, text), mirror(runtime, wanted));
  return at === -1 ? -1 : text.length - at - wanted.length;
}

function mirror(runtime: Runtime, text: string): string {
  runtime.chargeEntries(text.length);
  return text.split("").reverse().join("");
}

/** The affix may be a list, of which any may fit. */
function affixMethod(name: string, hasAffix: (text: string, affix: string) => boolean): FunctionDefinition {
  return defineMethod<string>(name, "affix, start?, end?", (runtime, whole, [affix = null, ...places]) => {
    const affixes = isList(affix) ? affix : [affix];
    runtime.chargeItems(affixes.length);
    const part = partOf(runtime, name, whole, places);
    return affixes.some((candidate) => {
      const wanted = textArgument(runtime, name, toValue(candidate));
      runtime.chargeCharacters(wanted.length);
      return part !== undefined && hasAffix(part.text, wanted);
    });
  });
}

/** A text in three parts: before the separator, the separator, and behind it. */
function partitionMethod(name: string, isFromEnd: boolean): FunctionDefinition {
  return defineMethod<string>(name, "sep", (runtime, text, [separator]) => {
    const wanted = textArgument(runtime, name, separator);
    if (wanted === "") return runtime.fail(`\`${name}\` needs a separator that is not empty`);
    const at = findIn(runtime, text, wanted, isFromEnd);
    if (at === -1) return isFromEnd ? ["", "", text] : [text, "", ""];
    return [text.slice(0, at), wanted, text.slice(at + wanted.length)];
  });
}

export const STRING_SEARCH_METHODS: readonly FunctionDefinition[] = [
  findMethod("find", false, false),
  findMethod("rfind", true, false),
  findMethod("index", false, true),
  findMethod("rindex", true, true),
  defineMethod<string>("count", "text, start?, end?", (runtime, whole, [wanted, ...places]) => {
    const counted = textArgument(runtime, "count", wanted);
    const part = partOf(runtime, "count", whole, places);
    if (part === undefined) return 0;
    return counted === "" ? textLength(runtime, part.text) + 1 : findAllText(runtime, part.text, counted).length;
  }),
  affixMethod("startswith", (text, affix) => text.startsWith(affix)),
  affixMethod("endswith", (text, affix) => text.endsWith(affix)),
  defineMethod<string>("removeprefix", "prefix", (runtime, text, [given]) => {
    const prefix = textArgument(runtime, "removeprefix", given);
    runtime.chargeCharacters(prefix.length);
    return text.startsWith(prefix) ? text.slice(prefix.length) : text;
  }),
  defineMethod<string>("removesuffix", "suffix", (runtime, text, [given]) => {
    const suffix = textArgument(runtime, "removesuffix", given);
    runtime.chargeCharacters(suffix.length);
    return text.endsWith(suffix) ? text.slice(0, text.length - suffix.length) : text;
  }),
  partitionMethod("partition", false),
  partitionMethod("rpartition", true),
];
