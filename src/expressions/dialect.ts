import type { DiagnosticCode } from "../diagnostics/codes.js";
import type { ValueSemantics } from "./evaluate/runtime.js";
import type { FunctionDefinition } from "./functions/function-definition.js";

/** The types of values that can have methods; those of `any` can be called on all values. */
export type MethodOwner = "string" | "list" | "map" | "set" | "any";

type MethodTables = Readonly<Record<MethodOwner, ReadonlyMap<string, FunctionDefinition>>>;

/** The codes of the diagnostics and errors of a dialect. */
interface ExpressionCodes {
  readonly malformed: DiagnosticCode;
  readonly unterminatedString: DiagnosticCode;
  readonly assignment: DiagnosticCode;
  readonly unknownName: DiagnosticCode;
  readonly tooLarge: DiagnosticCode;
  /** At run time. */
  readonly failed: DiagnosticCode;
  readonly forbiddenMethod: DiagnosticCode;
}

/** The differences between the expressions of one language and another. */
export interface ExpressionDialect extends ValueSemantics {
  readonly functions: ReadonlyMap<string, FunctionDefinition>;
  readonly methods: MethodTables;
  /** The names of all methods of all types. */
  readonly methodNames: ReadonlySet<string>;
  /** The names of methods that change the value they are called on, for any type of value. */
  readonly mutatingMethods: ReadonlySet<string>;
  readonly codes: ExpressionCodes;
  /** Every string is a template, not only an f-string. */
  readonly interpolateStrings?: boolean;
  /** Strings next to each other are not one text. */
  readonly separateStrings?: boolean;
  /** `$m.k` is `None` for a missing key `k`; `$m["k"]` always fails. */
  readonly missingKeyIsNone?: boolean;
  /** `$text.value` is the text itself. */
  readonly textIsItsValue?: boolean;
  /** Lists, sets and maps may be items of sets. */
  readonly nestedSetItems?: boolean;
  /** `@` is an operator. */
  readonly matrixOperator?: boolean;
  readonly listLiterals?: boolean;
  /** `(1, 2)`, which makes a list. */
  readonly tupleLiterals?: boolean;
  readonly mapLiterals?: boolean;
  readonly setLiterals?: boolean;
  /** `*list` and `**map` among arguments, `**map` in maps. */
  readonly unpacking?: boolean;
  /** In the first argument of these functions braces that hold only digits and commas are text: `regex("^\d{3}$")`. */
  readonly countBraceFunctions: ReadonlySet<string>;
  /** Maximum nesting of brackets, `not` and signs. Default: 100. */
  readonly maxNesting: number;
}

type Derived = "functions" | "methods" | "methodNames" | "mutatingMethods" | "countBraceFunctions" | "maxNesting";

export interface DialectOptions extends Omit<ExpressionDialect, Derived> {
  readonly functions: readonly FunctionDefinition[];
  readonly methods: Readonly<Partial<Record<MethodOwner, readonly FunctionDefinition[]>>>;
  readonly countBraceFunctions?: readonly string[];
  readonly maxNesting?: number;
}

const DEFAULT_MAX_NESTING = 100;

/**
 * Creates a dialect from its tables; flags default to false.
 *
 * @example
 * ```ts
 * const dialect = createDialect({ codes, functions: [LEN], methods: { string: [LOWER] }, listLiterals: true });
 * ```
 */
export function createDialect(options: DialectOptions): ExpressionDialect {
  const { functions, methods, countBraceFunctions, ...rules } = options;
  const tables: MethodTables = {
    string: tableOf(methods.string),
    list: tableOf(methods.list),
    map: tableOf(methods.map),
    set: tableOf(methods.set),
    any: tableOf(methods.any),
  };
  const all = Object.values(tables).flatMap((table) => [...table.values()]);
  return {
    maxNesting: DEFAULT_MAX_NESTING,
    ...rules,
    functions: tableOf(functions),
    methods: tables,
    methodNames: new Set(all.map(({ name }) => name)),
    mutatingMethods: new Set(all.flatMap(({ name, isMutating }) => (isMutating ? [name] : []))),
    countBraceFunctions: new Set(countBraceFunctions),
  };
}

function tableOf(definitions: readonly FunctionDefinition[] = []): ReadonlyMap<string, FunctionDefinition> {
  return new Map(definitions.map((definition) => [definition.name, definition]));
}
