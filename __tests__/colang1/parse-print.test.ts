import { expect } from "@jest/globals";

import { parseColang1 } from "../../src/colang1/parse/parse.js";
import { printColang1 } from "../../scripts/print/print-colang1.js";
import { isError } from "../../src/diagnostics/diagnostic.js";
import { createSourceFile } from "../../src/diagnostics/source-file.js";
import { runGoldens } from "../support/golden-runner.js";

runGoldens("colang1/print", (text) => {
  const { file, diagnostics } = parseColang1(createSourceFile("main.co", text));
  expect(diagnostics.filter(isError)).toEqual([]);
  return printColang1(file);
});
