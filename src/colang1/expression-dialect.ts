import { createDialect, type ExpressionDialect } from "../expressions/dialect.js";
import { BASIC_FUNCTIONS, TEXT_FUNCTIONS } from "../expressions/functions/functions.js";
import { LIST_METHODS, MAP_METHODS } from "../expressions/functions/collection-methods.js";
import { STRING_METHODS } from "../expressions/functions/string-methods.js";

/** The expressions of Colang 1.0. */
export const COLANG_1_DIALECT: ExpressionDialect = createDialect({
  codes: {
    malformed: "CO-109",
    unterminatedString: "CO-108",
    assignment: "CO-120",
    unknownName: "CO-207",
    tooLarge: "CO-121",
    failed: "CO-410",
    forbiddenMethod: "CO-404",
  },
  functions: [...BASIC_FUNCTIONS, ...TEXT_FUNCTIONS],
  methods: { string: STRING_METHODS, list: LIST_METHODS, map: MAP_METHODS },
  booleansAreNumbers: true,
  missingKeyIsNone: true,
  listLiterals: true,
  tupleLiterals: true,
  mapLiterals: true,
});
