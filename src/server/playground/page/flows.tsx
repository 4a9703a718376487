import type { PlaygroundFile, PlaygroundStep, PlaygroundTurn } from "../wire.js";
import { Badge } from "./badges.js";
import { SourceLines } from "./source-lines.js";

interface FlowsProps {
  readonly turn: PlaygroundTurn;
  readonly files: readonly PlaygroundFile[];
}

/** Reasons why each flow won, lost or waits, and the steps of the flows with their lines. */
export function Flows({ turn: { flows, steps }, files }: FlowsProps) {
  const concerned = flows.filter(({ outcome }) => outcome !== "unseen");
  const others = flows.filter(({ outcome }) => outcome === "unseen");
  return (
    <>
      <h3>Why</h3>
      {concerned.length === 0 ? <p class="empty">No flow of the configuration was concerned.</p> : null}
      <ul class="flows">
        {concerned.map(({ flow, outcome, reasons }) => (
          <li key={flow}>
            <span class="name">{flow}</span> <Badge status={outcome} />
            <ul>
              {reasons.map((reason, index) => (
                <li key={index}>
                  <Quoted text={reason} />
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
      {others.length === 0 ? null : <p class="muted">Not concerned: {others.map(({ flow }) => flow).join(", ")}.</p>}
      <h3>Steps</h3>
      {steps.length === 0 ? <p class="empty">No flow of the configuration took a step.</p> : null}
      <ol class="steps">
        {steps.map((step, index) => (
          <Step key={index} step={step} files={files} />
        ))}
      </ol>
    </>
  );
}

/** A sentence; text in backticks is formatted as code. */
function Quoted({ text }: { readonly text: string }) {
  return <>{text.split("`").map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>;
}

function Step({ step, files }: { readonly step: PlaygroundStep; readonly files: readonly PlaygroundFile[] }) {
  const { kind, flow, text, file, line } = step;
  const isPlaced = file !== undefined && line !== undefined;
  return (
    <li class={`step ${["took", "lost", "stopped", "failed"].includes(kind) ? kind : "moved"}`}>
      <span class="name">{flow}</span> <Quoted text={text} />
      {isPlaced ? (
        <span class="place">
          {file}:{line}
        </span>
      ) : null}
      {isPlaced && kind !== "moved" ? <SourceLines files={files} file={file} line={line} /> : null}
    </li>
  );
}
