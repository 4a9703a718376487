import { expect } from "@jest/globals";

import { parseColang1 } from "../../src/colang1/parse/parse.js";
import { printColang1 } from "../../scripts/print/print-colang1.js";
import { isError } from "../../src/diagnostics/diagnostic.js";
import { createSourceFile } from "../../src/diagnostics/source-file.js";
import { runGoldens } from "../support/golden-runner.js";
import { formatFile } from "./format-tree.js";

/** The tree of each program; its printed text must give the same tree and the same text again. */
runGoldens("colang1/trees", (text) => {
  const { file, diagnostics } = parseColang1(createSourceFile("main.co", text));
  expect(diagnostics.filter(isError)).toEqual([]);
  const tree = formatFile(file);
  const printed = printColang1(file);
  const again = parseColang1(createSourceFile("main.co", printed));
  expect(formatFile(again.file)).toBe(tree);
  expect(printColang1(again.file)).toBe(printed);
  return tree;
});
