import { lazily } from "../../engine/async.js";

/** Loads the module of checks by a model, at the first check. */
export const judge = lazily(async () => {
  const { isAllowed, judgeText, taskOf, textOfTask } = await import("./judge-text.js");
  const { runCheck } = await import("./run-check.js");
  const { SUPPORT_QUESTION } = await import("./judge-reply.js");
  return { isAllowed, judgeText, runCheck, taskOf, textOfTask, SUPPORT_QUESTION };
});
