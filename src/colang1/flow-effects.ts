import { expressionsIn, freeVariables, walkExpression } from "../expressions/walk-expression.js";
import type { Expression } from "../expressions/ast.js";
import { type Colang1Program, type CompiledFlow, type Element, type ElementOf, successorsOf } from "./elements.js";

/** Possible effects of a flow according to its text, including those of the flows that it calls. */
interface FlowEffects {
  /** Variables that it may assign. */
  readonly writes: ReadonlySet<string>;
  /** Variables whose previous value may matter: they are read before they are certainly assigned. */
  readonly reads: ReadonlySet<string>;
  /** Actions, as written. */
  readonly actions: ReadonlySet<string>;
  /** Types of the events it creates. */
  readonly creates: ReadonlySet<string>;
  readonly emitsText: boolean;
  /** False if part of it is only known at run time, such as `do $flow`: then it may have any effect. */
  readonly isKnown: boolean;
}

interface Collector extends Record<"writes" | "reads" | "actions" | "creates", Set<string>> {
  readonly program: ReadonlyMap<string, CompiledFlow>;
  readonly messages: Colang1Program["botMessages"];
  /** The flow under analysis and its callers. */
  readonly open: Set<string>;
  emitsText: boolean;
  isKnown: boolean;
}

/**
 * Computes the effects of a flow from its elements. Every jump counts as possible, so the result may contain too much,
 * never too little.
 *
 * @param given - variables with a value when the flow starts, such as parameters
 *
 * @example
 * ```ts
 * flowEffects(program, "check words", []).writes; // Set { "allowed" }
 * ```
 */
export function flowEffects(program: Colang1Program, id: string, given: Iterable<string>): FlowEffects {
  const collector: Collector = {
    program: new Map(program.flows.map((flow) => [flow.id, flow])),
    messages: program.botMessages,
    writes: new Set(given),
    reads: new Set(),
    actions: new Set(),
    creates: new Set(),
    open: new Set(),
    emitsText: false,
    isKnown: true,
  };
  collectFlow(collector, id, new Set(given));
  return collector;
}

type Names = ReadonlySet<string>;

/** Analyses a flow until the certainly assigned variables are known at every element. */
function collectFlow(collector: Collector, id: string, given: Names): void {
  const flow = collector.program.get(id);
  if (flow === undefined || collector.open.has(id)) {
    collector.isKnown = false;
    return;
  }
  collector.open.add(id);
  const { elements } = flow;
  const assigned: (Names | undefined)[] = [given];
  const pending = [0];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    const element = elements[at];
    const before = assigned[at];
    if (element === undefined || before === undefined) continue;
    const after = collectElement(collector, element, before);
    for (const next of successorsOf(element, at)) {
      const known = assigned[next];
      const joined = known === undefined ? after : new Set([...known].filter((name) => after.has(name)));
      if (known !== undefined && joined.size === known.size) continue;
      assigned[next] = joined;
      pending.push(next);
    }
  }
  collector.open.delete(id);
}

/** Collects the effects of one element and returns the variables certainly assigned after it. */
function collectElement(collector: Collector, element: Element, before: Names): Names {
  const target = element.kind === "Assign" ? element.target : "result" in element ? element.result : undefined;
  // A property is set in a copy of its map, which is therefore read.
  const isPart = target !== undefined && target.path.length > 0;
  const fields = element.kind === "Match" ? element.matchers : [element];
  const expressions = expressionsIn(fields.map((field) => Object.values(field)));
  const reads = [...(isPart ? [target.name] : []), ...expressions.flatMap(freeVariables)];
  if (element.kind === "Say") {
    collector.emitsText = true;
    reads.push(...namesInMessage(collector, element));
  }
  for (const name of reads) if (!before.has(name)) collector.reads.add(name);
  if (element.kind === "Run") collector.actions.add(element.action);
  if (element.kind === "Emit") collector.creates.add(element.type);
  if (element.kind === "Call") collectCall(collector, element, before);
  if (target !== undefined) collector.writes.add(target.name);
  return target === undefined || isPart || before.has(target.name) ? before : new Set([...before, target.name]);
}

/** Parameters are ordinary variables; omitted ones may have any value. */
function collectCall(collector: Collector, element: ElementOf<"Call">, before: Names): void {
  const { flow, arguments: given } = element;
  if (flow === undefined) {
    collector.isKnown = false;
    return;
  }
  const parameters = collector.program.get(flow)?.parameters ?? [];
  const names = given.flatMap(({ name }, index) => name ?? parameters[index] ?? []);
  for (const name of [...parameters, ...names]) collector.writes.add(name);
  collectFlow(collector, flow, new Set([...before, ...names]));
}

const VARIABLE = /\$([A-Za-z_]\w*)/g;
const WORD = /[A-Za-z_]\w*/g;
const TEMPLATE = /\{\{|\{%/;

function namesInMessage(collector: Collector, { content }: ElementOf<"Say">): string[] {
  if (content.type === "value") return [];
  const texts =
    content.type === "literal"
      ? [content.text]
      : Object.hasOwn(collector.messages, content.intent)
        ? (collector.messages[content.intent] ?? [])
        : [];
  return texts.flatMap(namesInText);
}

/** Returns the variables that a text may read: those after a dollar sign, and every word inside a template. */
export function namesInText(text: string): string[] {
  return [...[...text.matchAll(VARIABLE)].map(([, name = ""]) => name), ...templateWords(text)];
}

export function templateWords(text: string): readonly string[] {
  return TEMPLATE.test(text) ? (text.match(WORD) ?? []) : [];
}

/** Returns the literal texts in events created by flows. */
export function writtenTexts(flows: readonly CompiledFlow[]): ReadonlySet<string> {
  const texts = new Set<string>();
  const add = (part: Expression): void => {
    if (part.kind === "Literal" && typeof part.value === "string") texts.add(part.value);
  };
  for (const { elements } of flows) {
    for (const element of elements) {
      if (element.kind === "Emit") for (const { value } of element.arguments) walkExpression(value, add);
    }
  }
  return texts;
}
