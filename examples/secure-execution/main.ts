import { fileURLToPath } from "node:url";
import { Guardrails } from "langchain-guardrails";
import { play, readDialogue } from "../dialogue.js";
import { start, type ExampleOptions } from "../start.js";
import { placeOrderWith, quoteOrder } from "./actions.js";
import { withEncyclopedia } from "./encyclopedia.js";
import { createWholesaler } from "./wholesaler.js";

const FOLDER = fileURLToPath(new URL("../../examples/secure-execution", import.meta.url));

export const DIALOGUE = readDialogue(`${FOLDER}/dialogue.txt`);
export const REPLIES = DIALOGUE.replies;

/** The guarded shop, and what its flows have ordered from the wholesaler. */
export async function openShop({ llm }: Pick<ExampleOptions, "llm">) {
  const { orderTool, received } = createWholesaler();
  const guardrails = await Guardrails.fromPath(`${FOLDER}/config`, {
    llm,
    actions: { quote_order: quoteOrder, place_order: placeOrderWith(orderTool) },
  });
  return { guardrails, received };
}

export async function run({ llm, interactive }: ExampleOptions): Promise<readonly string[]> {
  const { guardrails, received } = await openShop({ llm });
  const lines = await withEncyclopedia(() => play(guardrails, DIALOGUE, { interactive }));
  return [...lines, "", "What reached the wholesaler:", ...received.map((order) => JSON.stringify(order))];
}

await start(import.meta.url, run, REPLIES);
