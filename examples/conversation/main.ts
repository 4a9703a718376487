import { fileURLToPath } from "node:url";
import { HumanMessage } from "@langchain/core/messages";
import { Guardrails } from "langchain-guardrails";
import { chat, scriptedModel } from "langchain-guardrails/testing";
import { start, type ExampleOptions } from "../start.js";

const FOLDER = fileURLToPath(new URL("../../examples/conversation", import.meta.url));

export const REPLIES = ["Flour, water, salt and time."];

export async function run({ llm }: ExampleOptions): Promise<readonly string[]> {
  const guardrails = await Guardrails.fromPath(FOLDER, { llm });

  // #region threads
  const model = guardrails.wrap(llm);
  const thread = { configurable: { thread_id: "ann" } };
  const first = await model.invoke("Tell me a joke!", thread);
  const second = await model.invoke("Another one!", thread);
  // #endregion

  // #region stream
  let text = "";
  for await (const chunk of await model.stream([new HumanMessage("What is in bread?")])) text += chunk.text;
  // #endregion

  return [first.text, second.text, text];
}

/** How a test of this configuration looks. */
export async function test(): Promise<string> {
  // #region testing
  const llm = scriptedModel(["Flour, water, salt and time."]);
  const guardrails = await Guardrails.fromPath(FOLDER, { llm });

  const dialogue = chat(guardrails.wrap(llm));
  await dialogue.user("tell me a joke");
  dialogue.bot(/Loaf around/);
  await dialogue.user("what is in bread?");
  dialogue.bot("Flour, water, salt and time.");
  llm.assertDone();
  // #endregion
  return dialogue.transcript;
}

await start(import.meta.url, run, REPLIES);
