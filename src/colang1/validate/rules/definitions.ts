import type { Rule } from "./rule.js";
import { sourceTextOf } from "../../compile-flow.js";
import type { FlowFacts } from "../program-facts.js";
import { didYouMean } from "../../../diagnostics/suggestion.js";
import type { Name } from "../../ast.js";

/** CO-201: two flows of one id at one level of precedence. Between levels the higher one replaces the lower. */
export const uniqueFlows: Rule = ({ merged }, report) => ({
  program: () => {
    for (const { name, first, again } of merged.duplicateFlows) {
      report("CO-201", `duplicate flow \`${name}\``, {
        span: again.name?.span ?? again.headerSpan,
        labels: [{ span: first.name?.span ?? first.headerSpan, text: "first defined here" }],
        hint: "rename one of them, or remove it",
      });
    }
  },
});

/** CO-301: one message in several files of one level; the first is kept. Within a file the texts add up. */
export const uniqueMessages: Rule = ({ merged }, report) => ({
  program: () => {
    for (const { name, first, again } of merged.duplicateMessages) {
      report("CO-301", `message \`${name}\` is already defined in \`${first.source.name}\`, this one is ignored`, {
        span: again,
        labels: [{ span: first, text: "this one is used" }],
        hint: "keep all texts of a message in one file",
      });
    }
  },
});

/** CO-306: the same unnamed flow twice; the second never gets a turn before the first. */
export const identicalUnnamedFlows: Rule = (_facts, report) => {
  const seen = new Map<string, FlowFacts>();
  return {
    flow: (flow) => {
      const { definition } = flow;
      if (definition.name) return;
      const text = sourceTextOf(definition);
      const first = seen.get(text);
      if (!first) seen.set(text, flow);
      else {
        report("CO-306", "this unnamed flow is identical to another one", {
          span: definition.headerSpan,
          labels: [{ span: first.definition.headerSpan, text: "the other one" }],
          hint: "remove one of them",
        });
      }
    },
  };
};

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

/** CO-102: an `import` that the loader could not follow. */
export const resolvedImports: Rule = ({ files }, report) => ({
  program: () => {
    for (const { file, unresolvedImports } of files) {
      for (const { path, pathSpan, span } of file.imports) {
        if (!unresolvedImports?.includes(path)) continue;
        report("CO-102", `cannot find \`${path}\``, {
          span: pathSpan ?? span,
          hint: "paths are relative to the importing file, or below a folder of the import path",
        });
      }
    }
  },
});

/** CO-202: labels are unique in a flow, and every `goto` has one. */
export const labels: Rule = (_facts, report) => ({
  flow: ({ statements }) => {
    const placed = new Map<string, Name>();
    const jumps: Name[] = [];
    for (const statement of statements) {
      if (statement.kind === "Goto") jumps.push(statement.name);
      if (statement.kind !== "Label") continue;
      const first = placed.get(statement.name.text);
      if (!first) placed.set(statement.name.text, statement.name);
      else {
        report("CO-202", `duplicate label \`${first.text}\``, {
          span: statement.name.span,
          labels: [{ span: first.span, text: "first placed here" }],
          hint: "give it another name",
        });
      }
    }
    for (const { text, span } of jumps) {
      if (placed.has(text)) continue;
      const hint = didYouMean(text, placed.keys()) ?? "labels are known only in their own flow";
      report("CO-202", `unknown label \`${text}\``, { span, hint });
    }
  },
});

/** CO-318: a flow on the raw utterance starts only after the input rails let the text pass. */
export const rawUtteranceFlows: Rule = (_facts, report) => ({
  EventPattern: ({ type: { text, span } }, { compiled, isRail }) => {
    if (compiled.tier === "system" || isRail || text !== "UtteranceUserActionFinished") return;
    const hint = "write `event UserMessage` to say so";
    report("CO-318", "this flow sees the text only after the input rails let it pass", { span, hint });
  },
});
