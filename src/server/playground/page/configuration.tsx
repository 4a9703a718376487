import { useRef, useState } from "preact/hooks";
import type { PlaygroundDraft, PlaygroundFile, PlaygroundProblem } from "../wire.js";
import { Badge } from "./badges.js";
import { Editor, moveCaret } from "./editor.js";

interface ConfigurationProps {
  readonly files: readonly PlaygroundFile[];
  readonly edits: Readonly<Record<string, string>>;
  readonly check: PlaygroundDraft | undefined;
  readonly hasTurns: boolean;
  readonly onEdit: (path: string, text: string) => void;
  readonly onUndo: () => void;
  readonly onReplay: () => void;
  readonly onStart: () => void;
}

/** The files of the configuration with an editor, and the problems in the changed files. */
export function Configuration(props: ConfigurationProps) {
  const { files, edits, check, hasTurns, onEdit, onUndo, onReplay, onStart } = props;
  const [path, setPath] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  const file =
    files.find((candidate) => candidate.path === path) ??
    files.find((candidate) => candidate.path.endsWith(".co")) ??
    files[0];
  if (file === undefined) return <p class="empty">This configuration has no files that could be shown.</p>;
  const problems = check?.problems ?? [];
  const isChanged = Object.keys(edits).length > 0;
  const canRun = check?.draft !== undefined;
  const goTo = (problem: PlaygroundProblem): void => {
    if (problem.file === undefined || !files.some((listed) => listed.path === problem.file)) return;
    setPath(problem.file);
    // The field contains the text of the file only after the next render.
    setTimeout(() => field.current && moveCaret(field.current, problem.line ?? 1, problem.column ?? 1));
  };
  return (
    <>
      <div class="panel-head">
        <label class="field">
          <span class="hidden">File</span>
          <select value={file.path} onChange={(event) => setPath(event.currentTarget.value)}>
            {files.map((listed) => (
              <option key={listed.path} value={listed.path}>
                {Object.hasOwn(edits, listed.path) ? `${listed.path} (changed)` : listed.path}
              </option>
            ))}
          </select>
        </label>
        <span class="spacer" />
        <button type="button" disabled={!isChanged} onClick={onUndo}>
          Undo all changes
        </button>
        <button type="button" disabled={!canRun} onClick={onStart}>
          Talk to it
        </button>
        <button type="button" class="primary" disabled={!canRun || !hasTurns} onClick={onReplay}>
          Replay conversation
        </button>
      </div>
      <Editor
        field={field}
        path={file.path}
        text={file.text}
        marked={problems.flatMap((reported) =>
          reported.file === file.path && reported.line !== undefined ? [reported.line] : [],
        )}
        onChange={(text) => onEdit(file.path, text)}
      />
      <Problems isChanged={isChanged} check={check} onGo={goTo} />
      <p class="muted">Changes stay in memory; no file is written.</p>
    </>
  );
}

interface ProblemsProps {
  readonly isChanged: boolean;
  readonly check: PlaygroundDraft | undefined;
  readonly onGo: (problem: PlaygroundProblem) => void;
}

function Problems({ isChanged, check, onGo }: ProblemsProps) {
  const state = !isChanged ? "No changes." : check === undefined ? "Checking…" : "";
  const summary =
    state !== "" ? state : check?.draft === undefined ? "The changes have mistakes." : "The changes are valid.";
  return (
    <section aria-label="Problems">
      <p role="status" class="summary" id="problems-summary">
        {summary}
      </p>
      <ul class="problems">
        {(check?.problems ?? []).map((problem, index) => (
          <li key={index}>
            <button type="button" class="problem" onClick={() => onGo(problem)}>
              <Badge status={problem.severity} /> <span class="place">{placeOf(problem)}</span> {problem.message}{" "}
              <span class="muted">{problem.code}</span>
              {problem.hint === undefined ? null : <span class="hint">{problem.hint}</span>}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function placeOf({ file, line, column }: PlaygroundProblem): string {
  if (file === undefined) return "";
  return line === undefined ? file : `${file}:${line}:${column ?? 1}`;
}
