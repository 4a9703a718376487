/**
 * Returns the first non-blank text among several context variables, else an empty text. Lists of texts, such as separate chunks,
 * are joined by newlines.
 */
export function contextText(context: Readonly<Record<string, unknown>>, ...names: readonly string[]): string {
  for (const name of names) {
    const value = Object.hasOwn(context, name) ? context[name] : undefined;
    const text = Array.isArray(value) ? value.filter((item) => typeof item === "string").join("\n") : value;
    if (typeof text === "string" && text.trim() !== "") return text;
  }
  return "";
}
