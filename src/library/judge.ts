import { lazily } from "../engine/async.js";

/** Checks that ask a model, and the questions they ask. They are loaded with the first of them. */
export const judge = lazily(async () => {
  const [{ isAllowed, runCheck }, { SUPPORT_QUESTION }] = await Promise.all([
    import("./run-check.js"),
    import("./judge-reply.js"),
  ]);
  return { isAllowed, runCheck, SUPPORT_QUESTION };
});
