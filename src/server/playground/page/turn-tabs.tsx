import type { PlaygroundFile, PlaygroundTurn } from "../wire.js";
import { Flows } from "./flows.js";
import { downloadFile } from "./save-file.js";
import { toTestCase } from "./test-case.js";
import { TimeLine } from "./time-line.js";

interface TurnTabProps {
  readonly turns: readonly PlaygroundTurn[];
  readonly selected: number;
  readonly files: readonly PlaygroundFile[];
  readonly tab: "time-line" | "flows";
}

/** The selected turn: its timeline or its flows. */
export function TurnTab({ turns, selected, files, tab }: TurnTabProps) {
  const turn = turns[selected];
  if (turn === undefined) return <p class="empty">A turn shows here what ran, how long it took and why.</p>;
  const save = (): void => {
    downloadFile(`turn-${selected + 1}.yml`, "application/yaml", toTestCase(turns.slice(0, selected + 1)));
  };
  return (
    <>
      <div class="panel-head">
        <h2>Turn {selected + 1}</h2>
        <button type="button" onClick={save}>
          Save as test case
        </button>
      </div>
      {tab === "flows" ? <Flows turn={turn} files={files} /> : <TimeLine turn={turn} />}
    </>
  );
}
