import type { Token } from "../../syntax/cursor.js";
import type { Argument } from "../ast.js";
import type { ParseState } from "./parse-state.js";

/**
 * Arguments up to a closing bracket, the opening one having been read, or up to the end of the tokens; and the offset behind
 * them.
 *
 * arguments = [ argument { "," argument } [ "," ] ]
 */
export function parseArgumentList(
  state: ParseState,
  open?: Token,
  close?: string,
): { readonly arguments: readonly Argument[]; readonly end: number } {
  const { cursor } = state;
  const given: Argument[] = [];
  const names = new Set<string>();
  let height = 0;
  while (!(close === undefined ? cursor.isAtEnd() : cursor.is(close))) {
    const argument = parseArgument(state);
    height = Math.max(height, state.height);
    if (argument.name !== undefined && names.has(argument.name)) {
      state.report(
        state.dialect.codes.malformed,
        `argument \`${argument.name}\` is given twice`,
        argument,
        "remove one of them",
      );
    }
    if (argument.name !== undefined) names.add(argument.name);
    given.push(argument);
    if (!cursor.eat(",")) break;
  }
  state.height = height;
  if (open === undefined || close === undefined) {
    state.expectEnd();
    return { arguments: given, end: cursor.peek().end };
  }
  const closing = cursor.expect(close) ?? state.failUnclosed(open, close);
  return { arguments: given, end: closing.end };
}

/** argument = [ ( name | "$" name ) "=" ] expression | "*" expression | "**" expression */
function parseArgument(state: ParseState): Argument {
  const { cursor } = state;
  const first = cursor.peek();
  const spread = cursor.is("*") ? "*" : cursor.is("**") ? "**" : undefined;
  if (spread !== undefined) {
    if (!state.dialect.unpacking) state.malformed("unpacking arguments with `*` is not supported", first);
    cursor.next();
    const value = state.expression();
    return { start: first.start, end: value.end, value, spread };
  }
  const next = cursor.peek(1);
  const isNamed =
    (first.kind === "word" || first.kind === "variable") && next.kind === "punctuation" && next.text === "=";
  if (isNamed) {
    cursor.next();
    cursor.next();
  }
  const value = state.expression();
  return { start: first.start, end: value.end, ...(isNamed && { name: first.text }), value };
}
