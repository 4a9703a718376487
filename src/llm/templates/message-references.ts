/** A piece of a message: literal text, or `$name` with the properties and places that follow it. */
export type MessagePart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "reference"; readonly name: string; readonly path: readonly (string | number)[] };

const REFERENCE = /\$\$|\$([A-Za-z_][A-Za-z0-9_]*)((?:\.[A-Za-z_][A-Za-z0-9_]*|\[-?\d{1,9}\])*)/g;
const STEP = /\.([A-Za-z_][A-Za-z0-9_]*)|\[(-?\d+)\]/g;

/**
 * Finds the references of a message [D-15]: `$name`, then any number of `.name` and `[0]`; `$$` is a dollar, and so is a
 * `$` before anything else. The two characters `\n` become a newline.
 *
 * @example
 * ```ts
 * messageParts("Hi $user.name, that is $5.00");
 * // [text "Hi ", reference user .name, text ", that is $5.00"]
 * ```
 */
export function messageParts(text: string): readonly MessagePart[] {
  const parts: MessagePart[] = [];
  let literal = "";
  let at = 0;
  const flush = (): void => {
    if (literal !== "") parts.push({ kind: "text", text: literal.replaceAll("\\n", "\n") });
    literal = "";
  };
  for (const match of text.matchAll(REFERENCE)) {
    literal += text.slice(at, match.index);
    at = match.index + match[0].length;
    const [, name, steps = ""] = match;
    if (name === undefined) {
      literal += "$";
      continue;
    }
    flush();
    const path = Array.from(steps.matchAll(STEP), ([, key, index]) => key ?? Number(index));
    parts.push({ kind: "reference", name, path });
  }
  literal += text.slice(at);
  flush();
  return parts;
}
