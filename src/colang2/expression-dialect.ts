import { createDialect, type ExpressionDialect } from "../expressions/dialect.js";
import { BASIC_FUNCTIONS } from "../expressions/functions/functions.js";
import {
  LIST_METHODS,
  MAP_METHODS,
  REFERENCE_LIST_METHODS,
  REFERENCE_MAP_METHODS,
  SET_METHODS,
} from "../expressions/functions/collection-methods.js";
import { STRING_METHODS } from "../expressions/functions/string-methods.js";
import { COLANG_2_FUNCTIONS } from "./functions.js";

/** The expressions of Colang 2.x. */
export const COLANG_2_DIALECT: ExpressionDialect = createDialect({
  codes: {
    malformed: "C2-108",
    unterminatedString: "C2-107",
    assignment: "C2-109",
    unknownName: "C2-111",
    tooLarge: "C2-112",
    failed: "C2-401",
    forbiddenMethod: "C2-402",
  },
  functions: [...BASIC_FUNCTIONS, ...COLANG_2_FUNCTIONS],
  methods: {
    string: STRING_METHODS,
    list: [...LIST_METHODS, ...REFERENCE_LIST_METHODS],
    map: [...MAP_METHODS, ...REFERENCE_MAP_METHODS],
    set: SET_METHODS,
  },
  interpolateStrings: true,
  separateStrings: true,
  missingKeyIsNone: true,
  textIsItsValue: true,
  nestedSetItems: true,
  matrixOperator: true,
  listLiterals: true,
  mapLiterals: true,
  setLiterals: true,
  unpacking: true,
  countBraceFunctions: ["regex", "search", "find_all"],
});
