// Declarations for applications: those that the entries export and all that these refer to. Modules declare three times as
// much, which no application can import and no editor shows. Comments stay where editors show them: on what the entries export,
// and on the types that it extends.
import { existsSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import ts from "typescript";

/** Returns the text of each declaration file that some entries reach, by its path, without what they do not reach. */
export function reachableDeclarations(entries) {
  const files = new Map();
  const open = entries.map((path) => ({ path, name: ALL, isPublic: true }));
  while (open.length > 0) {
    const { path, name, isPublic } = open.pop();
    if (!files.has(path)) files.set(path, new DeclarationFile(path));
    open.push(...files.get(path).reach(name, isPublic));
  }
  return new Map([...files].map(([path, file]) => [path, file.print()]));
}

/** All names that a file exports. */
const ALL = "*";

/** Parts of a declaration file, and those that are reached. A part is a statement, or a name in a list of imports or exports. */
class DeclarationFile {
  #path;
  #source;
  #parts = new Map();
  #reached = new Set();
  /** Nodes of the parts that entries export, or that these extend. */
  #public = new Set();

  constructor(path) {
    this.#path = path;
    this.#source = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true);
    for (const statement of this.#source.statements) {
      for (const part of partsOf(statement)) {
        for (const name of part.names) this.#parts.set(name, [...(this.#parts.get(name) ?? []), part]);
      }
    }
  }

  /** Marks the parts with a name; returns what they refer to: paths and names, and if applications see it. */
  reach(name, isPublic) {
    const parts = name === ALL ? [...this.#parts.values()].flat().filter(isExported) : this.#parts.get(name);
    // Names that a file does not declare come from files of which it exports everything.
    return [...(parts ?? []), ...(this.#parts.get(ALL) ?? [])].flatMap((part) => {
      const key = parts === undefined ? `${part.statement.pos} ${name}` : part;
      const isKnown = this.#reached.has(key);
      if (isKnown && (!isPublic || this.#public.has(key))) return [];
      this.#reached.add(key).add(part);
      if (isPublic) this.#public.add(key).add(part.node);
      const from = part.statement.moduleSpecifier?.text;
      const target = part.target ?? name;
      return from === undefined ? this.#namesIn(part.node, isPublic) : this.#inModule(from, target, isPublic);
    });
  }

  #namesIn(node, isPublic) {
    const found = [];
    const visit = (inner, isExtended) => {
      if (ts.isIdentifier(inner) && this.#parts.has(inner.text))
        found.push({ path: this.#path, name: inner.text, isPublic: isExtended });
      if (ts.isImportTypeNode(inner))
        found.push(...this.#inModule(inner.argument.literal.text, nameOf(inner.qualifier), isExtended));
      for (const comment of inner.jsDoc ?? []) visit(comment, false);
      ts.forEachChild(inner, (part) => visit(part, isPublic && (isExtended || ts.isHeritageClause(part))));
    };
    visit(node, false);
    return found;
  }

  #inModule(module, name, isPublic) {
    const path = resolve(dirname(this.#path), module.replace(/\.js$/, ".d.ts"));
    return module.startsWith(".") && existsSync(path) ? [{ path, name, isPublic }] : [];
  }

  print() {
    const printed = this.#source.statements.flatMap((statement) => {
      const parts = partsOf(statement);
      const kept = parts.filter(({ node }) => [...this.#reached].some((part) => part.node === node));
      if (kept.length === 0) return parts.length === 0 ? statement.getFullText() : [];
      if (kept.length < parts.length) return printSome(statement, kept);
      return parts.some(({ node }) => this.#public.has(node))
        ? statement.getFullText()
        : `\n${withoutComments(statement)}`;
    });
    return `${printed.join("").trim()}\n`;
  }
}

const PRINTER = ts.createPrinter({ removeComments: true });

function withoutComments(statement) {
  return PRINTER.printNode(ts.EmitHint.Unspecified, statement, statement.getSourceFile());
}

/** Returns the parts of a statement, with the names by which others refer to them. */
function partsOf(statement) {
  const list = statement.importClause?.namedBindings ?? statement.exportClause;
  if (list?.elements !== undefined) {
    const first = statement.importClause?.name;
    if (first !== undefined) throw new Error(`default and other imports in one statement: ${statement.getText()}`);
    return list.elements.map((node) => ({
      statement,
      node,
      names: [node.name.text],
      target: (node.propertyName ?? node.name).text,
    }));
  }
  if (ts.isExportDeclaration(statement))
    return [{ statement, node: statement, names: [statement.exportClause?.name.text ?? ALL] }];
  if (ts.isImportDeclaration(statement)) {
    const name = statement.importClause?.name ?? list?.name;
    return name === undefined ? [] : [{ statement, node: statement, names: [name.text], target: ALL }];
  }
  const declared = statement.declarationList?.declarations ?? [statement];
  const names = declared.flatMap(({ name }) => (name !== undefined && ts.isIdentifier(name) ? [name.text] : []));
  return names.length === 0 ? [] : [{ statement, node: statement, names }];
}

function isExported({ statement }) {
  return (
    ts.isExportDeclaration(statement) || statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
  );
}

/** Returns the first name of a qualified one, or all names. */
function nameOf(qualifier) {
  if (qualifier === undefined) return ALL;
  return ts.isQualifiedName(qualifier) ? nameOf(qualifier.left) : qualifier.text;
}

/** Returns a list of imports or exports with some of its names. */
function printSome(statement, kept) {
  const list = statement.importClause?.namedBindings ?? statement.exportClause;
  const text = statement.getFullText();
  const start = list.getStart() - statement.pos;
  const end = list.end - statement.pos;
  return `${text.slice(0, start)}{ ${kept.map(({ node }) => node.getText()).join(", ")} }${text.slice(end)}`;
}
