import type { RefObject } from "preact";
import { useMemo } from "preact/hooks";
import { highlighter } from "./highlight.js";
import { Pieces } from "./source-lines.js";

/** Maximum number of highlighted lines of a file. */
const MAX_LINES = 3_000;

interface EditorProps {
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly path: string;
  readonly text: string;
  /** Lines with problems, starting at 1. */
  readonly marked: readonly number[];
  readonly onChange: (text: string) => void;
}

/** A text field on top of the same text with syntax highlighting. Tab leaves it, like any field. */
export function Editor({ field, path, text, marked, onChange }: EditorProps) {
  const colours = useMemo(() => {
    const colour = highlighter(path);
    return text
      .split("\n")
      .slice(0, MAX_LINES)
      .map((line) => colour(line));
  }, [path, text]);
  const lines = text.split("\n");
  return (
    <div class="editor">
      <div class="editor-inner">
        <pre aria-hidden="true">
          {lines.map((line, index) => (
            <span key={index} class={marked.includes(index + 1) ? "line marked" : "line"}>
              <span class="number">{index + 1}</span>
              <span class="text">
                <Pieces pieces={colours[index] ?? [{ text: line }]} />
                {"\n"}
              </span>
            </span>
          ))}
        </pre>
        <textarea
          ref={field}
          value={text}
          aria-label={path}
          aria-describedby="problems-summary"
          spellcheck={false}
          autoComplete="off"
          autoCapitalize="off"
          wrap="off"
          rows={lines.length}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      </div>
    </div>
  );
}

/** Moves the caret of a field to a line and a column. */
export function moveCaret(field: HTMLTextAreaElement, line: number, column: number): void {
  const before = field.value
    .split("\n")
    .slice(0, line - 1)
    .join("\n");
  const at = Math.min(field.value.length, before.length + (line > 1 ? 1 : 0) + column - 1);
  field.focus();
  field.setSelectionRange(at, at);
}
