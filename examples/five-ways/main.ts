import { HumanMessage } from "@langchain/core/messages";
import { StringOutputParser } from "@langchain/core/output_parsers";
import { ChatPromptTemplate } from "@langchain/core/prompts";
import { createAgent } from "langchain";
import { Guardrails } from "langchain-guardrails";
import { guardrailsMiddleware } from "langchain-guardrails/middleware";
import { start, type ExampleOptions } from "../start.js";

const ANSWER = "Soda bread: it needs no yeast and no kneading.";

/** The questions of the two rails and the user's; in a pipe only the answer is judged. */
const TURN = ["No", ANSWER, "No"];
export const REPLIES = [...TURN, ...TURN, ANSWER, "No", ...TURN, ...TURN];

export async function run({ llm }: ExampleOptions): Promise<readonly string[]> {
  const rails = { input: { flows: ["self check input"] }, output: { flows: ["self check output"] } };
  const guardrails = await Guardrails.fromConfig({ config: { rails } }, { llm });
  const prompt = ChatPromptTemplate.fromTemplate("You help bakers. Answer in one sentence.\n\n{question}");
  const parser = new StringOutputParser();
  const question = "Which bread is easy to bake?";

  // #region wrap-model
  const model = guardrails.wrap(llm);
  const message = await model.invoke(question);
  // #endregion

  // #region wrap-chain
  const chain = guardrails.wrap(prompt.pipe(llm).pipe(parser));
  const answer = await chain.invoke({ question });
  // #endregion

  // #region pipe
  const checked = prompt.pipe(llm).pipe(parser).pipe(guardrails);
  const passed = await checked.invoke({ question });
  // #endregion

  // #region steps
  const steps = guardrails.input<{ question: string }>().pipe(prompt).pipe(llm).pipe(guardrails.output());
  const reply = await steps.invoke({ question });
  // #endregion

  // #region agent
  const agent = createAgent({ model: llm, tools: [], middleware: [guardrailsMiddleware(guardrails)] });
  const { messages } = await agent.invoke({ messages: [new HumanMessage(question)] });
  // #endregion

  return [message.text, answer, String(passed), reply.text, messages.at(-1)?.text ?? ""];
}

await start(import.meta.url, run, REPLIES);
