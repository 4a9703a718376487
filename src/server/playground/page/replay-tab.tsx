import type { PlaygroundTurn } from "../wire.js";
import { Badge, countOf } from "./badges.js";
import { differenceOf } from "./difference.js";
import type { Replay } from "./playground-state.js";

interface ReplayTabProps {
  readonly replay: Replay | undefined;
  readonly onKeep: () => void;
  readonly onStop: () => void;
}

/** The original conversation and its replay with the changed files, turn by turn. */
export function ReplayTab({ replay, onKeep, onStop }: ReplayTabProps) {
  if (replay === undefined) {
    return <p class="empty">Change the configuration and replay the conversation to see here what differs.</p>;
  }
  const { before, after, isRunning } = replay;
  const changed = after.filter((turn, index) => differs(before[index], turn));
  return (
    <>
      <div class="panel-head">
        <h2>Replay</h2>
        <span role="status">
          {isRunning
            ? `Turn ${after.length + 1} of ${before.length}…`
            : `${changed.length} of ${countOf(after.length, "turn")} differ`}
        </span>
        <span class="spacer" />
        {isRunning ? (
          <button type="button" onClick={onStop}>
            Stop
          </button>
        ) : (
          <button type="button" class="primary" disabled={after.length === 0} onClick={onKeep}>
            Go on from here
          </button>
        )}
      </div>
      <ol class="replay">
        {after.map((turn, index) => (
          <ReplayedTurn key={index} before={before[index] ?? turn} after={turn} />
        ))}
      </ol>
    </>
  );
}

function differs(before: PlaygroundTurn | undefined, after: PlaygroundTurn): boolean {
  if (before === undefined) return true;
  return before.reply !== after.reply || outcomeOf(before) !== outcomeOf(after) || railsOf(before) !== railsOf(after);
}

function outcomeOf({ blocked, rail = "" }: PlaygroundTurn): string {
  return blocked ? `blocked by ${rail}` : "passed";
}

/** Returns the rails of a turn with their decisions, in one line. */
function railsOf({ spans }: PlaygroundTurn): string {
  return spans
    .filter(({ kind }) => kind === "rail")
    .map(({ stage = "", name, status }) => `${stage} ${name}: ${status}`)
    .join(", ");
}

function ReplayedTurn({ before, after }: { readonly before: PlaygroundTurn; readonly after: PlaygroundTurn }) {
  const isSame = !differs(before, after);
  const rails = differenceOf(railsOf(before), railsOf(after));
  return (
    <li>
      <p class="asked">
        {after.user} {isSame ? <span class="badge plain">same</span> : <span class="badge warn">differs</span>}
      </p>
      {isSame ? null : (
        <>
          {outcomeOf(before) === outcomeOf(after) ? null : (
            <p>
              <Badge status={before.blocked ? "blocked" : "passed"} /> →{" "}
              <Badge status={after.blocked ? "blocked" : "passed"} /> {outcomeOf(before)} → {outcomeOf(after)}
            </p>
          )}
          <Difference label="Reply" before={before.reply} after={after.reply} />
          {rails.some(({ kind }) => kind !== "same") ? (
            <Difference label="Rails" before={railsOf(before)} after={railsOf(after)} />
          ) : null}
        </>
      )}
    </li>
  );
}

function Difference({
  label,
  before,
  after,
}: {
  readonly label: string;
  readonly before: string;
  readonly after: string;
}) {
  return (
    <div class="difference">
      <h4>{label}</h4>
      <p>
        {differenceOf(before, after).map(({ kind, text }, index) =>
          kind === "same" ? (
            <span key={index}>{text}</span>
          ) : kind === "removed" ? (
            <del key={index}>{text}</del>
          ) : (
            <ins key={index}>{text}</ins>
          ),
        )}
      </p>
    </div>
  );
}
