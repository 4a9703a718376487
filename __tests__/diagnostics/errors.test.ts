import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inspect } from "node:util";
import { describe, expect, it } from "@jest/globals";
import { Guardrails, loadConfig } from "../../src/index.js";
import { createDiagnostic, isError } from "../../src/diagnostics/diagnostic.js";
import {
  ActionError,
  ColangRuntimeError,
  ColangSyntaxError,
  ColangValidationError,
  ConfigError,
  DiagnosticError,
  ExpressionError,
  GuardrailsError,
  InputShapeError,
  LimitError,
  ModelError,
  OutputParseError,
  TemplateError,
} from "../../src/diagnostics/errors.js";
import { DIAGNOSTIC_CODES } from "../../src/diagnostics/codes.js";

const diagnostics = [createDiagnostic("CF-103", "unknown key `inptu`", { path: "rails.inptu" })];
const KINDS = {
  GuardrailsError,
  DiagnosticError,
  ColangSyntaxError,
  ColangValidationError,
  ConfigError,
  ColangRuntimeError,
  ExpressionError,
  ActionError,
  ModelError,
  OutputParseError,
  LimitError,
  InputShapeError,
  TemplateError,
};
type Kind = keyof typeof KINDS;

const CASES: readonly (readonly [error: GuardrailsError, code: string, kinds: readonly Kind[]])[] = [
  [new GuardrailsError("x", { code: "RL-105" }), "RL-105", ["GuardrailsError"]],
  [new DiagnosticError(diagnostics), "CF-103", ["GuardrailsError", "DiagnosticError"]],
  [new ColangSyntaxError(diagnostics), "CF-103", ["GuardrailsError", "DiagnosticError", "ColangSyntaxError"]],
  [new ColangValidationError(diagnostics), "CF-103", ["GuardrailsError", "DiagnosticError", "ColangValidationError"]],
  [new ConfigError([]), "CF-000", ["GuardrailsError", "DiagnosticError", "ConfigError"]],
  [new ColangRuntimeError("x", { code: "CO-402" }), "CO-402", ["GuardrailsError", "ColangRuntimeError"]],
  [new ExpressionError("x"), "CO-410", ["GuardrailsError", "ColangRuntimeError", "ExpressionError"]],
  [new ActionError("x", { action: "a" }), "RL-201", ["GuardrailsError", "ActionError"]],
  [new ModelError("x"), "RL-301", ["GuardrailsError", "ModelError"]],
  [new OutputParseError("x"), "RL-302", ["GuardrailsError", "ModelError", "OutputParseError"]],
  [new LimitError("x", { limit: "depth", maximum: 9 }), "RL-401", ["GuardrailsError", "LimitError"]],
  [new InputShapeError("x"), "RL-101", ["GuardrailsError", "InputShapeError"]],
  [new TemplateError("x"), "PR-101", ["GuardrailsError", "TemplateError"]],
];

describe("errors", () => {
  it.each(CASES.map((row) => [row[0].name, ...row] as const))("%s knows its code and its kinds", (name, ...row) => {
    const [error, code, kinds] = row;
    expect(error).toBeInstanceOf(Error);
    expect([error.name, error.code]).toEqual([name, code]);
    const known = Object.entries(KINDS).filter(([, kind]) => kind.isInstance(error));
    expect(known.map(([kind]) => kind)).toEqual(kinds);
  });

  it.each([
    ["null", null],
    ["a text", "GuardrailsError"],
    ["an error of another package", new Error("x")],
    ["an object that is named alike", { name: "GuardrailsError", code: "RL-105" }],
    ["a marker that is not a list", { [Symbol.for("langchain-guardrails.error")]: "GuardrailsError" }],
  ])("%s is none of them", (_title, value) => {
    expect(Object.values(KINDS).filter((kind) => kind.isInstance(value))).toEqual([]);
  });

  it("are recognised across copies of the package", () => {
    // Errors of another copy of the package have the registered marker but another class.
    const marker = Symbol.for("langchain-guardrails.error");
    const foreign = Object.assign(new Error("x"), { [marker]: ["GuardrailsError", "LimitError"] });
    expect(foreign).not.toBeInstanceOf(LimitError);
    expect([LimitError.isInstance(foreign), ModelError.isInstance(foreign)]).toEqual([true, false]);
  });

  it("keep the cause, if any", () => {
    const cause = new Error("network");
    expect(new ModelError("x", { cause }).cause).toBe(cause);
    expect(Object.hasOwn(new ModelError("x"), "cause")).toBe(false);
  });

  it("of sources contain all their diagnostics", () => {
    const error = new ConfigError([
      ...diagnostics,
      createDiagnostic("CF-105", "missing key `type`", { hint: "add it" }),
    ]);
    expect(error.message).toBe(
      "error[CF-103]: unknown key `inptu`\n  at rails.inptu\nerror[CF-105]: missing key `type`\n  hint: add it",
    );
    expect(error.diagnostics).toHaveLength(2);
  });
});

describe("an error that Node prints", () => {
  it("shows the line of a mistake, and no other text of the file", async () => {
    const yaml = "instructions:\n  - type: general\n    content: internal notes\nmodel: []";
    const error = await loadConfig({ yaml }).catch((thrown: unknown) => thrown);
    const printed = inspect(error);
    expect(printed).toContain("4 │ model: []");
    expect(printed).not.toContain("internal notes");
    expect(error).toMatchObject({ code: "CF-103", diagnostics: [{ code: "CF-103" }] });
  });
});

describe("a warning that Node prints", () => {
  it("names the file, and shows none of its text", async () => {
    const colang = 'define bot greet\n  "internal notes"\ndefine flow\n  user hi\n  bot gret\n';
    const { warnings } = await Guardrails.fromConfig({ colang }, { logger: false });
    const printed = inspect(warnings, { depth: 8 });
    expect(printed).toContain("[file main.co]");
    expect(printed).not.toContain("internal notes");
  });
});

describe("a diagnostic", () => {
  it("has the severity of its code and only the given fields", () => {
    expect(createDiagnostic("CO-305", "x", { hint: undefined, labels: [], path: "" })).toEqual({
      code: "CO-305",
      severity: "warning",
      message: "x",
    });
  });

  it.each([
    ["CO-101", true],
    ["CO-305", false],
    ["CO-314", false],
  ] as const)("%s is an error: %s", (code, expected) => {
    expect(isError(createDiagnostic(code, "x"))).toBe(expected);
  });
});

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Files that name codes without testing them: this one, and those that compute expected results. */
const NO_EVIDENCE = new Set(["__tests__/diagnostics/codes.test.ts", "__tests__/colang1/engine/oracle.ts"]);

/** Every code of the catalogue of Colang 1.0 diagnostics, as ranges. */
const CATALOGUE = [range(101, 108), range(110, 120), range(201, 209), range(301, 318), range(401, 409), range(501, 502)]
  .flat()
  .map((number) => `CO-${number}`);

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

function codesIn(folder: string, isWanted: (path: string) => boolean): ReadonlyMap<string, readonly string[]> {
  const places = new Map<string, string[]>();
  for (const name of readdirSync(join(ROOT, folder), { recursive: true }).map(String)) {
    const path = `${folder}/${name.replaceAll("\\", "/")}`;
    if (!isWanted(path)) continue;
    for (const code of new Set(readFileSync(join(ROOT, path), "utf8").match(/\b(?:CO|C2|CF|PR|RL|EV)-\d{3}\b/g))) {
      places.set(code, [...(places.get(code) ?? []), path]);
    }
  }
  return places;
}

const reported = codesIn("src", (path) => path.endsWith(".ts") && path !== "src/diagnostics/codes.ts");
const shown = codesIn("__tests__", (path) => /\.(?:ts|txt)$/.test(path) && !NO_EVIDENCE.has(path));

describe("the table of codes", () => {
  it("contains all codes of Colang 1.0", () => {
    expect(CATALOGUE.filter((code) => !Object.hasOwn(DIAGNOSTIC_CODES, code))).toEqual([]);
  });

  it("is sorted within each prefix, without duplicates", () => {
    const codes = Object.keys(DIAGNOSTIC_CODES);
    for (const prefix of ["CO", "C2", "CF", "PR", "RL", "EV"]) {
      const own = codes.filter((code) => code.startsWith(`${prefix}-`));
      expect(own).toEqual([...own].sort());
    }
  });

  it.each(Object.entries(DIAGNOSTIC_CODES))("%s has a title in the style of messages", (_code, { title }) => {
    expect(title).toMatch(/^(?:[a-z`]|Colang|YAML)/);
    expect(title).not.toMatch(/\.$/);
  });
});

describe("every code", () => {
  it("that is reported is in the table", () => {
    expect([...reported.keys()].filter((code) => !Object.hasOwn(DIAGNOSTIC_CODES, code))).toEqual([]);
  });

  it.each(Object.keys(DIAGNOSTIC_CODES))("%s is reported somewhere", (code) => {
    expect(reported.get(code) ?? []).not.toEqual([]);
  });

  it.each(Object.keys(DIAGNOSTIC_CODES))("%s has a golden or a test", (code) => {
    expect(shown.get(code) ?? []).not.toEqual([]);
  });

  const golden = Object.keys(DIAGNOSTIC_CODES).filter(
    (code) => /^(?:CO|C2)-[123]/.test(code) && code !== "CO-121" && code !== "C2-112",
  );
  it.each(golden)("%s, which has a place in a source, has a golden that names the underlined text", (code) => {
    expect(shown.get(code)?.filter((path) => path.startsWith("__tests__/golden/")) ?? []).not.toEqual([]);
  });
});
