import type { Statement, StatementOf } from "../ast.js";
import type { ExpandContext } from "./context.js";
import { Label } from "./element-writer.js";
import { type GroupNode, readGroup } from "./group-tree.js";
import { addForget, addReferences } from "./group-results.js";
import { addGroup } from "./wait-group.js";

interface Case {
  readonly node: GroupNode;
  readonly body: readonly Statement[];
  readonly begin: Label;
}

/** `when`: the scope is closed before a body runs, and every body is written once. */
export function expandWhen(context: ExpandContext, { cases, otherwise }: StatementOf<"When">): void {
  const { writer } = context;
  const read = cases.map(({ group, body }): Case | undefined => {
    const node = readGroup(context, group);
    return node && { node, body, begin: new Label() };
  });
  const known = read.filter((found) => found !== undefined);
  const nodes = known.map(({ node }) => node);
  const scope = writer.newScope();
  const fork = writer.newFork();
  const failed = new Label();
  const end = new Label();
  writer.add(() => ({ kind: "OpenScope", scope }));
  writer.add(() => ({ kind: "Fork", fork, targets: known.map(({ begin }) => begin.address) }));
  for (const { node, body, begin } of known) {
    writer.label(begin);
    writer.add(() => ({ kind: "PushHandler", target: failed.address }));
    addGroup(context, node, true);
    writer.add(() => ({ kind: "PopHandler" }));
    writer.add(() => ({ kind: "Merge", fork, failed: false }));
    addReferences(context, node);
    addForget(context, true, ...nodes);
    writer.add(() => ({ kind: "CloseScope", scope }));
    context.expandBlock(body);
    writer.goto(end);
  }
  writer.label(failed);
  writer.add(() => ({ kind: "Join", count: known.length }));
  writer.add(() => ({ kind: "Merge", fork, failed: true }));
  addForget(context, true, ...nodes);
  writer.add(() => ({ kind: "CloseScope", scope }));
  if (otherwise) context.expandBlock(otherwise);
  else writer.add(() => ({ kind: "Fail", isAbort: false }));
  writer.label(end);
}
