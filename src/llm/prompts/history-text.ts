/** One entry of a conversation in Colang form. `raw` is its source, several lines for longer texts. */
export interface HistoryEntry {
  readonly kind: "user-text" | "user-intent" | "bot-intent" | "bot-text" | "blank" | "other";
  /** The text without its quotes, or the canonical form. */
  readonly value: string;
  readonly raw: string;
}

const MARKER = /^(?:user|bot) /;

/**
 * Reads a conversation in Colang form: `user "text"`, its canonical form indented below it, `bot form`, and the text
 * quoted and indented below that. A quoted text may go over several lines; it ends with the line that ends in a quote.
 * Texts that are never closed count as one line.
 */
export function readHistory(text: string): readonly HistoryEntry[] {
  const entries: HistoryEntry[] = [];
  const lines = text.split("\n");
  let previous: HistoryEntry["kind"] | undefined;
  for (let at = 0; at < lines.length;) {
    const line = lines[at] as string;
    const opening = /^(?:user |\s+)"/.exec(line);
    if (opening) {
      const count = quotedLines(lines, at, opening[0].length);
      const raw = lines.slice(at, at + count).join("\n");
      const isUser = line.startsWith("user ");
      entries.push({ kind: isUser ? "user-text" : "bot-text", value: unquote(raw.slice(opening[0].length - 1)), raw });
      at += count;
    } else {
      entries.push(readLine(line, previous));
      at += 1;
    }
    previous = entries.at(-1)?.kind;
  }
  return entries;
}

function readLine(line: string, previous: HistoryEntry["kind"] | undefined): HistoryEntry {
  const value = line.trim();
  if (value === "") return { kind: "blank", value, raw: line };
  if (line.startsWith("user ")) return { kind: "user-intent", value: line.slice(5).trim(), raw: line };
  if (line.startsWith("bot ")) return { kind: "bot-intent", value: line.slice(4).trim(), raw: line };
  if (previous === "user-text" && /^\s/.test(line)) return { kind: "user-intent", value, raw: line };
  return { kind: "other", value, raw: line };
}

/** Counts the lines of a quoted text, at least one. */
function quotedLines(lines: readonly string[], from: number, contentStart: number): number {
  for (let at = from; at < lines.length; at += 1) {
    const line = lines[at] as string;
    if (at > from && MARKER.test(line)) return 1;
    const end = line.trimEnd();
    if (end.endsWith('"') && (at > from || end.length > contentStart)) return at - from + 1;
  }
  return 1;
}

function unquote(text: string): string {
  const trimmed = text.trim();
  const end = trimmed.length > 1 && trimmed.endsWith('"') ? trimmed.length - 1 : trimmed.length;
  return trimmed.slice(trimmed.startsWith('"') ? 1 : 0, end);
}
