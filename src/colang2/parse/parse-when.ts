import type { WhenCase } from "../ast.js";
import { LineParser } from "./line-parser.js";
import { endOfBlock } from "../../syntax/layout.js";
import { parseElse } from "./parse-branches.js";
import { parseGroup } from "./parse-group.js";
import { type ParseStatement, peekSibling } from "./statement-input.js";

/** whenstmt = "when" group suite { "or" "when" group suite } [ "else" suite ] */
export const parseWhen: ParseStatement = (input) => {
  const { base, context, siblings, line } = input;
  const cases: WhenCase[] = [];
  let last = line;
  const addCase = (parser: LineParser, words: number): void => {
    const group = parser.attempt(() => {
      for (let word = 0; word < words; word += 1) parser.cursor.next();
      const found = parseGroup(parser);
      parser.expectHeaderEnd("after what `when` waits for");
      return found;
    });
    last = parser.line;
    const body = input.parseBody(last);
    const span = context.span({ start: last.start, end: endOfBlock(last) });
    if (group) cases.push({ group, body, span });
  };
  addCase(input.parser, 1);
  for (let next = peekSibling(input, "or", "when"); next; next = peekSibling(input, "or", "when")) {
    siblings.next();
    addCase(new LineParser(context, next), 2);
  }
  const otherwise = parseElse(input, (found) => (last = found));
  if (cases.length === 0) return undefined;
  const span = context.span({ start: line.start, end: endOfBlock(last) });
  return { kind: "When", cases, ...(otherwise ? { otherwise } : {}), ...base, span };
};
