import type { PlaygroundFile } from "../wire.js";
import { highlighter, type Piece } from "./highlight.js";

/** Number of lines shown before and after the given line. */
const AROUND = 2;

interface SourceLinesProps {
  readonly files: readonly PlaygroundFile[];
  readonly file: string;
  /** Starts at 1. */
  readonly line: number;
}

/** The lines of a file around the given line; nothing for a file that is not shown, such as one of the package. */
export function SourceLines({ files, file, line }: SourceLinesProps) {
  const found = files.find(({ path }) => path === file);
  if (found === undefined) return null;
  const lines = found.text.split("\n");
  const first = Math.max(1, line - AROUND);
  const colour = highlighter(file);
  return (
    <pre class="source" tabIndex={0} aria-label={`${file}, line ${line}`}>
      {lines.slice(first - 1, line + AROUND).map((text, index) => (
        <span key={index} class={first + index === line ? "line marked" : "line"}>
          <span class="number">{first + index}</span>
          <Pieces pieces={colour(text)} />
          {"\n"}
        </span>
      ))}
    </pre>
  );
}

/** Highlighted parts of a line. */
export function Pieces({ pieces }: { readonly pieces: readonly Piece[] }) {
  return (
    <>
      {pieces.map(({ text, kind }, index) =>
        kind === undefined ? (
          text
        ) : (
          <span key={index} class={`code-${kind}`}>
            {text}
          </span>
        ),
      )}
    </>
  );
}
