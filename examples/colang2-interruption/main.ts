import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type ConversationState, Guardrails } from "langchain-guardrails";
import { start } from "../start.js";

const FOLDER = fileURLToPath(new URL("../../examples/colang2-interruption/config", import.meta.url));

/** No model is asked. */
export const REPLIES = [];

/** User messages of the first process: they end in a digression from a digression from the order. */
export const SAYS = ["I would like a bouquet", "are you open on Monday?", "tulips", "where do I find you?"];

/** User messages of the second process. */
export const SAYS_LATER = ["yes", "I need to think, wait", "12", "go on", "12", "where are you?", "no", "no"];

/** Some turns of a conversation, and the state in which it is afterwards: plain JSON. */
export async function talk(
  says: readonly string[],
  stored: string,
): Promise<{ readonly lines: readonly string[]; readonly stored: string }> {
  const guardrails = await Guardrails.fromPath(FOLDER);
  const lines: string[] = [];
  let state: ConversationState | undefined = JSON.parse(stored) as ConversationState;
  for (const text of says) {
    const turn = await guardrails.generate(text, { state: state ?? {} });
    lines.push(
      `> ${text}`,
      ...String(turn.response)
        .split("\n")
        .map((line) => `< ${line}`),
    );
    state = turn.state;
  }
  return { lines, stored: JSON.stringify(state) };
}

/** The same, turn by turn. */
async function order(guardrails: Guardrails): Promise<readonly string[]> {
  // #region state
  const first = await guardrails.generate("I would like a bouquet", { state: {} });
  const stored = JSON.stringify(first.state);
  const second = await guardrails.generate("tulips", { state: JSON.parse(stored) as ConversationState });
  // #endregion
  return [String(first.response), String(second.response)];
}

export async function run(): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), "flowers-"));
  const file = join(folder, "conversation.json");
  try {
    const first = await talk(SAYS, "{}");
    await writeFile(file, first.stored);
    // From here on nothing is known but the file: this may be another process, and a week later.
    const later = await talk(SAYS_LATER, await readFile(file, "utf8"));
    return [...first.lines, "--", ...later.lines, "--", ...(await order(await Guardrails.fromPath(FOLDER)))];
  } finally {
    await rm(folder, { recursive: true });
  }
}

await start(import.meta.url, run, REPLIES);
