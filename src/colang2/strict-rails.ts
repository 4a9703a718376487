import { collectNames } from "../engine/context-variables.js";
import type { Expression } from "../expressions/ast.js";
import { walkExpression } from "../expressions/walk-expression.js";
import {
  carriesResult,
  strictAssigned,
  strictCondition,
  strictValue,
  visitTested,
} from "../expressions/verdict-tests.js";
import type { Element } from "./elements.js";
import type { CompiledFlow } from "./program.js";

/** Returns the flows that can be reached from some by the calls in their text, with those themselves. */
export function flowsReachedFrom(roots: Iterable<string>, flows: ReadonlyMap<string, CompiledFlow>): Set<string> {
  const reached = new Set<string>();
  const open = [...roots];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const flow = flows.get(id);
    if (flow === undefined || reached.has(id)) continue;
    reached.add(id);
    for (const element of flow.elements) open.push(...startedBy(element));
  }
  return reached;
}

/** Names of all flows that other flows start. */
export function startedFlows(flows: Iterable<CompiledFlow>): ReadonlySet<string> {
  const started = new Set<string>();
  for (const { id, elements } of flows) {
    for (const element of elements) for (const name of startedBy(element)) if (name !== id) started.add(name);
  }
  return started;
}

/** Returns the names of the flows that an element starts, or keeps to start them later, as far as its text has them. */
function startedBy(element: Element): readonly string[] {
  switch (element.kind) {
    case "StartFlow":
      return [element.flow ?? [], textsOf(element.flowValue)].flat();
    case "Emit": {
      const { request } = element;
      if (request.form !== "event" || request.name !== "StartFlow") return [];
      return request.arguments.flatMap(({ name, value }) => (name === "flow_id" ? textsOf(value) : []));
    }
    case "Set":
    case "StartReference":
      return flowsNamedIn(element.value);
    default:
      return [];
  }
}

function textsOf(value: Expression | undefined): readonly string[] {
  return value?.kind === "Literal" && typeof value.value === "string" ? [value.value] : [];
}

/** Flows of the function `flow("name")`. */
function flowsNamedIn(expression: Expression): readonly string[] {
  const names: string[] = [];
  walkExpression(expression, (part) => {
    if (part.kind === "Call" && part.function === "flow") names.push(...textsOf(part.arguments[0]?.value));
  });
  return names;
}

const REFUSAL = "bot refuse to respond";

/** The name of a message of the bot that no flow defines. */
export function isUndefinedMessage(
  flow: string | undefined,
  flows: Pick<ReadonlyMap<string, unknown>, "has">,
): boolean {
  return flow !== undefined && flow.startsWith("bot ") && !flows.has(flow);
}

/** INVARIANT: no model writes the text of a rail for a name that no flow defines; the default refusal stands for it. */
function withRefusals(flow: CompiledFlow, flows: ReadonlyMap<string, CompiledFlow>): CompiledFlow {
  if (!flows.has(REFUSAL)) return flow;
  const elements = flow.elements.map((element): Element =>
    element.kind === "StartFlow" && isUndefinedMessage(element.flow, flows)
      ? { ...element, flow: REFUSAL, arguments: [] }
      : element,
  );
  return { ...flow, elements };
}

/**
 * Makes the flows of rails test results of actions and flows strictly. INVARIANT: a rail passes nothing because an action
 * returned a value that is neither true nor false. A message that no flow defines becomes the refusal.
 */
export function strictRails(flows: readonly CompiledFlow[], rails: Iterable<string>): readonly CompiledFlow[] {
  const byId = new Map(flows.map((flow) => [flow.id, flow]));
  const reached = flowsReachedFrom(rails, byId);
  const railFlows = flows.filter((flow) => reached.has(flow.id)).map((flow) => withRefusals(flow, byId));
  const ownById = new Map(railFlows.map((flow) => [flow.id, flow]));
  const sharedNames = new Set(railFlows.flatMap(globalsOf));
  const given = parametersWithResults(railFlows, byId);
  const results = new Map(railFlows.map((flow) => [flow.id, resultNames(flow, given.get(flow.id) ?? [])]));
  const everywhere = [...results.values()].flatMap((names) => [...names].filter((name) => sharedNames.has(name)));
  return flows.map((compiled) => {
    const names = results.get(compiled.id);
    const flow = ownById.get(compiled.id);
    if (names === undefined || flow === undefined) return compiled;
    const globals = new Set(globalsOf(flow));
    for (const name of everywhere) if (globals.has(name)) names.add(name);
    const tested = testedNames(flow);
    return { ...flow, elements: flow.elements.map((element) => strictElement(element, names, tested)) };
  });
}

function globalsOf({ elements }: CompiledFlow): string[] {
  return elements.flatMap((element) => (element.kind === "Global" ? element.names : []));
}

/** Parameters to which some flow gives the result of an action, by flow. */
function parametersWithResults(
  flows: readonly CompiledFlow[],
  byId: ReadonlyMap<string, CompiledFlow>,
): ReadonlyMap<string, ReadonlySet<string>> {
  const given = new Map<string, Set<string>>(flows.map(({ id }) => [id, new Set()]));
  for (let isNew = true; isNew;) {
    isNew = false;
    for (const flow of flows) {
      const names = resultNames(flow, given.get(flow.id) ?? []);
      for (const element of flow.elements) {
        if (element.kind !== "StartFlow" || element.flow === undefined) continue;
        const known = given.get(element.flow);
        const parameters = byId.get(element.flow)?.parameters ?? [];
        for (const [index, argument] of element.arguments.entries()) {
          const name = argument.name ?? parameters[index]?.name;
          if (name === undefined || known?.has(name) !== false || !carriesResult(argument.value, names)) continue;
          known.add(name);
          isNew = true;
        }
      }
    }
  }
  return given;
}

function resultNames({ elements }: CompiledFlow, given: Iterable<string>): Set<string> {
  return collectNames((names, add) => {
    for (const name of given) add(name);
    for (const element of elements) {
      if (element.kind === "Set" && carriesResult(element.value, names)) add(element.target.name);
    }
  });
}

function testedNames({ elements }: CompiledFlow): ReadonlySet<string> {
  return collectNames((names, add) => {
    for (const element of elements) {
      if (element.kind === "GotoIf") visitTested(element.condition, add);
      if (element.kind === "Set" && names.has(element.target.name)) visitTested(element.value, add);
    }
  });
}

function strictElement(element: Element, results: ReadonlySet<string>, tested: ReadonlySet<string>): Element {
  switch (element.kind) {
    case "GotoIf":
      return { ...element, condition: strictCondition(element.condition, results) };
    case "Set":
      return { ...element, value: strictAssigned(element.value, results, tested.has(element.target.name)) };
    case "Return":
      return element.value === undefined ? element : { ...element, value: strictValue(element.value, results) };
    default:
      return element;
  }
}
