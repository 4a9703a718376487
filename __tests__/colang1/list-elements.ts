import {
  ANY,
  type Colang1Program,
  type CompiledFlow,
  type Element,
  type ElementTarget,
  type Matcher,
  type PropertyTest,
  type SayContent,
} from "../../src/colang1/elements.js";
import { printArguments, printExpression } from "../../scripts/print/print-expression.js";

type Print = { readonly [Kind in Element["kind"]]: (element: Extract<Element, { kind: Kind }>) => string };

const PRINTERS: Print = {
  Match: ({ matchers }) => matchers.map(printMatcher).join(" or "),
  Choice: ({ heads }) => heads.join(" "),
  Say: ({ content, instructions }) => printContent(content) + (instructions ? ` # ${oneLine(instructions)}` : ""),
  Run: ({ action, arguments: given, result }) => `${printResult(result)}${action}(${printArguments(given)})`,
  Emit: ({ type, arguments: given }) => `${type}(${printArguments(given)})`,
  Stop: () => "",
  Call: ({ flow, value, arguments: given, result }) =>
    `${printResult(result)}${flow ?? (value ? printExpression(value) : "")}(${printArguments(given)})`,
  Assign: ({ target, value }) => `${printTarget(target)} = ${printExpression(value)}`,
  JumpIfNot: ({ condition, target }) => `${printExpression(condition)} -> ${target}`,
  Jump: ({ target }) => `-> ${target}`,
  Check: ({ condition }) => printExpression(condition),
  Return: ({ values }) => values.map((value) => printExpression(value)).join(", "),
};

/**
 * One element in readable form: its kind and its operands.
 *
 * @example
 * ```ts
 * printElement(flow.elements[0]); // "Match user ask hours"
 * ```
 */
function printElement(element: Element): string {
  const print = PRINTERS[element.kind] as (element: Element) => string;
  return `${element.kind} ${print(element)}`.trimEnd();
}

/** The elements of a flow, one numbered line each. */
export function listElements(elements: readonly Element[]): string {
  const width = String(Math.max(0, elements.length - 1)).length;
  return elements.map((element, index) => `${String(index).padStart(width)} ${printElement(element)}`).join("\n");
}

/** All flows of a program with their flags and elements, and its messages. */
export function printProgram(program: Colang1Program): string {
  const flows = program.flows.map((flow) => `${printHeader(flow)}\n${indent(listElements(flow.elements))}`);
  const messages = [...printMessages("user", program.userMessages), ...printMessages("bot", program.botMessages)];
  return [...flows, ...(messages.length > 0 ? [messages.join("\n")] : [])].join("\n\n");
}

function printHeader(flow: CompiledFlow): string {
  const flags = [
    flow.allowMultiple && "parallel",
    flow.isExtension && "extension",
    !flow.interruptible && "continuous",
    flow.isInitialiser && "initialiser",
    flow.continues && "continues",
    flow.tier === "system" && "system",
    flow.priority !== 1 && `priority ${flow.priority}`,
  ].filter((flag) => flag !== false);
  const parameters = flow.parameters.map((name) => ` $${name}`).join("");
  const kind = flow.isSubflow ? "subflow" : "flow";
  return `${kind} ${flow.id}${parameters}${flags.length > 0 ? ` (${flags.join(", ")})` : ""}`;
}

function* printMessages(kind: string, messages: Readonly<Record<string, readonly string[]>>): Generator<string> {
  for (const [name, texts] of Object.entries(messages)) {
    yield [`${kind} ${name}`, ...texts.map((text) => `  ${JSON.stringify(text)}`)].join("\n");
  }
}

function printMatcher(matcher: Matcher): string {
  if (matcher.kind === "Event") {
    const tests = matcher.properties.map(printTest).join(", ");
    return `event ${matcher.type}${tests && `(${tests})`}`;
  }
  return `${matcher.kind.toLowerCase()} ${matcher.intents.join(" | ")}`;
}

function printTest(property: PropertyTest): string {
  if (property.test === "exists") return property.name;
  return `${property.name}=${property.test === "any" ? ANY : printExpression(property.value)}`;
}

function printContent(content: SayContent): string {
  if (content.type === "value") return printExpression(content.value);
  return content.type === "intent" ? content.intent : `${content.intent} ${JSON.stringify(content.text)}`;
}

function printResult(result: ElementTarget | undefined): string {
  return result ? `${printTarget(result)} = ` : "";
}

function printTarget({ name, path }: ElementTarget): string {
  return `$${[name, ...path].join(".")}`;
}

function oneLine(text: string): string {
  return text.replaceAll("\n", " / ");
}

function indent(text: string): string {
  return text.replace(/^(?=.)/gm, "  ");
}
