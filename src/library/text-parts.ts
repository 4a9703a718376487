import { LimitError } from "../diagnostics/errors.js";

/** Parts of a long text share this many characters, so that nothing hides at a seam. */
const PART_OVERLAP = 400;

/** More parts than these are not checked: each is a model call. */
const MAX_PARTS = 8;

const LEAST_ROOM = 2 * PART_OVERLAP;

/**
 * A text as the parts in which a rail checks it: the text itself when there is room for it, else overlapping parts.
 *
 * @throws LimitError (RL-106) when the text is longer than a rail can check
 *
 * @example
 * ```ts
 * splitText("a short text", 16_000); // ["a short text"]
 * ```
 */
export function splitText(text: string, room: number): readonly string[] {
  if (text.length <= room) return [text];
  const step = room - PART_OVERLAP;
  const maximum = room < LEAST_ROOM ? Math.max(0, room) : step * MAX_PARTS + PART_OVERLAP;
  if (text.length > maximum) {
    throw new LimitError(`a text of ${text.length} characters is over the ${maximum} that this rail can check`, {
      limit: "text_length",
      maximum,
      code: "RL-106",
    });
  }
  const parts: string[] = [];
  for (let start = 0; start < text.length - PART_OVERLAP; start += step) {
    parts.push(text.slice(wholeCharacter(text, start), wholeCharacter(text, start + room)));
  }
  return parts;
}

/** A place at or just before the given one that does not cut a character in two. */
function wholeCharacter(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return at > 0 && code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}
