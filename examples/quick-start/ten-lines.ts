// #region quick-start
import { ChatOpenAI } from "@langchain/openai";
import { Guardrails } from "langchain-guardrails";

const llm = new ChatOpenAI({ model: "gpt-4o-mini" });
const rails = { input: { flows: ["self check input"] }, output: { flows: ["self check output"] } };
const guardrails = await Guardrails.fromConfig({ config: { rails } }, { llm });
const model = guardrails.wrap(llm);

const answer = await model.invoke("Which bread is easy to bake?");
console.log(answer.text);
// #endregion

export const text = answer.text;
