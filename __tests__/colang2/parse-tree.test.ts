import { expect } from "@jest/globals";

import { parseColang2 } from "../../src/colang2/parse/parse.js";
import { printColang2 } from "../../scripts/print/print-colang2.js";
import { isError } from "../../src/diagnostics/diagnostic.js";
import { createSourceFile } from "../../src/diagnostics/source-file.js";
import { runGoldens } from "../support/golden-runner.js";
import { formatModule } from "./format-tree.js";

/** The tree of each module; its printed text must give the same tree and the same text again. */
runGoldens("colang2/trees", (text) => {
  const { ast, diagnostics } = parseColang2(createSourceFile("main.co", text));
  expect(diagnostics.filter(isError)).toEqual([]);
  const tree = formatModule(ast);
  const printed = printColang2(ast);
  const again = parseColang2(createSourceFile("main.co", printed));
  expect(again.diagnostics.filter(isError)).toEqual([]);
  expect(formatModule(again.ast)).toBe(tree);
  expect(printColang2(again.ast)).toBe(printed);
  return tree;
});
