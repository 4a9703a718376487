import { checkOptions, type OptionTable } from "../../diagnostics/options.js";
import type { Detector, DetectorRule } from "../detector.js";
import { checkNames } from "../option-values.js";
import { SCRIPT_RULES } from "./script/script-injection.js";
import { SHELL_RULES } from "./shell/shell-injection.js";
import { FILTER_RULES } from "./sql/filters.js";
import { SQL_RULE } from "./sql/sql-injection.js";
import { TEMPLATE_RULES } from "./template/template-injection.js";

/** Kind of code that text injects. */
export type InjectionKind = "sql" | "shell" | "template" | "script";

/** Options of `codeInjection`. */
export interface CodeInjectionOptions {
  /** Kinds to look for; default: all. NeMo Guardrails' names `sqli`, `code` and `xss` stand for `sql`, `shell` and `script`. */
  readonly kinds?: readonly (InjectionKind | keyof typeof NEMO_KINDS)[];
}

/** Kinds of NeMo Guardrails' `injection_detection` that have another name here. */
const NEMO_KINDS = { sqli: "sql", code: "shell", xss: "script" } as const;
const RULES: Readonly<Record<InjectionKind, readonly DetectorRule[]>> = {
  sql: [SQL_RULE, ...FILTER_RULES],
  shell: SHELL_RULES,
  template: TEMPLATE_RULES,
  script: SCRIPT_RULES,
};
const OPTIONS: OptionTable<CodeInjectionOptions> = { kinds: "names" };

/**
 * Detector of code in text that is meant as data: SQL that changes a statement, commands of shells and calls that run them,
 * expressions of template engines, and scripts in markup. The types are `SQL_INJECTION`, `SHELL_INJECTION`,
 * `TEMPLATE_INJECTION` and `SCRIPT_INJECTION`. It suits arguments of tools, input for databases and answers that a page shows;
 * an assistant that writes code needs fewer kinds.
 *
 * @throws ConfigError for a kind that does not exist, with a near name as hint
 * @example
 * ```ts
 * detect("1' OR '1'='1", [codeInjection({ kinds: ["sql"] })]); // [{ type: "SQL_INJECTION", start: 1, end: 12, … }]
 * ```
 */
export function codeInjection(options: CodeInjectionOptions = {}): Detector {
  checkOptions("codeInjection", options, OPTIONS);
  const known = [...Object.keys(RULES), ...Object.keys(NEMO_KINDS)];
  checkNames({ surface: "codeInjection", option: "kinds" }, options.kinds, known);
  const kinds = new Set((options.kinds ?? Object.keys(RULES)).map((kind) => kindOf(kind as InjectionKind)));
  return { name: "code-injection", rules: [...kinds].flatMap((kind) => RULES[kind]) };
}

function kindOf(name: InjectionKind | keyof typeof NEMO_KINDS): InjectionKind {
  return name in NEMO_KINDS ? NEMO_KINDS[name as keyof typeof NEMO_KINDS] : (name as InjectionKind);
}
