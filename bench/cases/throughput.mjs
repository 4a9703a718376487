import { HumanMessage } from "@langchain/core/messages";
import { Guardrails } from "langchain-guardrails";
import { actions, twoRails } from "../configs.mjs";
import { InstantChatModel } from "../instant-model.mjs";
import { median } from "../measure.mjs";

const REQUESTS = 1024;

/** Requests per second of one core, with as many calls under way as given. */
export async function throughputCases() {
  const guardrails = await Guardrails.fromConfig(twoRails, { actions });
  const guarded = guardrails.wrap(new InstantChatModel());
  const message = [new HumanMessage("When do you open?")];
  const run = async (concurrent) => {
    let open = REQUESTS;
    const worker = async () => {
      while (open > 0) {
        open -= 1;
        await guarded.invoke(message);
      }
    };
    const start = performance.now();
    await Promise.all(Array.from({ length: concurrent }, worker));
    return REQUESTS / ((performance.now() - start) / 1000);
  };
  await run(32);
  const rows = [];
  for (const concurrent of [1, 32, 256]) {
    const samples = [];
    for (let repeat = 0; repeat < 5; repeat += 1) samples.push(await run(concurrent));
    rows.push({ name: `requests per second, ${concurrent} at once`, value: median(samples), unit: "1/s" });
  }
  return rows;
}
