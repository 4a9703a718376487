import type { PlaygroundSpan, PlaygroundTurn } from "../wire.js";
import { Badge, countOf, formatMs } from "./badges.js";

/** Rails, actions and model calls of a turn in order of their start, each with its texts. */
export function TimeLine({ turn }: { readonly turn: PlaygroundTurn }) {
  const { spans, durationMs, problems } = turn;
  const depths = depthsOf(spans);
  const shown = spans.filter(({ kind }) => kind !== "turn");
  return (
    <>
      <BlockedTexts turn={turn} />
      {problems.length === 0 ? null : (
        <section class="callout bad" aria-label="Problems of the turn">
          <ul>
            {problems.map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        </section>
      )}
      <h3>
        Time line <span class="muted">{formatMs(durationMs)}</span>
      </h3>
      {shown.length === 0 ? <p class="empty">Nothing ran beside the flows.</p> : null}
      <ol class="spans">
        {shown.map((span) => (
          <li key={span.id} style={{ marginInlineStart: `${((depths.get(span.id) ?? 1) - 1) * 1.1}rem` }}>
            <SpanItem span={span} totalMs={durationMs} />
          </li>
        ))}
      </ol>
    </>
  );
}

/** The texts that rails blocked, if the server sends them. */
function BlockedTexts({ turn: { spans } }: { readonly turn: PlaygroundTurn }) {
  const blocked = spans.filter(({ kind, status, content }) => {
    return kind === "rail" && status === "blocked" && content?.["input"] !== undefined;
  });
  if (blocked.length === 0) return null;
  return (
    <section class="callout warn" aria-label="Blocked text">
      <h3>Blocked text</h3>
      <p class="muted">Shown to the developer alone: no rail has passed it.</p>
      {blocked.map(({ id, name, stage, content }) => (
        <div key={id}>
          <h4>
            {stage} rail “{name}” blocked
          </h4>
          <pre tabIndex={0}>{content?.["input"]}</pre>
        </div>
      ))}
    </section>
  );
}

function depthsOf(spans: readonly PlaygroundSpan[]): ReadonlyMap<string, number> {
  const depths = new Map<string, number>();
  for (const { id, parent } of spans) depths.set(id, parent === undefined ? 0 : (depths.get(parent) ?? 0) + 1);
  return depths;
}

const KINDS: Readonly<Record<string, string>> = { rail: "rail", action: "action", model: "model call" };

function SpanItem({ span, totalMs }: { readonly span: PlaygroundSpan; readonly totalMs: number }) {
  const { kind, name, stage, status, startMs, durationMs, model, inputTokens, outputTokens } = span;
  const total = Math.max(totalMs, 0.01);
  const start = Math.min(100, (startMs / total) * 100);
  const width = Math.max(0.6, Math.min(100 - start, (durationMs / total) * 100));
  const noun = Object.hasOwn(KINDS, kind) ? KINDS[kind] : kind;
  return (
    <details class={`span ${kind === "rail" || kind === "model" ? kind : "action"}`}>
      <summary>
        <span class="kind">{stage === undefined ? noun : `${stage} ${noun}`}</span>
        <span class="name">{name}</span>
        {model === undefined ? null : <span class="muted">{model}</span>}
        {status === "ok" ? null : <Badge status={status} />}
        {span.isShadow === true ? <span class="badge plain">shadow</span> : null}
        {span.isCached === true ? <span class="badge plain">cached</span> : null}
        <span class="numbers">
          {inputTokens === undefined ? null : `${inputTokens} + ${outputTokens ?? 0} tokens · `}
          {formatMs(durationMs)}
        </span>
        <span class="bar" aria-hidden="true">
          <span style={{ marginInlineStart: `${start}%`, inlineSize: `${width}%` }} />
        </span>
      </summary>
      <SpanFacts span={span} />
    </details>
  );
}

function SpanFacts({ span }: { readonly span: PlaygroundSpan }) {
  const { startMs, reason, score, categories, error, content = {} } = span;
  const facts: readonly (readonly [string, string | undefined])[] = [
    ["Began after", formatMs(startMs)],
    ["Reason", reason],
    ["Score", score === undefined ? undefined : String(score)],
    ["Categories", categories?.join(", ")],
    ["Error", error],
  ];
  const texts = Object.entries(content);
  return (
    <div class="span-facts">
      <dl>
        {facts.map(([name, value]) =>
          value === undefined ? null : (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
        )}
      </dl>
      {texts.map(([name, text]) => (
        <figure key={name}>
          <figcaption>
            {name.replace(/^param\./, "parameter ")} <span class="muted">{countOf(text.length, "character")}</span>
          </figcaption>
          <pre tabIndex={0} aria-label={name}>
            {text}
          </pre>
        </figure>
      ))}
      {texts.length === 0 ? <p class="muted">The trace of this work has no texts.</p> : null}
    </div>
  );
}
