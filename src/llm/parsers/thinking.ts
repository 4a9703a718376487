const TAG = /<(\/?)(think|thinking|thought|reasoning|scratchpad)>/gi;

/**
 * A completion without the blocks in which a model thinks aloud. Undefined when a block is opened and never closed: the
 * model ran out of tokens before it answered. A closing tag alone means that the opening one stood in the prompt.
 *
 * @example
 * ```ts
 * stripThinking("<think>hm, yes?</think>\nNo"); // "No"
 * stripThinking("<think>No"); // undefined
 * ```
 */
export function stripThinking(completion: string): string | undefined {
  let text = "";
  let depth = 0;
  let at = 0;
  for (const match of completion.matchAll(TAG)) {
    if (depth === 0) text += completion.slice(at, match.index);
    at = match.index + match[0].length;
    if (match[1] !== "/") depth += 1;
    else if (depth > 0) depth -= 1;
    else text = "";
  }
  if (depth > 0) return undefined;
  return (text + completion.slice(at)).trim();
}
