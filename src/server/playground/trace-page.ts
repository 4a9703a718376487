import type { Interaction } from "../../tracing/interaction.js";
import { spansOf } from "./describe-span.js";
import { sharedPage } from "./shared-page.js";
import type { PlaygroundTurn } from "./wire.js";

/** Returns traces as one HTML file with one turn per call. Texts are shown if the traces include them. */
export function tracePage(title: string, interactions: readonly Interaction[]): string {
  return sharedPage({ title, turns: interactions.map(turnOf), files: [] });
}

function turnOf(interaction: Interaction): PlaygroundTurn {
  const { spans, blocked, traceId, startedAt, finishedAt } = interaction;
  const [call] = spans;
  const { input, output } = call?.content ?? {};
  const rail = call?.attributes["guardrails.blocked.rail"];
  const stage = call?.attributes["guardrails.blocked.stage"];
  return {
    user: input ?? `(call ${traceId})`,
    reply: output ?? (blocked ? "(blocked)" : "(the trace has no texts)"),
    blocked,
    ...(typeof rail === "string" ? { rail } : {}),
    ...(typeof stage === "string" ? { stage } : {}),
    durationMs: finishedAt - startedAt,
    spans: spansOf(interaction),
    steps: [],
    flows: [],
    problems: [],
    script: { reply: [], models: {} },
  };
}
