// A rail as another package would export it.
// #region politeness
import { defineRail } from "langchain-guardrails/rails";

export const politeness = defineRail({
  name: "politeness",
  summary: "Blocks or softens impolite messages.",
  flows: [
    { name: "politeness check output", stage: "output", check: (text) => /shut up/i.test(text) },
    { name: "politeness soften output", stage: "output", rewrite: (text) => text.replaceAll("bad", "not so good") },
  ],
});
// #endregion
