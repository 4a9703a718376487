import type { BotPattern, EventPattern, Pattern, SayStatement, Statement, Target, UserPattern } from "./ast.js";
import { printArguments, printExpression } from "../expressions/print.js";
import type { SourceWriter } from "./source-writer.js";

type StatementOf<Kind extends Statement["kind"]> = Statement & { readonly kind: Kind };

const PRINTERS: {
  readonly [Kind in Statement["kind"]]: (writer: SourceWriter, statement: StatementOf<Kind>) => void;
} = {
  Match: (writer, { patterns }) => printMatch(writer, patterns),
  Say: (writer, statement) => printSay(writer, statement),
  Emit: (writer, { type, arguments: given }) => writer.line(`create event ${type.text}${inParentheses(given)}`),
  Run: (writer, { action, arguments: given, target }) =>
    writer.line(`${result(target)}execute ${action.text}${inParentheses(given)}`),
  Call: (writer, { flow, value, arguments: given, target }) => {
    const callee = flow ? flow.text : value ? printExpression(value) : "";
    writer.line(`${result(target)}do ${callee}${inParentheses(given)}`);
  },
  Assign: (writer, { target, value }) => writer.line(`${result(target)}${printExpression(value)}`),
  Generate: (writer, { target, instructions }) => {
    const text = instructions === undefined ? "" : writer.text({ value: instructions });
    writer.line(`${result(target)}...${text}`);
  },
  Return: (writer, { values }) => {
    writer.line(["return", values.map((value) => printExpression(value)).join(", ")].join(" ").trimEnd());
  },
  Label: (writer, { name }) => writer.line(`label ${name.text}`),
  Goto: (writer, { name }) => writer.line(`goto ${name.text}`),
  Check: (writer, { condition }) => writer.line(`check ${printExpression(condition)}`),
  Break: (writer) => writer.line("break"),
  Continue: (writer) => writer.line("continue"),
  Pass: (writer) => writer.line("pass"),
  Stop: (writer) => writer.line("stop"),
  If: (writer, { branches, otherwise }) => {
    for (const [index, branch] of branches.entries()) {
      writer.line(`${index === 0 ? "" : "else "}if ${printExpression(branch.condition)}`);
      writer.indented(() => printBody(writer, branch.body));
    }
    if (!otherwise) return;
    writer.line("else");
    writer.indented(() => printBody(writer, otherwise));
  },
  While: (writer, { condition, body }) => {
    writer.line(`while ${printExpression(condition)}`);
    writer.indented(() => printBody(writer, body));
  },
  When: (writer, { branches }) => {
    for (const [index, { patterns, body }] of branches.entries()) {
      const lead = index === 0 ? "when" : "else when";
      const inline = printInline(writer, patterns);
      writer.line(`${lead} ${inline ?? "any"}`);
      if (inline === undefined) writer.indented(() => writer.indented(() => printAlternatives(writer, patterns)));
      writer.indented(() => printBody(writer, body));
    }
  },
};

/** Writes the statements of a block. */
export function printBody(writer: SourceWriter, body: readonly Statement[]): void {
  for (const statement of body) {
    writer.comment(statement.comment);
    const print = PRINTERS[statement.kind] as (writer: SourceWriter, statement: Statement) => void;
    print(writer, statement);
  }
}

function printMatch(writer: SourceWriter, patterns: readonly Pattern[]): void {
  const inline = patterns[0]?.kind === "BotPattern" ? undefined : printInline(writer, patterns);
  writer.line(inline ?? "any");
  if (inline === undefined) writer.indented(() => printAlternatives(writer, patterns));
}

/** Patterns that fit on one line: a single one, or several of the user. */
function printInline(writer: SourceWriter, patterns: readonly Pattern[]): string | undefined {
  const isUsers = patterns.every((pattern) => pattern.kind === "UserPattern");
  if (patterns.length !== 1 && !isUsers) return undefined;
  return patterns.map((pattern) => printPattern(writer, pattern)).join(" or ");
}

function printAlternatives(writer: SourceWriter, patterns: readonly Pattern[]): void {
  for (const pattern of patterns) writer.line(printPattern(writer, pattern));
}

function printPattern(writer: SourceWriter, pattern: Pattern): string {
  return pattern.kind === "EventPattern" ? printEvent(pattern) : printSpoken(writer, pattern);
}

function printSpoken(writer: SourceWriter, pattern: UserPattern | BotPattern): string {
  const who = pattern.kind === "UserPattern" ? "user" : "bot";
  if (pattern.any) return `${who} ...`;
  if (pattern.kind === "UserPattern" && pattern.text) return `user ${writer.text(pattern.text)}`;
  return `${who} ${spokenName(pattern.intent?.text ?? "")}`;
}

function printEvent({ type, properties }: EventPattern): string {
  const printed = properties.map(({ name, value }) => {
    return value ? `${name}=${printExpression(value)}` : name;
  });
  return `event ${type.text}${printed.length > 0 ? `(${printed.join(", ")})` : ""}`;
}

function printSay(writer: SourceWriter, { any, intent, variants, value }: SayStatement): void {
  if (any || value) {
    writer.line(value ? `bot ${printExpression(value)}` : "bot ...");
    return;
  }
  const isInline = !intent || variants.length === 1;
  const first = isInline && variants[0] ? [writer.text(variants[0])] : [];
  writer.line(["bot", ...(intent ? [spokenName(intent.text)] : []), ...first].join(" "));
  writer.indented(() => {
    for (const variant of variants.slice(first.length)) writer.line(writer.text(variant));
  });
}

/** `user says x` is `user x`, so a name that begins with `says` is written with another one before it. */
function spokenName(name: string): string {
  return name.startsWith("says ") ? `says ${name}` : name;
}

function inParentheses(given: Parameters<typeof printArguments>[0]): string {
  return given.length > 0 ? `(${printArguments(given)})` : "";
}

function result(target: Target | undefined): string {
  return target ? `$${[target.name, ...target.path].join(".")} = ` : "";
}
