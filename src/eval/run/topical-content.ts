import type { ConfigContent } from "../../config/load/load.js";
import type { IntentExample } from "../../retrieval/matcher/intent-matcher.js";

const NOT_IN_A_NAME = /[^\p{L}\p{N}_ -]+/gu;

/**
 * The name of an intent as Colang writes it: what cannot stand in a name becomes a blank.
 *
 * @example
 * ```ts
 * colangIntent("What's new?"); // "What s new"
 * ```
 */
export function colangIntent(intent: string): string {
  const name = intent.replace(NOT_IN_A_NAME, " ").replace(/\s+/g, " ").trim();
  return name === "" ? "unnamed" : name;
}

/** Examples as a configuration of user messages, to be combined with one that brings models, flows and messages. */
export function topicalContent(examples: readonly IntentExample[]): ConfigContent {
  const blocks = new Map<string, string[]>();
  for (const { text, intent } of examples) {
    const name = colangIntent(intent);
    const lines = blocks.get(name) ?? [`define user ${name}`];
    lines.push(`  ${quote(text)}`);
    blocks.set(name, lines);
  }
  const colang = [...blocks.values()].map((lines) => lines.join("\n")).join("\n\n");
  return { files: { "evaluation/examples.co": `${colang}\n` } };
}

function quote(text: string): string {
  const oneLine = text.replace(/\s+/g, " ").trim();
  return `"${oneLine.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
