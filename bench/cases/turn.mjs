import { HumanMessage } from "@langchain/core/messages";
import { Guardrails } from "langchain-guardrails";
import { actions, dialog, noRails, oneRail, twoRails } from "../configs.mjs";
import { InstantChatModel } from "../instant-model.mjs";
import { timePaired } from "../measure.mjs";

/** Cost of a guarded call over the bare call of the same instant model. */
export async function turnCases() {
  const rows = [];
  const configs = [
    ["no rails", noRails, "When do you open?", undefined],
    ["one output rail", oneRail, "When do you open?", 0.15],
    ["one input and one output rail", twoRails, "When do you open?", 0.5],
    ["dialog turn, 100 flows", dialog(100), "tell me about topic cobaba", undefined],
  ];
  for (const [name, config, text, limit] of configs) {
    const model = new InstantChatModel();
    const guardrails = await Guardrails.fromConfig(config, { actions });
    const guarded = guardrails.wrap(model);
    const messages = [new HumanMessage(text)];
    const { first, second } = await timePaired(
      () => guarded.invoke(messages),
      () => model.invoke(messages),
    );
    rows.push({
      name: `guarded call over bare: ${name}`,
      value: first - second,
      unit: "ms",
      ...(limit === undefined ? {} : { limit }),
      detail: `${first.toFixed(3)} guarded, ${second.toFixed(3)} bare`,
    });
  }
  return rows;
}
