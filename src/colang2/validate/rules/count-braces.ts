import { createSpan } from "../../../diagnostics/source-file.js";
import { quoteText } from "../../../diagnostics/diagnostic.js";
import { walkExpressions } from "../../walk.js";
import type { Rule } from "./rule.js";

/** `"x{3}"` is `x3`: what looks like a count in a pattern is a value in a string. */
export const countBraces: Rule = ({ flow, report }) => {
  walkExpressions(flow, (part) => {
    if (part.kind !== "Template") return;
    for (const piece of part.parts) {
      if (typeof piece === "string" || piece.kind !== "Literal" || typeof piece.value !== "number") continue;
      const span = createSpan(flow.span.source, piece.start - 1, piece.end + 1);
      const text = flow.span.source.text.slice(piece.start, piece.end);
      const hint = `write ${quoteText(`{{${text}}}`)} for braces; in \`regex\`, \`search\` and \`find_all\` they stay as they are`;
      report("C2-309", `${quoteText(`{${text}}`)} in a string is only ${quoteText(text)}`, span, hint);
    }
  });
};
