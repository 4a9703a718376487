// Shared by the reference applications: reads a dialogue from a file and plays it.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { formatDecision, type Guardrails } from "langchain-guardrails";

export interface Dialogue {
  /** User messages in order. */
  readonly says: readonly string[];
  /** The model's completions, in the order in which they are asked for. */
  readonly replies: readonly string[];
  /** The task for which each completion is asked. */
  readonly tasks: readonly string[];
}

const REPLY = /^ +(\w+): (.*)$/;

/**
 * Reads a dialogue: `> text` is said by the user, `  task: text` answered by the model when it is asked for that task,
 * and `#` begins a comment.
 */
export function readDialogue(path: string): Dialogue {
  const says: string[] = [];
  const replies: string[] = [];
  const tasks: string[] = [];
  for (const [index, line] of readFileSync(path, "utf8").split("\n").entries()) {
    if (line.trim() === "" || line.startsWith("#")) continue;
    const [, task, reply] = REPLY.exec(line) ?? [];
    if (line.startsWith("> ")) says.push(line.slice(2));
    else if (task !== undefined && reply !== undefined) {
      tasks.push(task);
      replies.push(reply);
    } else throw new Error(`${path}:${index + 1}: neither \`> text\` nor \`  task: text\``);
  }
  return { says, replies, tasks };
}

/**
 * Plays the user messages of a dialogue, or those typed at the terminal. Returns the bot messages, the decisions of the
 * rails and the tasks of the model for each turn.
 */
export async function play(
  guardrails: Guardrails,
  { says }: Dialogue,
  { interactive = false }: { readonly interactive?: boolean | undefined } = {},
): Promise<readonly string[]> {
  if (interactive) {
    const terminal = createInterface({ input: process.stdin, output: process.stdout, prompt: "> " });
    terminal.prompt();
    for await (const line of terminal) {
      if (line.trim() !== "") console.log((await takeTurn(guardrails, line.trim())).join("\n"));
      terminal.prompt();
    }
    return [];
  }
  const lines: string[] = [];
  for (const text of says) lines.push(`> ${text}`, ...(await takeTurn(guardrails, text)), "");
  return lines.slice(0, -1);
}

/** All turns of a process are one conversation. */
const CONVERSATION = { configurable: { thread_id: "dialogue" } };

async function takeTurn(guardrails: Guardrails, text: string): Promise<string[]> {
  const { response, guardrails: verdict, explain, log } = await guardrails.generate(text, {}, CONVERSATION);
  const rails = verdict.decisions.map((decision) => `  ${formatDecision(decision, { time: false })}`);
  const tasks = explain.llmCalls.map(({ task }) => task);
  const model = tasks.length === 0 ? [] : [`  model: ${tasks.join(", ")}`];
  const errors = log.errors.map(({ message }) => `  error: ${message.replace(/\s+/g, " ")}`);
  return [
    ...model,
    ...rails,
    ...errors,
    ...String(response)
      .split("\n")
      .map((line) => `< ${line}`),
  ];
}
