import { readModerationVerdict, readSupportVerdict } from "../llm/output-parsers/verdict.js";
import type { JudgeQuestion } from "./judge-reply.js";

/** "Should this be blocked?" */
export const MODERATION_QUESTION: JudgeQuestion<"allow" | "block"> = {
  read: readModerationVerdict,
  pass: "allow",
  fail: "block",
  strictFormat: strictFormat("yes, unsafe or block", "no, safe or allow"),
};

/** "Is this supported?", "do these agree?" */
export const SUPPORT_QUESTION: JudgeQuestion<"supported" | "unsupported"> = {
  read: readSupportVerdict,
  pass: "supported",
  fail: "unsupported",
  strictFormat: strictFormat("yes, supported or consistent", "no, unsupported or inconsistent"),
};

/** The meaning of both words is stated, since prompts of a configuration may ask for others. */
function strictFormat(yes: string, no: string): string {
  return [
    "Reply in exactly this format: one line with one word, without punctuation and without an explanation.",
    `The word is Yes if your answer is ${yes}. The word is No if your answer is ${no}.`,
    "Answer:",
  ].join("\n");
}
