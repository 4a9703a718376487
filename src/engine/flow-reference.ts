/** A rail or `do` target as written in settings or built at run time. */
export interface FlowReference {
  /** The text before the parameters, blanks collapsed. */
  readonly id: string;
  readonly parameters: readonly FlowReferenceParameter[];
  /** Parts that are neither name nor parameter, and parameters that are given again. */
  readonly unread: readonly string[];
}

export interface FlowReferenceParameter {
  /** Without the dollar sign. */
  readonly name: string;
  /** Without outer quotes; null if no value was given. */
  readonly value: string | null;
}

const NAME = /^\$?([A-Za-z_]\w*)\s*(=(?!=))?/;
const CLOSERS: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

/**
 * Parses `name $k=v`, `name $k` and `name(k=v, k2="w")`. Any text is accepted: invalid parameters are `unread`. Values
 * may contain `=` and `$`; quoted values may contain anything.
 *
 * @example
 * ```ts
 * parseFlowReference('level check $level="very high"');
 * // { id: "level check", parameters: [{ name: "level", value: "very high" }], unread: [] }
 * ```
 */
export function parseFlowReference(text: string): FlowReference {
  const known = parsed.get(text);
  if (known !== undefined) return known;
  const reference = readReference(text);
  // A reference that is built at run time may hold a text of any length.
  if (text.length > MAX_PARSED_LENGTH) return reference;
  if (parsed.size >= MAX_PARSED) parsed.clear();
  parsed.set(text, reference);
  return reference;
}

/** References of rails are read again with every call. */
const parsed = new Map<string, FlowReference>();
const MAX_PARSED = 500;
const MAX_PARSED_LENGTH = 200;

function readReference(text: string): FlowReference {
  const source = text.trim();
  const open = source.indexOf("(");
  const dollar = source.search(/(?:^|\s)\$/);
  if (open !== -1 && (dollar === -1 || open < dollar)) {
    const [close = source.length] = placesOf(
      source,
      open + 1,
      (character, _, depth) => depth === 0 && character === ")",
    );
    const list = source.slice(open + 1, close);
    const commas = placesOf(list, 0, (character, _, depth) => depth === 0 && character === ",");
    const from = [0, ...commas.map((at) => at + 1)];
    const read = readParameters(from.map((start, index) => list.slice(start, commas[index]).trim()));
    const behind = source.slice(close + 1).trim();
    return { id: idOf(source.slice(0, open)), ...read, unread: behind === "" ? read.unread : [...read.unread, behind] };
  }
  if (dollar === -1) return { id: idOf(source), parameters: [], unread: [] };
  return { id: idOf(source.slice(0, dollar)), ...readParameters(splitAtVariables(source.slice(dollar))) };
}

function idOf(text: string): string {
  return text.trim().replace(/\s+/g, " ");
}

function readParameters(pieces: readonly string[]): Omit<FlowReference, "id"> {
  const parameters = new Map<string, string | null>();
  const unread: string[] = [];
  for (const piece of pieces) {
    const match = NAME.exec(piece);
    const name = match?.[1];
    const rest = piece.slice(match?.[0].length ?? 0).trim();
    const isNew = name !== undefined && !parameters.has(name);
    if (isNew) parameters.set(name, match?.[2] === undefined ? null : unquote(rest));
    if (piece !== "" && (!isNew || (match?.[2] === undefined && rest !== ""))) unread.push(piece);
  }
  return { parameters: [...parameters].map(([name, value]) => ({ name, value })), unread };
}

function unquote(value: string): string {
  const quote = value[0];
  if ((quote !== '"' && quote !== "'") || value.length < 2 || !value.endsWith(quote)) return value;
  return value.slice(1, -1).replace(/\\(["'\\])/g, "$1");
}

/** A parameter starts at a `$` after a space or a comma; commas between parameters are optional. */
function splitAtVariables(text: string): string[] {
  const starts = placesOf(text, 1, (_, at) => /^[\s,]\$[A-Za-z_]/.test(text.slice(at - 1, at + 2)));
  return [0, ...starts].map((start, index) => text.slice(start, starts[index]).trim().replace(/,$/, "").trim());
}

/** Returns the places of the characters outside quotes that are marks; `depth` counts the brackets around a character. */
function placesOf(
  text: string,
  start: number,
  isMark: (character: string, at: number, depth: number) => boolean,
): number[] {
  const places: number[] = [];
  const expected: string[] = [];
  for (let at = start; at < text.length; at += 1) {
    const character = text[at] ?? "";
    // A quote opens a string only at the start of a value, so `don't` stays one word.
    if ((character === '"' || character === "'") && /[\s=,([{]/.test(text[at - 1] ?? " ")) {
      const close = closingQuote(text, at);
      if (close !== -1) {
        at = close;
        continue;
      }
    }
    if (expected.length > 0 && character === expected.at(-1)) expected.pop();
    else if (isMark(character, at, expected.length)) places.push(at);
    const closer = Object.hasOwn(CLOSERS, character) ? CLOSERS[character] : undefined;
    if (closer !== undefined) expected.push(closer);
  }
  return places;
}

function closingQuote(text: string, open: number): number {
  const quote = text[open];
  for (let at = open + 1; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === quote) return at;
  }
  return -1;
}
