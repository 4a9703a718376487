import type { LayoutLine } from "../../syntax/layout.js";
import type { ImportStatement } from "../ast.js";
import { LineParser } from "./line-parser.js";
import type { ParseContext } from "../../syntax/parse-context.js";

const HINT = 'write `import name.of.module` or `import "path/of/module"`';

/** import = "import" ( NAME { "." NAME } | STRING ) NL */
export function parseImport(context: ParseContext, line: LayoutLine): ImportStatement | undefined {
  const parser = new LineParser(context, line);
  return parser.attempt(() => {
    const { cursor } = parser;
    cursor.next();
    const first = cursor.peek();
    const isQuoted = first.kind === "string";
    if (!isQuoted && first.kind !== "word") parser.failHere("C2-103", "after `import`", HINT);
    let path = String(first.value ?? first.text);
    cursor.next();
    if (isQuoted && cursor.is(".")) parser.failHere("C2-103", "after the name of the module", HINT);
    while (cursor.eat(".")) {
      const part = cursor.peek();
      if (part.kind !== "word") parser.failHere("C2-103", "after `.`", HINT);
      path += `/${cursor.next().text}`;
    }
    if (!cursor.isAtEnd()) parser.failHere("C2-103", "after the name of the module", HINT);
    if (path.trim() === "") parser.fail("C2-103", "empty name of a module", first, HINT);
    return { kind: "Import", path, isQuoted, pathSpan: parser.span(first.start), span: context.span(line) };
  });
}
