import type { Statement } from "../ast.js";
import type { Lowering } from "./lower-context.js";
import { lowerPatterns } from "./lower-patterns.js";

type Of<Kind extends Statement["kind"]> = Extract<Statement, { readonly kind: Kind }>;

/** Each condition jumps over its body to the next one; each body but the last jumps to the end. */
export function lowerIf(statement: Of<"If">, { writer, lowerBody }: Lowering): void {
  const end = writer.newLabel();
  const last = statement.branches.length - 1;
  for (const [index, branch] of statement.branches.entries()) {
    const next = writer.newLabel();
    writer.jumpIfNot(branch.condition, next, statement, branch.span);
    lowerBody(branch.body);
    if (index < last || statement.otherwise) writer.jump(end, statement);
    writer.place(next);
  }
  if (statement.otherwise) lowerBody(statement.otherwise);
  writer.place(end);
}

export function lowerWhile(statement: Of<"While">, { writer, lowerBody }: Lowering): void {
  const again = writer.newLabel();
  const exit = writer.newLabel();
  writer.place(again);
  writer.jumpIfNot(statement.condition, exit, statement);
  writer.loops.push({ exit, again });
  lowerBody(statement.body);
  writer.loops.pop();
  writer.jump(again, statement);
  writer.place(exit);
}

/** A choice of matches; each branch is a match and its body, and jumps to the end of the whole construct. */
export function lowerWhen(statement: Of<"When">, { writer, context, lowerBody }: Lowering): void {
  const end = writer.newLabel();
  const heads = statement.branches.map(() => writer.newLabel());
  writer.choice(heads, statement);
  for (const [index, branch] of statement.branches.entries()) {
    const head = heads[index];
    if (head) writer.place(head);
    writer.write({ kind: "Match", matchers: lowerPatterns(branch.patterns, context) }, statement, branch.span);
    lowerBody(branch.body);
    if (index < heads.length - 1) writer.jump(end, statement);
  }
  writer.place(end);
}
