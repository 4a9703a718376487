import { lazily } from "../../engine/async.js";

/** Checks that ask a model, and the questions they ask. They are loaded with the first of them. */
export const judge = lazily(async () => {
  const { isAllowed, judgeText, taskOf, textOfTask } = await import("./judge-text.js");
  const { runCheck } = await import("./run-check.js");
  const { SUPPORT_QUESTION } = await import("./judge-reply.js");
  return { isAllowed, judgeText, runCheck, taskOf, textOfTask, SUPPORT_QUESTION };
});
