// Removes the blanks of built files, a sixth of their bytes, and letters beyond ASCII, and gives short names to tables and other
// data of modules; functions and classes keep theirs. Each statement, member of a class and case of a `switch` keeps its own
// line, so that positions in stack traces remain useful.
import { readFileSync, writeFileSync } from "node:fs";
import { parseAst } from "rolldown/parseAst";
import { minifySync } from "rolldown/utils";

const OPTIONS = { compress: false, mangle: { toplevel: true, keepNames: true }, codegen: { removeWhitespace: true } };

/** Rewrites a file without blanks. */
export function compact(path) {
  const { code, errors } = minifySync(path, readFileSync(path, "utf8"), OPTIONS);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0].message}`);
  writeFileSync(path, asAscii(inLines(withQuotes(code))));
}

/** Writes templates without values as strings, which V8 reads faster. */
function withQuotes(code) {
  const letters = code.split("");
  for (const { start, end } of plainTemplates(parseAst(code))) {
    if (/["\\\n]/.test(code.slice(start, end))) continue;
    letters[start] = '"';
    letters[end - 1] = '"';
  }
  return letters.join("");
}

/** Templates without values and tags, except those that would become directives. */
function plainTemplates(node, found = []) {
  if (node.type === "TemplateLiteral" && node.expressions.length === 0) found.push(node);
  for (const inner of innerNodes(node)) {
    const isPlain = node.type !== "TaggedTemplateExpression" && node.type !== "ExpressionStatement";
    if (isPlain || inner.type !== "TemplateLiteral" || inner.expressions.length > 0) plainTemplates(inner, found);
  }
  return found;
}

/** Escapes letters beyond ASCII, which stand in texts and patterns only: V8 keeps a file with one in twice the memory. */
function asAscii(code) {
  const escape = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return code.replaceAll(/[^\0-\x7f]/g, escape);
}

function inLines(code) {
  const places = new Set();
  collectPlaces(parseAst(code), places);
  const starts = [...places].filter((place) => place > 0 && code[place - 1] !== "\n").sort((a, b) => a - b);
  return starts.map((place, index) => code.slice(starts[index - 1] ?? 0, place)).join("\n") + lastLine(code, starts);
}

function lastLine(code, starts) {
  return starts.length === 0 ? code : `\n${code.slice(starts.at(-1))}`;
}

/** Nodes whose parts are each written on a separate line, with the key of these parts. */
const LISTS = {
  Program: "body",
  BlockStatement: "body",
  StaticBlock: "body",
  ClassBody: "body",
  SwitchStatement: "cases",
};

/** Adds the positions where lines begin in a node and its descendants. */
function collectPlaces(node, places) {
  for (const part of node[LISTS[node.type]] ?? []) places.add(part.start);
  for (const inner of innerNodes(node)) collectPlaces(inner, places);
}

function innerNodes(node) {
  return Object.values(node)
    .flat()
    .filter((inner) => typeof inner?.type === "string");
}
