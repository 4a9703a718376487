import { HumanMessage } from "@langchain/core/messages";
import { Guardrails } from "langchain-guardrails";
import { actions, oneRail } from "../configs.mjs";
import { InstantStreamModel } from "../instant-model.mjs";
import { timePaired } from "../measure.mjs";

const TOKENS = 300;

/** Cost of one local output rail for each token of a stream, over the bare stream of the same instant model. */
export async function streamCases() {
  const model = new InstantStreamModel(TOKENS);
  const guardrails = await Guardrails.fromConfig(oneRail, { actions });
  const guarded = guardrails.wrap(model);
  const messages = [new HumanMessage("When do you open?")];
  const drain = async (runnable) => {
    let count = 0;
    for await (const chunk of await runnable.stream(messages)) count += chunk.text.length;
    return count;
  };
  const options = { samples: 21, inner: 3, warmup: 50 };
  const { first, second } = await timePaired(
    () => drain(guarded),
    () => drain(model),
    options,
  );
  const perToken = (milliseconds) => (milliseconds / TOKENS) * 1000;
  return [
    {
      name: "one output rail around a stream, per token over bare",
      value: perToken(first - second),
      unit: "µs",
      limit: 20,
      detail: `${perToken(first).toFixed(1)} guarded, ${perToken(second).toFixed(1)} bare`,
    },
  ];
}
