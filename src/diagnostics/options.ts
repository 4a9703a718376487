import { createDiagnostic, type Diagnostic } from "./diagnostic.js";
import { ConfigError } from "./errors.js";
import { didYouMean } from "./suggestion.js";

/**
 * Valid values of an option: any, those of a type, a list, a list of names, a boolean or such a list, certain texts, or an
 * object with its own options; `undefined` always means the default.
 */
export type OptionRule =
  | "any"
  | "boolean"
  | "text"
  | "number"
  | "function"
  | "object"
  | "list"
  | "names"
  | "switch or names"
  /** `orFunction`: also accepts a function. */
  | { readonly oneOf: readonly string[]; readonly orFunction?: true }
  /**
   * Object with its own options. `orList`: also accepts a list, which its function validates; `orSwitch`: also a
   * boolean.
   */
  | {
      readonly options: Readonly<Record<string, OptionRule>>;
      readonly orList?: true;
      readonly orSwitch?: true;
    };

/** A rule for each option of a public function. The compiler rejects incomplete tables. */
export type OptionTable<Options extends object> = Readonly<Record<keyof Options & string, OptionRule>>;

/** Option for the effect of a block, as accepted by most surfaces. */
export const ON_BLOCKED: OptionRule = { oneOf: ["refuse", "throw"], orFunction: true };

/**
 * Rejects unknown options of a function, invalid values and missing options.
 *
 * @param surface - the function, as its callers write it: `guardrails.wrap`
 * @param required - options without a default
 * @throws ConfigError `CF-103` and `CF-104` with all problems at once
 */
export function checkOptions(
  surface: string,
  given: unknown,
  table: Readonly<Record<string, OptionRule>>,
  required: readonly string[] = [],
): void {
  if (given === undefined && required.length === 0) return;
  if (typeof given !== "object" || given === null || Array.isArray(given) || given instanceof Promise) {
    const message = `expected an object with the options of \`${surface}\`, got ${kindOf(given)}`;
    throw new ConfigError([createDiagnostic("CF-104", message, { hint: awaitHint(given) ?? listOf(table) })]);
  }
  const options = given as Readonly<Record<string, unknown>>;
  const missing = required.filter((name) => options[name] === undefined);
  const problems = [
    ...problemsIn(surface, "", options, table),
    ...missing.map((name) => missingOption(surface, name, table[name] ?? "any")),
  ];
  if (problems.length > 0) throw new ConfigError(problems);
}

function missingOption(surface: string, name: string, rule: OptionRule): Diagnostic {
  const message = `expected ${expectedOf(rule)} for the option \`${name}\` of \`${surface}\`, got nothing`;
  return createDiagnostic("CF-104", message, { path: `options.${name}` });
}

/** Returns the hint for a promise in the place of its value; undefined for other values. */
export function awaitHint(value: unknown): string | undefined {
  return value instanceof Promise ? "write `await` in front of it" : undefined;
}

function problemsIn(
  surface: string,
  prefix: string,
  given: Readonly<Record<string, unknown>>,
  table: Readonly<Record<string, OptionRule>>,
): readonly Diagnostic[] {
  return Object.keys(given).flatMap((name) => {
    const rule = Object.hasOwn(table, name) ? table[name] : undefined;
    if (rule === undefined) return [unknownOption(surface, name, table, prefix)];
    const value = given[name];
    if (value === undefined) return [];
    if (!fits(value, rule)) return [wrongValue(surface, `${prefix}${name}`, value, rule)];
    if (rule === "object") return promisesIn(surface, `${prefix}${name}`, value as object);
    if (typeof rule === "string" || "oneOf" in rule || typeof value !== "object" || Array.isArray(value)) return [];
    return problemsIn(surface, `${prefix}${name}.`, value as Readonly<Record<string, unknown>>, rule.options);
  });
}

/** Reports promises in the place of models and other named values. */
function promisesIn(surface: string, name: string, value: object): readonly Diagnostic[] {
  if (Object.getPrototypeOf(value) !== Object.prototype) return [];
  return Object.entries(value).flatMap(([key, option]) =>
    option instanceof Promise ? [wrongValue(surface, `${name}.${key}`, option, "any")] : [],
  );
}

/** Builds the diagnostic of an unknown option. */
export function unknownOption(
  surface: string,
  name: string,
  table: Readonly<Record<string, OptionRule>>,
  prefix = "",
): Diagnostic {
  const hint = didYouMean(name, Object.keys(table)) ?? listOf(table);
  const path = `options.${prefix}${name}`;
  return createDiagnostic("CF-103", `unknown option \`${prefix}${name}\` of \`${surface}\``, { path, hint });
}

function wrongValue(surface: string, name: string, value: unknown, rule: OptionRule): Diagnostic {
  const shown = typeof value === "string" ? `\`${value.slice(0, 60)}\`` : kindOf(value);
  const message = `expected ${expectedOf(rule)} for the option \`${name}\` of \`${surface}\`, got ${shown}`;
  const listed = typeof rule === "object" && "oneOf" in rule ? rule.oneOf : [];
  const hint = typeof value === "string" ? didYouMean(value, listed) : awaitHint(value);
  return createDiagnostic("CF-104", message, { path: `options.${name}`, hint });
}

const isListOfTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((item) => typeof item === "string");

/** Valid values of a named rule: their description in messages, and the test. */
const RULES: Readonly<
  Record<Extract<OptionRule, string>, readonly [expected: string, fits: (value: unknown) => boolean]>
> = {
  any: ["a value", () => true],
  boolean: ["true or false", (value) => typeof value === "boolean"],
  text: ["a text", (value) => typeof value === "string"],
  number: ["a number", (value) => typeof value === "number" && !Number.isNaN(value)],
  function: ["a function", (value) => typeof value === "function"],
  object: ["an object", (value) => typeof value === "object" && value !== null],
  list: ["a list", Array.isArray],
  names: ["a list of names", isListOfTexts],
  "switch or names": ["true, false or a list of names", (value) => typeof value === "boolean" || isListOfTexts(value)],
};

function fits(value: unknown, rule: OptionRule): boolean {
  if (value instanceof Promise) return false;
  if (typeof rule === "string") return RULES[rule][1](value);
  if ("options" in rule) {
    if (typeof value === "boolean") return rule.orSwitch === true;
    return Array.isArray(value) ? rule.orList === true : RULES.object[1](value);
  }
  return typeof value === "function" ? rule.orFunction === true : rule.oneOf.some((known) => known === value);
}

function expectedOf(rule: OptionRule): string {
  if (typeof rule === "string") return RULES[rule][0];
  if ("options" in rule) {
    const keys = Object.keys(rule.options).map((name) => `\`${name}\``);
    const others = `${rule.orList === true ? ", or a list" : ""}${rule.orSwitch === true ? ", or true or false" : ""}`;
    return `an object with the keys ${keys.join(", ")}${others}`;
  }
  const names = rule.oneOf.map((name) => `\`${name}\``).join(" or ");
  return rule.orFunction === true ? `${names} or a function` : names;
}

function kindOf(value: unknown): string {
  if (value === null) return "`null`";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "number" || typeof value === "boolean") return `\`${value}\``;
  if (value === undefined) return "nothing";
  if (value instanceof Promise) return "a promise";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

function listOf(table: Readonly<Record<string, OptionRule>>): string {
  const names = Object.keys(table).map((name) => `\`${name}\``);
  return names.length === 0 ? "it takes no options" : `the options are ${names.join(", ")}`;
}
