import { fileURLToPath } from "node:url";
import { tool } from "@langchain/core/tools";
import { Guardrails } from "langchain-guardrails";
import { eventChat } from "langchain-guardrails/testing";
import { start } from "../start.js";

const FOLDER = fileURLToPath(new URL("../../examples/colang2-assistant/config", import.meta.url));

/** No model is asked. */
export const REPLIES = [];

const STOCK: ReadonlyMap<string, number> = new Map([
  ["rolls", 12],
  ["spelt bread", 3],
]);

const checkStock = tool(
  ({ question }: { question: string }) => [...STOCK].find(([product]) => question.includes(product))?.[1] ?? 0,
  {
    name: "check_stock",
    description: "How many of the product that a question is about are there.",
    schema: { type: "object", properties: { question: { type: "string" } }, required: ["question"] },
  },
);

const actions = {
  check_stock: checkStock,
  hide_card_numbers: ({ text }: { text: string }) => text.replaceAll(/\b(?:\d[ -]?){13,16}\b/g, "****"),
};

/** First utterance of the flows, as an application receives it. */
async function listen(guardrails: Guardrails): Promise<readonly string[]> {
  const said: string[] = [];
  // #region events
  const session = guardrails.events();
  session.send({ type: "UtteranceUserActionFinished", final_transcript: "do you have spelt bread" });
  for await (const event of session) {
    if (event.type !== "UtteranceBotActionFinished") continue;
    said.push(String(event["final_script"]));
    session.close();
  }
  // #endregion
  return said;
}

/** A test that does not wait for timers. */
async function rehearse(guardrails: Guardrails): Promise<readonly string[]> {
  // #region event-chat
  const talk = await eventChat(guardrails);
  await talk.user("bake a loaf");
  await talk.ring();
  talk.bot("Your loaf is ready!");
  const { outcome, reasons } = talk.why("baking");
  talk.close();
  // #endregion
  return [`${outcome}:`, ...reasons];
}

export async function run(): Promise<readonly string[]> {
  const guardrails = await Guardrails.fromPath(FOLDER, { actions });
  // Event by event, with timers that ring on command.
  const talk = await eventChat(guardrails);
  await talk.user("bake a loaf");
  await talk.user("I want to order");
  // The order is interrupted, and the loaf is still in the oven.
  await talk.user("do you have spelt bread");
  await talk.user("12");
  await talk.ring();
  await talk.user("my card is 4111 1111 1111 1111");
  // The same conversation in another process.
  await talk.user("I want to order");
  const state: unknown = JSON.parse(JSON.stringify(await talk.session.state()));
  talk.close();
  const later = await eventChat(guardrails, { state });
  await later.user("7");
  later.close();
  const utterances = await listen(guardrails);
  const why = await rehearse(guardrails);
  return [...talk.transcript.split("\n"), "--", ...later.transcript.split("\n"), "--", ...utterances, "--", ...why];
}

await start(import.meta.url, run, REPLIES);
