import { useEffect, useMemo, useRef } from "preact/hooks";
import type { PlaygroundTurn } from "../wire.js";
import { Badge, countOf, formatMs } from "./badges.js";

/** A turn that is not complete yet. */
export interface OpenTurn {
  readonly user: string;
  readonly text: string;
}

interface ConversationProps {
  /** False while the page loads. */
  readonly isReady?: boolean;
  readonly turns: readonly PlaygroundTurn[];
  readonly open?: OpenTurn | undefined;
  readonly selected: number;
  readonly onSelect: (index: number) => void;
}

/** The messages of a conversation, grouped by turn. */
export function Conversation({ isReady = true, turns, open, selected, onSelect }: ConversationProps) {
  const end = useRef<HTMLDivElement>(null);
  useEffect(
    () => end.current?.scrollIntoView({ block: "nearest" }),
    [turns.length, open?.text.length, open === undefined],
  );
  const isEmpty = isReady && turns.length === 0 && open === undefined;
  return (
    <div class="log" role="log" aria-label="Conversation" tabIndex={0}>
      {isEmpty ? <p class="empty">Write a message to see how the rails treat it.</p> : null}
      {turns.map((turn, index) => (
        <TurnItem key={index} turn={turn} index={index} isSelected={index === selected} onSelect={onSelect} />
      ))}
      {open === undefined ? null : (
        <article class="turn" aria-label={`Turn ${turns.length + 1}`} aria-busy="true">
          <Message author="You" text={open.user} />
          <Message author="Bot" text={open.text === "" ? "…" : open.text} />
        </article>
      )}
      <div ref={end} />
    </div>
  );
}

interface TurnItemProps {
  readonly turn: PlaygroundTurn;
  readonly index: number;
  readonly isSelected: boolean;
  readonly onSelect: (index: number) => void;
}

/** A turn. It renders again only when it changes. */
function TurnItem({ turn, index, isSelected, onSelect }: TurnItemProps) {
  return useMemo(() => drawTurn({ turn, index, isSelected, onSelect }), [turn, index, isSelected, onSelect]);
}

function drawTurn({ turn, index, isSelected, onSelect }: TurnItemProps) {
  const { user, reply, blocked, rail, durationMs, spans } = turn;
  const models = spans.filter(({ kind }) => kind === "model");
  const tokens = models.reduce((sum, { inputTokens = 0, outputTokens = 0 }) => sum + inputTokens + outputTokens, 0);
  const facts = [
    formatMs(durationMs),
    ...(models.length === 0 ? [] : [countOf(models.length, "model call")]),
    ...(tokens === 0 ? [] : [countOf(tokens, "token")]),
  ];
  return (
    <article class={isSelected ? "turn selected" : "turn"} aria-label={`Turn ${index + 1}`}>
      <Message author="You" text={user} />
      <Message author="Bot" text={reply === "" ? "(no reply)" : reply} isBlocked={blocked} />
      <div class="facts">
        {blocked ? <Badge status="blocked" /> : null}
        {blocked && rail !== undefined ? <span class="rail">by {rail}</span> : null}
        <span>{facts.join(" · ")}</span>
        <button type="button" class="link" aria-pressed={isSelected} onClick={() => onSelect(index)}>
          Details<span class="hidden"> of turn {index + 1}</span>
        </button>
      </div>
    </article>
  );
}

interface MessageProps {
  readonly author: "You" | "Bot";
  readonly text: string;
  readonly isBlocked?: boolean;
}

function Message({ author, text, isBlocked = false }: MessageProps) {
  return (
    <div class={`message ${author === "You" ? "user" : "bot"}${isBlocked ? " refused" : ""}`}>
      <span class="author">{author}</span>
      <p>{text}</p>
    </div>
  );
}
