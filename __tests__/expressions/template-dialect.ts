import { COLANG_1_DIALECT } from "../../src/colang1/expression-dialect.js";
import { createDialect, type ExpressionDialect } from "../../src/expressions/dialect.js";
import { defineFunction } from "../../src/expressions/functions/function-definition.js";
import { BASIC_FUNCTIONS } from "../../src/expressions/functions/functions.js";
import { LIST_METHODS, MAP_METHODS } from "../../src/expressions/functions/collection-methods.js";
import { STRING_METHODS } from "../../src/expressions/functions/string-methods.js";

/** A dialect that differs from Colang 1.0 in every option. */
export const TEMPLATE_DIALECT: ExpressionDialect = createDialect({
  codes: COLANG_1_DIALECT.codes,
  functions: [...BASIC_FUNCTIONS, defineFunction("regex", "pattern", (_, [pattern]) => pattern ?? null)],
  methods: { string: STRING_METHODS, list: LIST_METHODS, map: MAP_METHODS },
  interpolateStrings: true,
  matrixOperator: true,
  listLiterals: true,
  mapLiterals: true,
  setLiterals: true,
  countBraceFunctions: ["regex"],
});
