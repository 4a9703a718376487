import { COLANG_1_DIALECT } from "../../src/colang1/expression-dialect.js";
import { parseColang1 } from "../../src/colang1/parse/parse.js";
import { printColang1 } from "../print/print-colang1.js";
import { compileColang2 } from "../../src/colang2/compile.js";
import { parseColang2 } from "../../src/colang2/parse/parse.js";
import { printColang2 } from "../print/print-colang2.js";
import { loadConfigFromContent } from "../../src/config/load/load.js";
import { type Diagnostic, isError } from "../../src/diagnostics/diagnostic.js";
import { ConfigError, GuardrailsError } from "../../src/diagnostics/errors.js";
import { createSourceFile, type SourceFile } from "../../src/diagnostics/source-file.js";
import { evaluate } from "../../src/expressions/evaluate/evaluate.js";
import { parseExpression } from "../../src/expressions/parse/parse.js";
import type { Value } from "../../src/expressions/values/value.js";
import { checkConversation } from "./check-conversation.js";
import { generateProgram } from "./colang2-programs.js";
import { colang1Text, colang2Text } from "./printed-sources.js";
import type { Random } from "./random.js";

export interface FuzzTarget {
  /** Pieces of random texts, which are also inserted into samples. */
  readonly tokens: readonly string[];
  /** Generates a text; by default, texts consist of samples and tokens. */
  generate?(random: Random): string;
  /** Throws if a text violates the property. */
  check(text: string): void | Promise<void>;
}

/** Properties that hold for any text. */
export const FUZZ_TARGETS = {
  parser: {
    tokens: words(
      "define def user bot flow subflow parallel action import meta priority if else when any while break continue pass",
      "return done stop label goto check set create event infer execute do says something or and not with for as $x $x.y",
      '... "text" \'text\' """ ( ) [ ] { } = == += -= : , # \\ . 1 0.5 a b UserSilent user_said k="v" True None',
    ),
    check: checkParser,
  },
  colang2: {
    tokens: words(
      "flow import @active @loop( @meta( @override send match start stop await activate deactivate return abort break continue",
      "pass log print priority global if elif else while for in when or and not as $x $x.y $self ... \"text\" 'text' \"\"\" ''' ( ) [ ] { }",
      '= == += -= -> : , # \\ . * ** 1 0.5 a b user said Hello() LampAction(x=1) .Finished() len( "{$x}" {3} True None start_new_flow_instance:',
    ),
    check: checkColang2,
  },
  "printed-colang1": {
    tokens: [],
    generate: colang1Text,
    check: checkParser,
  },
  "printed-colang2": {
    tokens: [],
    generate: colang2Text,
    check: checkColang2,
  },
  conversations: {
    tokens: [],
    generate: generateProgram,
    check: checkConversation,
  },
  expressions: {
    tokens: words(
      "$x $y . [ ] ( ) { } : , + - * / // % ** & | ^ ~ << >> == != < <= > >= = in not and or is if else len( lower str(",
      '1 0 2.5 1e3 0x1f 1_000 9999999999999999999 "text" \'text\' f"{$x}" "%s" True False None get items split \\ # @ ...',
    ),
    check: checkExpression,
  },
  config: {
    tokens: words(
      "models: - type: main engine: openai model: rails: input: output: flows: instructions: content: | > prompts: task:",
      'colang_version: "2.x" import_paths: [ ] { } & * << : , \' " # --- ... ? ! !!str null true 1 1.5 ${HOME} sample_conversation:',
    ),
    check: checkConfig,
  },
} as const satisfies Record<string, FuzzTarget>;

function words(...lines: readonly string[]): readonly string[] {
  const tokens = lines.join(" ").split(" ");
  return [...tokens, ...tokens.map((token) => `${token} `), " ", "  ", "\n", "\n", "\n  ", "\n    ", "\n      ", "\t"];
}

function checkParser(text: string): void {
  const source = createSourceFile("fuzz.co", text);
  const { file, diagnostics } = parseColang1(source);
  checkPlaces(source, diagnostics);
  if (diagnostics.some(isError)) return;
  const printed = printColang1(file);
  const again = parseColang1(createSourceFile("fuzz.co", printed));
  if (again.diagnostics.some(isError)) throw new Error(`the printed text has errors:\n${printed}`);
  const [before, after] = [withoutPlaces(file), withoutPlaces(again.file)];
  if (before !== after) throw new Error(`the printed text has another tree:\n${printed}\n${before}\n${after}`);
  if (printColang1(again.file) !== printed) throw new Error(`the printed text prints differently:\n${printed}`);
}

function checkColang2(text: string): void {
  const source = createSourceFile("fuzz.co", text);
  const { ast, diagnostics } = parseColang2(source);
  checkPlaces(source, diagnostics);
  if (diagnostics.some(isError)) return;
  const compiled = compileColang2({ modules: [{ name: "fuzz.co", ast }], needsMain: false });
  checkPlaces(source, compiled.diagnostics);
  if (compiled.program) JSON.stringify(compiled.program);
  const printed = printColang2(ast);
  const again = parseColang2(createSourceFile("fuzz.co", printed));
  if (again.diagnostics.some(isError)) throw new Error(`the printed text has errors:\n${printed}`);
  const [before, after] = [withoutForms(ast), withoutForms(again.ast)];
  if (before !== after) throw new Error(`the printed text has another tree:\n${printed}\n${before}\n${after}`);
  if (printColang2(again.ast) !== printed) throw new Error(`the printed text prints differently:\n${printed}`);
}

/** A tree as text, without positions and spelling variants. */
function withoutForms(tree: unknown): string {
  return JSON.stringify(tree, (key, value: unknown) => {
    if (key === "start" || key === "end" || key.endsWith("span") || key.endsWith("Span")) return undefined;
    // The text of a docstring shows its fields as written, without their blanks.
    return /^(?:form|isParenthesised|isImplicit|docstring)$/.test(key) ? undefined : value;
  });
}

/** A tree as text, without positions and names derived from them. */
function withoutPlaces(tree: unknown): string {
  return JSON.stringify(tree, (key, value: unknown) => {
    if (key === "start" || key === "end" || key.endsWith("span") || key.endsWith("Span")) return undefined;
    return key === "id" && typeof value === "string" && value.startsWith("anonymous-") ? "anonymous" : value;
  });
}

function checkExpression(text: string): void {
  const source = createSourceFile("fuzz.co", text);
  const { expression, diagnostics } = parseExpression(source, 0, text.length, COLANG_1_DIALECT);
  checkPlaces(source, diagnostics);
  if (!expression && diagnostics.length === 0) throw new Error("neither an expression nor a problem");
  if (!expression) return;
  const variables = new Map<string, Value>([
    ["x", "some text"],
    ["y", [1, 2.5, "a", null]],
  ]);
  try {
    evaluate(expression, { lookup: (name) => variables.get(name) }, COLANG_1_DIALECT);
  } catch (error) {
    if (!GuardrailsError.isInstance(error)) throw error;
  }
}

async function checkConfig(text: string): Promise<void> {
  try {
    await loadConfigFromContent({ yaml: text }, { allowCode: false });
  } catch (error) {
    if (!ConfigError.isInstance(error)) throw error;
  }
}

function checkPlaces(source: SourceFile, diagnostics: readonly Diagnostic[]): void {
  for (const { code, message, hint = "", span } of diagnostics) {
    if (!span) throw new Error(`${code} has no place`);
    const isInside = span.start >= 0 && span.start <= span.end && span.end <= source.text.length;
    if (!isInside || span.source !== source) throw new Error(`${code} lies outside the source`);
    for (const text of [message, hint]) {
      if (text.includes("\n") || text.length > 400) throw new Error(`${code} has a text that is not fit to print`);
    }
  }
}
