import type { PlaygroundTurn } from "../wire.js";

/** Returns turns as a conversation for the command `test`, with the model replies as its script. */
export function toTestCase(turns: readonly PlaygroundTurn[]): string {
  const name = turns.at(-1)?.user ?? "conversation";
  const lines = ["conversations:", `  - name: ${quote(name.slice(0, 80))}`, "    turns:"];
  for (const turn of turns)
    lines.push(...linesOf(turn).map((line, index) => `${index === 0 ? "      - " : "        "}${line}`));
  return `${lines.join("\n")}\n`;
}

function linesOf({ user, reply, blocked, rail, script }: PlaygroundTurn): readonly string[] {
  const models = Object.entries(script.models);
  return [
    `user: ${quote(user)}`,
    ...(script.reply.length === 0 ? [] : [`reply: ${list(script.reply)}`]),
    ...(models.length === 0 ? [] : ["models:", ...models.map(([type, texts]) => `  ${quote(type)}: ${list(texts)}`)]),
    `bot: ${quote(reply)}`,
    `blocked: ${String(blocked)}`,
    ...(rail === undefined ? [] : [`rail: ${quote(rail)}`]),
  ];
}

function list(texts: readonly string[]): string {
  return `[${texts.map(quote).join(", ")}]`;
}

/** Returns a text in double quotes. JSON's escape sequences are also valid in YAML. */
function quote(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
