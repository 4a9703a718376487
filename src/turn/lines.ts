/** The texts that are not empty, each on lines of its own. */
export function joinLines(...parts: readonly string[]): string {
  let joined = "";
  for (const part of parts) if (part !== "") joined = joined === "" ? part : `${joined}\n${part}`;
  return joined;
}

/** Cuts a rewritten text at the lines of the texts it was joined from; undefined when their number changed. */
export function splitLines(before: readonly string[], text: string): readonly string[] | undefined {
  const lines = text.split("\n");
  const counts = before.map((part) => part.split("\n").length);
  if (counts.reduce((sum, count) => sum + count, 0) !== lines.length) return undefined;
  let start = 0;
  return counts.map((count) => lines.slice(start, (start += count)).join("\n"));
}

/** Splits a text that was joined from a main text and extra lines. */
export function splitOff(
  main: string,
  others: string,
  text: string,
): { readonly main: string; readonly others: string } {
  if (others === "") return { main: text, others };
  const parts = [main, others].filter((part) => part !== "");
  const lines = splitLines(parts, text);
  if (lines !== undefined) return { main: main === "" ? "" : (lines[0] ?? ""), others: lines.at(-1) ?? "" };
  // A rail that only adds lines leaves the extra lines as they are.
  const at = text.lastIndexOf(others);
  if (at >= 0) return { main: text.slice(0, at).replace(/\n$/, "") + text.slice(at + others.length), others };
  return { main: text, others: "" };
}
