import type { ColangFile, Definition, FlowDefinition, ImportStatement, TextLiteral } from "./ast.js";
import { printBody } from "./print-statement.js";
import { SourceWriter } from "./source-writer.js";

/**
 * The canonical text of a tree: two blanks a level, one spelling per construct, texts in double quotes, `+=` written out.
 * Comments that are attached to nothing are not in the tree and so are lost.
 *
 * INVARIANT: for a tree without errors, parsing the text gives the same tree but for its places.
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
  // Blanks keep quotes at the ends of the text apart from those around it.
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
