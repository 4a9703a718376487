import { quoteText } from "../../../diagnostics/diagnostic.js";
import { createSpan } from "../../../diagnostics/source-file.js";
import type { Expression } from "../../../expressions/ast.js";
import type { CallArgument, NameCallee } from "../../ast.js";
import { classifyName } from "../../event-names.js";
import { groupsOf, specsOf, walkStatements } from "../../walk.js";
import type { Rule, RuleInput } from "./rule.js";

/** A type of arguments. */
interface ArgumentType {
  /** With its article. */
  readonly name: string;
  readonly example: string;
  /** Returns true unless the expression is a constant of another type. */
  accepts(value: Expression): boolean;
}

const SECONDS: ArgumentType = {
  name: "a number of seconds from 0",
  example: "`2.5`",
  accepts: (value) => !isConstant(value) || (value.kind === "Literal" && isNumberFromZero(value.value)),
};

const NUMBER: ArgumentType = { ...SECONDS, name: "a number from 0", example: "`15`" };

const TEXT: ArgumentType = {
  name: "a text",
  example: '`"text"`',
  accepts: (value) => !isConstant(value) || value.kind === "Template" || isTextLiteral(value),
};

const LIST: ArgumentType = {
  name: "a list",
  example: '`["first", "second"]`',
  accepts: (value) => !isConstant(value) || value.kind === "List",
};

type Parameters = Readonly<Record<string, ArgumentType>>;

const SILENCE: Parameters = { time_s: SECONDS };

/** Parameters of the flows of the standard library that ignore values of other types, by module and flow. */
const FLOWS: Readonly<Record<string, Readonly<Record<string, Parameters>>>> = {
  timing: {
    wait: SILENCE,
    "repeating timer": { interval_s: SECONDS },
    "user was silent": SILENCE,
    "user didnt respond": SILENCE,
    "bot was silent": SILENCE,
  },
  avatars: {
    "user interrupted bot talking": { sentence_length: NUMBER, pattern: TEXT },
    "handling bot talking interruption": { mode: TEXT, stop_pattern: TEXT },
    "bot gesture": { gesture: TEXT },
    "bot gesture with delay": { gesture: TEXT, delay: SECONDS },
    "bot posture": { posture: TEXT },
    "scene show choice": { prompt: TEXT, options: LIST },
    "scene show textual information": { title: TEXT, text: TEXT },
    "scene show short information": { info: TEXT },
    "scene show form": { prompt: TEXT, inputs: LIST },
  },
};

const ACTIONS: Readonly<Record<string, Parameters>> = {
  TimerBotAction: { duration: SECONDS },
  UtteranceBotAction: { script: TEXT },
};

/** Constant arguments of the standard library's flows and actions have the type that these can use. */
export const argumentTypes: Rule = (input) => {
  walkStatements(input.flow.body, (statement) => {
    for (const { group } of groupsOf(statement)) {
      for (const { callee, members } of specsOf(group)) {
        // An argument of an event is a pattern.
        if (callee.kind === "NameCallee" && members.length === 0) checkCallee(input, callee);
      }
    }
  });
};

function checkCallee(input: RuleInput, { name: { text: name }, arguments: given }: NameCallee): void {
  const kind = classifyName(name, input.flows);
  const types = kind === "action" ? ACTIONS[name] : kind === "flow" ? typesOfFlow(input, name) : undefined;
  if (types === undefined || given.some(({ spread }) => spread !== undefined)) return;
  const names = input.flows.get(name)?.parameters.map((parameter) => parameter.name) ?? [];
  given.forEach((argument, at) => {
    const parameter = argument.name ?? names[at];
    const type = parameter === undefined || !Object.hasOwn(types, parameter) ? undefined : types[parameter];
    if (parameter === undefined || type === undefined || argument.isGenerated || type.accepts(argument.value)) return;
    reportType(input, argument, {
      whole: `${kind} ${quoteText(name)}`,
      parameter: kind === "flow" ? `$${parameter}` : parameter,
      type,
    });
  });
}

/** Types of a flow's parameters, unless the program defines this flow itself. */
function typesOfFlow({ flows }: RuleInput, name: string): Parameters | undefined {
  const source = flows.get(name)?.span.source.name;
  const ofModule = source !== undefined && Object.hasOwn(FLOWS, source) ? FLOWS[source] : undefined;
  return ofModule !== undefined && Object.hasOwn(ofModule, name) ? ofModule[name] : undefined;
}

function reportType(
  { flow, report }: RuleInput,
  { value }: CallArgument,
  { whole, parameter, type }: { readonly whole: string; readonly parameter: string; readonly type: ArgumentType },
): void {
  const span = createSpan(flow.span.source, value.start, value.end);
  const written = flow.span.source.text.slice(value.start, value.end);
  const message = `${whole} expects ${quoteText(parameter)} to be ${type.name}, found ${quoteText(written)}`;
  report("C2-317", message, span, `write ${suggestion(value, written, type)}`);
}

/** Returns the value as the expected type, or an example of that type, for a hint. */
function suggestion(value: Expression, written: string, type: ArgumentType): string {
  if (type === TEXT && value.kind === "Literal" && value.value !== null) return quoteText(JSON.stringify(written));
  const number = isTextLiteral(value) ? String(value.value).trim() : "";
  if (type !== TEXT && type !== LIST && /^\d+(?:\.\d+)?$/.test(number)) return `${quoteText(number)} without quotes`;
  return `${type.name}, such as ${type.example}`;
}

const CONSTANTS: ReadonlySet<Expression["kind"]> = new Set(["Literal", "List", "Map", "Set", "Template"]);

function isConstant(value: Expression): boolean {
  if (value.kind === "Unary") return value.operand.kind === "Literal" && value.operator !== "not";
  return CONSTANTS.has(value.kind);
}

function isNumberFromZero(value: unknown): boolean {
  return typeof value === "number" && value >= 0;
}

function isTextLiteral(value: Expression): value is Extract<Expression, { readonly kind: "Literal" }> {
  return value.kind === "Literal" && typeof value.value === "string";
}
