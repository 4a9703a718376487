import { readModerationVerdict, readSupportVerdict } from "../llm/parsers/verdict/verdict.js";
import type { ReplyFormat } from "../llm/model.js";
import type { JudgeQuestion } from "./judge-reply.js";

/** "Should this be blocked?" */
export const MODERATION_QUESTION: JudgeQuestion<"allow" | "block"> = {
  read: readModerationVerdict,
  pass: "allow",
  fail: "block",
  ...formats("yes, unsafe or block", "no, safe or allow"),
};

/** "Is this supported?", "do these agree?" */
export const SUPPORT_QUESTION: JudgeQuestion<"supported" | "unsupported"> = {
  read: readSupportVerdict,
  pass: "supported",
  fail: "unsupported",
  ...formats("yes, supported or consistent", "no, unsupported or inconsistent"),
};

/** Schema of a verdict. The grammar of verdicts reads the object like any other reply. */
export const VERDICT_FORMAT: ReplyFormat = {
  name: "verdict",
  schema: {
    title: "verdict",
    description: "The verdict alone, without an explanation.",
    type: "object",
    properties: { answer: { type: "string", enum: ["Yes", "No"] } },
    required: ["answer"],
    additionalProperties: false,
  },
};

/** The meaning of both words is stated, since prompts of a configuration may ask for others. */
function formats(yes: string, no: string): Pick<JudgeQuestion<string>, "strictFormat" | "structuredFormat"> {
  const strictFormat = [
    "Reply in exactly this format: one line with one word, without punctuation and without an explanation.",
    `The word is Yes if your answer is ${yes}. The word is No if your answer is ${no}.`,
    "Answer:",
  ].join("\n");
  const structuredFormat = [
    'Reply with a JSON object that has one field, "answer", and no explanation.',
    `The field is "Yes" if your answer is ${yes}. The field is "No" if your answer is ${no}.`,
  ].join("\n");
  return { strictFormat, structuredFormat };
}
