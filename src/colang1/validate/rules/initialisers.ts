import type { Rule } from "./rule.js";

/** CO-307: nothing can start a flow of assignments and conditions, so it runs once when a conversation begins. */
export const initialisers: Rule = (_facts, report) => ({
  flow: ({ compiled, definition }) => {
    if (!compiled.isInitialiser) return;
    report("CO-307", `flow \`${compiled.id}\` waits for nothing, so it runs once when a conversation begins`, {
      span: definition.name?.span ?? definition.headerSpan,
      hint: "begin with `user` or `event`, or use `define subflow` for a flow that is only called",
    });
  },
});
