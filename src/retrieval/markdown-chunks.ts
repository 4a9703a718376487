/** A piece of a document that is found and quoted as a whole. */
export interface MarkdownChunk {
  /** The headings above it, joined with ` - `; empty before the first heading. */
  readonly title: string;
  readonly body: string;
}

export interface MarkdownDocument {
  readonly chunks: readonly MarkdownChunk[];
  /** The YAML text of a fenced block at the very beginning, which describes the document. */
  readonly metadata: string | undefined;
}

const DEFAULT_SIZE = 400;
/** A chunk without blank lines is closed at the end of a line once it is this many times too long. */
const HARD_FACTOR = 10;

/**
 * Cuts markdown into chunks: a heading begins one, and a blank line does when the chunk has more than `size` characters.
 * Headings and blank lines inside fenced code belong to the code.
 *
 * @example
 * ```ts
 * chunkMarkdown("# Bikes\n\nWe sell bikes.\n\n## Repair\n\nAlso that.").chunks;
 * // [{ title: "Bikes", body: "We sell bikes." }, { title: "Bikes - Repair", body: "Also that." }]
 * ```
 */
export function chunkMarkdown(content: string, size: number = DEFAULT_SIZE): MarkdownDocument {
  const lines = content.replace(/^\ufeff/, "").split(/\r\n|\n|\r/);
  const { metadata, next } = readMetadata(lines);
  const chunks: MarkdownChunk[] = [];
  const titles: string[] = [];
  let body: string[] = [];
  let length = 0;
  let fence: string | undefined;
  const close = (): void => {
    const text = body.join("\n").trim();
    if (text !== "") chunks.push({ title: titles.filter((part) => part !== "").join(" - "), body: text });
    body = [];
    length = 0;
  };
  for (const line of lines.slice(next)) {
    const wasFenced = fence !== undefined;
    fence = nextFence(line, fence);
    const heading = wasFenced || fence !== undefined ? undefined : readHeading(line);
    if (heading) {
      close();
      titles.length = Math.min(titles.length, heading.level - 1);
      while (titles.length < heading.level - 1) titles.push("");
      titles.push(heading.text);
      continue;
    }
    for (const piece of pieces(line, size * HARD_FACTOR)) {
      body.push(piece);
      length += piece.length;
      if (length >= size * HARD_FACTOR) close();
    }
    if (line.trim() === "" && fence === undefined && length > size) close();
  }
  close();
  return { chunks, metadata };
}

/** The text a chunk is found by. */
export function chunkText({ title, body }: MarkdownChunk): string {
  return title === "" ? body : `# ${title}\n\n${body}`;
}

function readMetadata(lines: readonly string[]): { readonly metadata: string | undefined; readonly next: number } {
  const start = lines.findIndex((line) => line.trim() !== "");
  const opening = start === -1 ? "" : (lines[start] as string).trim();
  if (!/^```(?:ya?ml)?$/.test(opening)) return { metadata: undefined, next: 0 };
  const length = lines.slice(start + 1).findIndex((line) => line.trim() === "```");
  if (length === -1) return { metadata: undefined, next: 0 };
  return { metadata: lines.slice(start + 1, start + 1 + length).join("\n"), next: start + length + 2 };
}

/** The fence that is open after a line. */
function nextFence(line: string, open: string | undefined): string | undefined {
  const mark = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line);
  if (!mark) return open;
  const [, fence = "", rest = ""] = mark;
  if (open === undefined) return fence.startsWith("`") && rest.includes("`") ? undefined : fence;
  return fence[0] === open[0] && fence.length >= open.length && rest.trim() === "" ? undefined : open;
}

function readHeading(line: string): { readonly level: number; readonly text: string } | undefined {
  const level = /^ {0,3}(#{1,6})(?=[ \t]|$)/.exec(line)?.[1]?.length;
  if (level === undefined) return undefined;
  let text = line.trim().slice(level).trim();
  let end = text.length;
  while (text[end - 1] === "#") end -= 1;
  if (end === 0 || text[end - 1] === " ") text = text.slice(0, end).trim();
  return { level, text };
}

function pieces(line: string, maximum: number): readonly string[] {
  if (line.length <= maximum) return [line];
  const parts: string[] = [];
  for (let at = 0; at < line.length; at += maximum) parts.push(line.slice(at, at + maximum));
  return parts;
}
