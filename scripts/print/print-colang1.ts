import type {
  ColangFile,
  Definition,
  FlowDefinition,
  ImportStatement,
  TextLiteral,
  BotPattern,
  EventPattern,
  Pattern,
  StatementOf,
  Statement,
  Target,
  UserPattern,
} from "../../src/colang1/ast.js";
import { printArguments, printExpression } from "./print-expression.js";

/**
 * Prints the canonical text of a tree: two spaces per level, one spelling per construct, texts in double quotes, `+=`
 * written out. Comments that are attached to nothing are not in the tree and so are lost.
 *
 * INVARIANT: for a tree without errors, parsing the text gives the same tree except for its positions.
 *
 * @example
 * ```ts
 * printColang1(parseColang1(createSourceFile("main.co", "def flow a:\n    user  ask x\n    abort")).file);
 * // "define flow a\n  user ask x\n  stop\n"
 * ```
 */
export function printColang1(file: ColangFile): string {
  const imports = file.imports.map(printImport).join("");
  const definitions = file.definitions.map(printDefinition);
  return [...(imports ? [imports] : []), ...definitions].join("\n");
}

function printImport({ path }: ImportStatement): string {
  const full = path.startsWith("bot/") ? `bot/${path}` : path;
  return `import ${/^[\w./@-]+$/.test(full) ? full : `"${full}"`}\n`;
}

function printDefinition(definition: Definition): string {
  const writer = new SourceWriter();
  switch (definition.kind) {
    case "UserDefinition":
      writer.line(`define user ${definition.name.text}`);
      printTexts(writer, definition.examples);
      break;
    case "BotDefinition":
      writer.line(`define bot ${definition.name.text}`);
      printTexts(writer, definition.variants);
      break;
    case "ActionDefinition":
      writer.line(`define action ${definition.name.text}`);
      break;
    case "FlowDefinition":
      printFlow(writer, definition);
      break;
  }
  return writer.finish();
}

function printTexts(writer: SourceWriter, texts: readonly TextLiteral[]): void {
  writer.indented(() => {
    for (const text of texts) writer.line(writer.text(text));
  });
}

function printFlow(writer: SourceWriter, flow: FlowDefinition): void {
  const name = flow.name ? [flow.name.text] : [];
  const modifiers = flow.modifiers.map((modifier) => modifier.text);
  if (flow.isShorthand) writer.exactly(`${name.join("")}:`);
  else writer.line(["define", ...modifiers, flow.isSubflow ? "subflow" : "flow", ...name].join(" "));
  writer.indented(() => {
    if (flow.doc !== undefined) printDoc(writer, flow.doc);
    printMeta(writer, flow.meta);
    printBody(writer, flow.body);
  });
}

function printDoc(writer: SourceWriter, doc: string): void {
  // Blanks separate quotes at the ends of the text from those around it.
  const rows = `${doc.startsWith('"') ? " " : ""}${doc}${doc.endsWith('"') ? " " : ""}`.split("\n");
  for (const [index, row] of rows.entries()) {
    writer.exactly(`${index === 0 ? '"""' : ""}${row}${index === rows.length - 1 ? '"""' : ""}`);
  }
}

function printMeta(writer: SourceWriter, meta: FlowDefinition["meta"]): void {
  const keys = Object.keys(meta);
  const { priority } = meta;
  if (keys.length === 0) return;
  if (keys.length === 1 && typeof priority === "number" && /^[\d.]+$/.test(String(priority))) {
    writer.line(`priority ${priority}`);
  } else {
    writer.line(`meta {${keys.map((key) => `${JSON.stringify(key)}: ${JSON.stringify(meta[key])}`).join(", ")}}`);
  }
}

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
function printBody(writer: SourceWriter, body: readonly Statement[]): void {
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

/** Patterns on one line: a single one, or several of the user. */
function printInline(writer: SourceWriter, patterns: readonly Pattern[]): string | undefined {
  const isUsers = patterns.every((pattern) => pattern.kind === "UserPattern");
  if (patterns.length !== 1 && !isUsers) return undefined;
  return patterns.map((pattern) => printPattern(writer, pattern)).join(" or ");
}

function printAlternatives(writer: SourceWriter, patterns: readonly Pattern[]): void {
  for (const pattern of patterns) writer.line(printPattern(writer, pattern));
}

function printPattern(writer: SourceWriter, pattern: Pattern): string {
  return pattern.kind === "EventPattern" ? printEvent(pattern) : printUtterance(writer, pattern);
}

function printUtterance(writer: SourceWriter, pattern: UserPattern | BotPattern): string {
  const side = pattern.kind === "UserPattern" ? "user" : "bot";
  if (pattern.any) return `${side} ...`;
  if (pattern.kind === "UserPattern" && pattern.text) return `user ${writer.text(pattern.text)}`;
  return `${side} ${utteranceName(pattern.intent?.text ?? "")}`;
}

function printEvent({ type, properties }: EventPattern): string {
  const printed = properties.map(({ name, value }) => {
    return value ? `${name}=${printExpression(value)}` : name;
  });
  return `event ${type.text}${printed.length > 0 ? `(${printed.join(", ")})` : ""}`;
}

function printSay(writer: SourceWriter, { any, intent, variants, value }: StatementOf<"Say">): void {
  if (any || value) {
    writer.line(value ? `bot ${printExpression(value)}` : "bot ...");
    return;
  }
  const isInline = !intent || variants.length === 1;
  const first = isInline && variants[0] ? [writer.text(variants[0])] : [];
  writer.line(["bot", ...(intent ? [utteranceName(intent.text)] : []), ...first].join(" "));
  writer.indented(() => {
    for (const variant of variants.slice(first.length)) writer.line(writer.text(variant));
  });
}

/** `user says x` is `user x`, so a name that begins with `says` is written with another one before it. */
function utteranceName(name: string): string {
  return name.startsWith("says ") ? `says ${name}` : name;
}

function inParentheses(given: Parameters<typeof printArguments>[0]): string {
  return given.length > 0 ? `(${printArguments(given)})` : "";
}

function result(target: Target | undefined): string {
  return target ? `$${[target.name, ...target.path].join(".")} = ` : "";
}

const AMBIGUOUS_END = /(?::|\\|\s(?:or|and))$/;

const ESCAPES: Readonly<Record<string, string>> = { "\n": "\\n", "\t": "\\t", '"': '\\"', "\\": "\\\\" };

/** Collects the lines of a source. */
class SourceWriter {
  private readonly lines: string[] = [];
  private depth = 0;

  /**
   * Writes a line. One colon at its end has no meaning, and separates text that would be read as more than the line.
   */
  line(text: string): void {
    this.exactly(AMBIGUOUS_END.test(text) ? `${text}:` : text);
  }

  exactly(text: string): void {
    this.lines.push(`${"  ".repeat(this.depth)}${text}`.trimEnd());
  }

  comment(comment: string | undefined): void {
    if (comment === undefined) return;
    for (const row of comment.split("\n")) this.exactly(`# ${row}`);
  }

  indented(write: () => void): void {
    this.depth += 1;
    write();
    this.depth -= 1;
  }

  /** The text of a message. */
  text({ value }: Pick<TextLiteral, "value">): string {
    return `"${value.replace(/[\n\t"\\]/g, (character) => ESCAPES[character] ?? character)}"`;
  }

  finish(): string {
    return `${this.lines.join("\n")}\n`;
  }
}
