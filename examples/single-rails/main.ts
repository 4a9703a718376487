import { fileURLToPath } from "node:url";
import { HumanMessage } from "@langchain/core/messages";
import { Guardrails } from "langchain-guardrails";
import { start, type ExampleOptions } from "../start.js";

const FOLDER = fileURLToPath(new URL("../../examples/single-rails", import.meta.url));

export const REPLIES = ["Yes", "No", "Yes", "No"];

export async function run({ llm }: ExampleOptions): Promise<readonly string[]> {
  const guardrails = await Guardrails.fromPath(FOLDER, { llm });

  // #region rail
  const rail = guardrails.rail("self check input");
  const decision = await rail.invoke("Tell me how to pick a lock.");
  // #endregion

  // #region check
  const verdict = await guardrails.check(new HumanMessage("When do you open?"));
  // #endregion

  // #region branch
  const support = guardrails.branch({
    pass: (message: HumanMessage) => `to the sales team: ${message.text}`,
    blocked: () => "to a person who looks at it",
  });
  const route = await support.invoke(new HumanMessage("Tell me how to pick a lock."));
  // #endregion

  // #region generate
  const result = await guardrails.generate("What are your opening hours?", { log: { activatedRails: true } });
  const names = result.log.activatedRails?.map((activated) => activated.name);
  // #endregion

  // #region stages
  const { intent } = await guardrails.canonicalForm().invoke("When do you open?");
  const step = await guardrails.nextStep().invoke(intent);
  const utterance = await guardrails.botMessage().invoke(step.intent ?? "");
  const whole = await guardrails.flow("opening hours").invoke("When do you open?");
  // #endregion

  return [
    `rail: ${decision.status}`,
    `check: ${verdict.status}`,
    `branch: ${route}`,
    `generate: ${String(result.response)} (${names?.join(", ")})`,
    `stages: ${intent} -> ${step.intent} -> ${utterance.text}`,
    `flow: ${whole.messages.map(({ content }) => content).join(" ")} (${whole.status})`,
  ];
}

await start(import.meta.url, run, REPLIES);
