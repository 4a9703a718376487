import type { StatementOf } from "../ast.js";
import type { ExpandContext } from "./context.js";
import { Label } from "./element-writer.js";

export function expandIf(context: ExpandContext, { branches, otherwise }: StatementOf<"If">): void {
  const { writer } = context;
  const end = new Label();
  for (const { condition, body } of branches) {
    const next = new Label();
    writer.add(() => ({ kind: "GotoIf", condition, when: false, target: next.address }));
    context.expandBlock(body);
    writer.goto(end);
    writer.label(next);
  }
  context.expandBlock(otherwise ?? []);
  writer.label(end);
}

export function expandWhile(context: ExpandContext, { condition, body }: StatementOf<"While">): void {
  const { writer } = context;
  const begin = new Label();
  const end = new Label();
  writer.label(begin);
  writer.add(() => ({ kind: "GotoIf", condition, when: false, target: end.address }));
  context.expandBlock(body, { begin, end });
  writer.goto(begin);
  writer.label(end);
}

export function expandFor(context: ExpandContext, { variable, iterable, body }: StatementOf<"For">): void {
  const { writer } = context;
  const list = writer.newTemporary();
  const index = writer.newTemporary();
  const begin = new Label();
  const end = new Label();
  const target = { name: variable.text, path: [] };
  writer.add(() => ({ kind: "BeginLoop", value: iterable, list, index }));
  writer.label(begin);
  writer.add(() => ({ kind: "NextItem", list, index, target, end: end.address }));
  context.expandBlock(body, { begin, end });
  writer.goto(begin);
  writer.label(end);
  writer.add(() => ({ kind: "Forget", variables: [list, index] }));
}
