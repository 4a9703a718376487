import type { Diagnostic } from "../../diagnostics/diagnostic.js";
import type { FlowDefinition } from "../ast.js";
import type { Element, ElementPlace } from "../elements.js";
import type { ExpandContext, FlowSignatures, LoopLabels } from "./context.js";
import { ElementWriter } from "./element-writer.js";
import { expandStatement } from "./statement.js";

export interface ExpandedFlow {
  readonly elements: readonly Element[];
  readonly places: readonly ElementPlace[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Lowers the body of a flow to instructions (spec 4), given all flows of the program. */
export function expandFlow(flow: FlowDefinition, flows: FlowSignatures): ExpandedFlow {
  const writer = new ElementWriter();
  const diagnostics: Diagnostic[] = [];
  const createContext = (loop: LoopLabels | undefined): ExpandContext => ({
    writer,
    flows,
    diagnostics,
    ...(loop ? { loop } : {}),
    expandBlock: (statements, inner = loop) => {
      const context = createContext(inner);
      for (const statement of statements) expandStatement(context, statement);
    },
  });
  writer.at(flow.headerSpan);
  writer.add(() => ({ kind: "Entry" }));
  createContext(undefined).expandBlock(flow.body);
  return { ...writer.finish(), diagnostics };
}
