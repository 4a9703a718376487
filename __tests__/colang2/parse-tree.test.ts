import { expect } from "@jest/globals";

import { parseColang2 } from "../../src/colang2/parse.js";
import { isError } from "../../src/diagnostics/diagnostic.js";
import { createSourceFile } from "../../src/diagnostics/source-file.js";
import { runGoldens } from "../golden-runner.js";
import { formatModule } from "./format-tree.js";

runGoldens("colang2/trees", (text) => {
  const { ast, diagnostics } = parseColang2(createSourceFile("main.co", text));
  expect(diagnostics.filter(isError)).toEqual([]);
  return formatModule(ast);
});
