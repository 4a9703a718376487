// node answer.mjs 1.0|2.x: the first response of a process, with one local rail on each side.
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage } from "@langchain/core/messages";
import { Guardrails } from "langchain-guardrails";

class InstantModel extends BaseChatModel {
  _llmType() {
    return "instant";
  }

  async _generate() {
    const message = new AIMessage("Our workshop opens at nine.");
    return { generations: [{ text: message.text, message }] };
  }
}

const DIALECTS = {
  "1.0": `
define bot refuse
  "I cannot talk about that."

define flow check question
  $allowed = execute check_question
  if not $allowed
    bot refuse
    stop

define flow check answer
  $allowed = execute check_answer
  if not $allowed
    bot refuse
    stop
`,
  "2.x": `
import core
import guardrails

flow check question
  $allowed = await CheckQuestionAction
  if not $allowed
    bot say "I cannot talk about that."
    abort

flow check answer
  $allowed = await CheckAnswerAction
  if not $allowed
    bot say "I cannot talk about that."
    abort
`,
};

const allow = () => true;
const dialect = process.argv[2];
const guardrails = await Guardrails.fromConfig(
  {
    config: {
      colang_version: dialect,
      rails: { input: { flows: ["check question"] }, output: { flows: ["check answer"] } },
    },
    colang: DIALECTS[dialect],
  },
  {
    actions: {
      check_question: allow,
      check_answer: allow,
      CheckQuestionAction: allow,
      CheckAnswerAction: allow,
    },
  },
);
const answer = await guardrails.wrap(new InstantModel({})).invoke("When do you open?");
if (answer.text !== "Our workshop opens at nine.") throw new Error(`expected the model's answer, got ${answer.text}`);
