import type { Rule } from "./rule.js";

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
