import type { TextLiteral } from "./ast.js";

const AMBIGUOUS_END = /(?::|\\|\s(?:or|and))$/;
const ESCAPES: Readonly<Record<string, string>> = { "\n": "\\n", "\t": "\\t", '"': '\\"', "\\": "\\\\" };

/** Collects the lines of a source. */
export class SourceWriter {
  private readonly lines: string[] = [];
  private depth = 0;

  /** Writes a line. One colon at its end means nothing, and keeps apart what would be read as more than the line. */
  line(text: string): void {
    this.exactly(AMBIGUOUS_END.test(text) ? `${text}:` : text);
  }

  exactly(text: string): void {
    this.lines.push(`${"  ".repeat(this.depth)}${text}`.trimEnd());
  }

  comment(comment: string | undefined): void {
    if (comment === undefined) return;
    for (const row of comment.split("\n")) this.exactly(`# ${row}`);
  }

  indented(write: () => void): void {
    this.depth += 1;
    write();
    this.depth -= 1;
  }

  /** The text of a message. */
  text({ value }: Pick<TextLiteral, "value">): string {
    return `"${value.replace(/[\n\t"\\]/g, (character) => ESCAPES[character] ?? character)}"`;
  }

  finish(): string {
    return `${this.lines.join("\n")}\n`;
  }
}
