import { collectNames } from "../engine/context-variables.js";
import {
  carriesResult,
  strictAssigned,
  strictCondition,
  strictValue,
  visitTested,
} from "../expressions/verdict-tests.js";
import type { CompiledFlow, Element } from "./elements.js";
import { type ProgramFlow, reachable } from "./compile-flow.js";

/**
 * Makes flows of rails test action results strictly. INVARIANT: a rail never passes because an action returned a value
 * that is neither true nor false.
 *
 * @param rails - ids of the deciding flows: listed rails, and replacements of the flows that run them
 * @param calls - flows, by their callers
 */
export function strictRails(
  flows: readonly ProgramFlow[],
  rails: ReadonlySet<string>,
  calls: ReadonlyMap<string, ReadonlySet<string>>,
): readonly ProgramFlow[] {
  const inRails = reachable(rails, calls);
  const asked = flows.filter(({ id }) => inRails.has(id));
  // A rail that calls a flow by variable may call any.
  const elements = asked.flatMap((flow) => flow.elements);
  const isOpen = elements.some((element) => element.kind === "Call" && element.flow === undefined);
  const strictFlows = isOpen ? flows : asked;
  const results = resultNames(flows);
  const tested = testedNames(strictFlows);
  const strict = new Set(strictFlows);
  return flows.map((flow) =>
    strict.has(flow)
      ? flow.withElements(flow.elements.map((element) => strictElement(element, results, tested)))
      : flow,
  );
}

/** Variables of Colang 1.0 are global, so any flow may have written what a rail reads. */
function resultNames(flows: readonly CompiledFlow[]): ReadonlySet<string> {
  const parameters = new Map(flows.map((flow) => [flow.id, flow.parameters]));
  return collectNames((names, add) => {
    for (const { elements } of flows) {
      for (const element of elements) {
        if ((element.kind === "Run" || element.kind === "Call") && element.result) add(element.result.name);
        if (element.kind === "Assign" && carriesResult(element.value, names)) add(element.target.name);
        if (element.kind !== "Call") continue;
        for (const [index, { name, value }] of element.arguments.entries()) {
          const parameter = name ?? parameters.get(element.flow ?? "")?.[index];
          if (parameter !== undefined && carriesResult(value, names)) add(parameter);
        }
      }
    }
  });
}

function testedNames(flows: readonly CompiledFlow[]): ReadonlySet<string> {
  return collectNames((names, add) => {
    for (const { elements } of flows) {
      for (const element of elements) {
        if (element.kind === "JumpIfNot" || element.kind === "Check") visitTested(element.condition, add);
        if (element.kind === "Assign" && names.has(element.target.name)) visitTested(element.value, add);
      }
    }
  });
}

function strictElement(element: Element, results: ReadonlySet<string>, tested: ReadonlySet<string>): Element {
  switch (element.kind) {
    case "JumpIfNot":
    case "Check":
      return { ...element, condition: strictCondition(element.condition, results) };
    case "Assign":
      return { ...element, value: strictAssigned(element.value, results, tested.has(element.target.name)) };
    case "Return":
      return { ...element, values: element.values.map((value) => strictValue(value, results)) };
    default:
      return element;
  }
}
