// Prints docs/options.md from the TSDoc of the option types: name, type and description of every option.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

/** Sections of the page: the calls that take the options, their type, and the type of options that an earlier section lists. */
const SECTIONS = [
  ["`Guardrails.fromPath(folder, options)`, `Guardrails.fromConfig(content, options)`", "GuardrailsOptions"],
  ["`streaming`", "StreamingOptions"],
  ["`vectorStore`", "VectorStoreOptions"],
  ["`guardrails.wrap(model, options)`", "WrapModelOptions"],
  ["`guardrails.wrap(chain, options)`", "WrapOptions"],
  ["`guardrails.input(options)`", "InputStepOptions"],
  ["`guardrails.output(options)`", "OutputStepOptions"],
  ["`guardrails.retrieval(options)`", "RetrievalStepOptions"],
  ["`guardrails.branch(options)`", "BranchOptions"],
  ["`guardrails.check(value, options)`", "CheckOptions"],
  ["`inputModeration(options)`, `outputModeration(options)`", "ModerationOptions", "GuardrailsOptions"],
  ["Every call: `invoke(input, options)`, `stream`, `batch`", "GuardrailsCallOptions"],
  ["`guardrails.generate(input, options)`", "GenerationOptions"],
  ["`log` of `generate`", "LogOptions"],
  ["`guardrails.events(options)`", "SessionOptions"],
  ["`guardrailsMiddleware(guardrails, options)`", "GuardrailsMiddlewareOptions"],
  ["`guardrailsNode(guardrails, stage, options)`", "GuardrailsNodeOptions"],
];

const HEAD = `# Options

All options of the API, by function. [Configuration](configuration.md) lists the settings of \`config.yml\`. An unknown option is a
\`ConfigError\` (\`CF-103\`) that suggests the right name.

This page is generated from the source (\`npm run docs\`).
`;

export function printOptionsPage(root) {
  const declarations = readDeclarations(join(root, "src"));
  return `${HEAD}${SECTIONS.map((section) => printSection(declarations, ...section)).join("")}`;
}

function readDeclarations(folder) {
  const found = new Map();
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".ts")) continue;
    const source = ts.createSourceFile(name, readFileSync(join(folder, name), "utf8"), ts.ScriptTarget.Latest, true);
    for (const node of source.statements) {
      // Types of the same name in inner folders are not public.
      if (!ts.isInterfaceDeclaration(node) || (found.has(node.name.text) && !name.startsWith("langchain"))) continue;
      found.set(node.name.text, node);
    }
  }
  return found;
}

function printSection(declarations, title, name, shared) {
  const listed = new Set(shared === undefined ? [] : membersOf(declarations, shared).map(nameOf));
  const members = membersOf(declarations, name).filter((each) => !listed.has(nameOf(each)));
  const rows = members.map(({ member, type }) => {
    return `| \`${member.name.getText()}\` | \`${cell(type)}\` | ${cell(describe(member))} |\n`;
  });
  const more = shared === undefined ? "" : `All options of the first table, and:\n\n`;
  return `\n## ${title}\n\n${more}| option | type | meaning |\n| --- | --- | --- |\n${rows.join("")}`;
}

function nameOf({ member }) {
  return member.name.getText();
}

/** Properties of an interface and of the interfaces it extends, whole or by \`Pick\` and \`Omit\`. */
function membersOf(declarations, name) {
  const node = declarations.get(name);
  if (node === undefined) throw new Error(`no interface \`${name}\` in src/`);
  const inherited = (node.heritageClauses ?? []).flatMap(({ types }) =>
    types.flatMap((base) => baseMembers(declarations, base)),
  );
  const own = node.members.map((member) => ({ member, type: member.type?.getText() ?? "function" }));
  const names = new Set(own.map(({ member }) => member.name.getText()));
  return [...own, ...inherited.filter(({ member }) => !names.has(member.name.getText()))];
}

function baseMembers(declarations, base) {
  const [type, keys] = base.typeArguments ?? [];
  const helper = base.expression.getText();
  if (helper !== "Pick" && helper !== "Omit") return declarations.has(helper) ? membersOf(declarations, helper) : [];
  if (!declarations.has(type.getText())) return [];
  const named = new Set([...keys.getText().matchAll(/"(\w+)"/g)].map(([, key]) => key));
  return membersOf(declarations, type.getText()).filter(
    ({ member }) => named.has(member.name.getText()) === (helper === "Pick"),
  );
}

/** Text of the TSDoc comment, without tags. */
function describe(member) {
  return ts
    .getJSDocCommentsAndTags(member)
    .map(({ comment }) => (typeof comment === "string" ? comment : (ts.getTextOfJSDocComment(comment) ?? "")))
    .join(" ");
}

function cell(text) {
  return text.replace(/\s+/g, " ").replaceAll("|", "\\|").trim();
}
