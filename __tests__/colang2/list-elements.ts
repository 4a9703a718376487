import type { CompiledFlow } from "../../src/colang2/program.js";
import type { Element, ElementTarget, ElementArgument, Pattern } from "../../src/colang2/elements.js";
import { printExpression } from "../../scripts/print/print-expression.js";
import type { Expression } from "../../src/expressions/ast.js";

/** The instructions of a flow, one a line, with their addresses. */
export function listFlow({ id, elements }: CompiledFlow): string {
  return [id, ...elements.map((element, at) => `${String(at).padStart(3)} ${listElement(element)}`)].join("\n");
}

function listElement(element: Element): string {
  switch (element.kind) {
    case "Set":
      return `SET ${listTarget(element.target)} ${element.operator} ${print(element.value)}`;
    case "Forget":
      return `FORGET ${element.variables.join(" ")}`;
    case "Evaluate":
    case "Priority":
    case "Log":
    case "Print":
      return `${element.kind.toUpperCase()} ${print(element.value)}`;
    case "Emit":
    case "Act":
      return `${element.kind.toUpperCase()} ${listRequest(element.request)}${arrow(element.event)}`;
    case "StartFlow": {
      const { flow, flowValue, variable, event, activate, shareContext } = element;
      const name = flow ?? (flowValue ? print(flowValue) : "");
      const flags = `${activate ? " activate" : ""}${shareContext ? " share" : ""}`;
      return `STARTFLOW ${name}${list(element.arguments)}${flags}${arrow(variable)}${arrow(event)}`;
    }
    case "StartReference": {
      const { value, variable, activate } = element;
      return `STARTREF ${print(value)}${list(element.arguments)}${activate ? " activate" : ""}${arrow(variable)}`;
    }
    case "NewAction":
      return `NEWACTION ${element.action}${list(element.arguments)}${arrow(element.variable)}`;
    case "SendReference": {
      const { value, request = "", deactivate, event } = element;
      return `SENDREF ${print(value)}.${request}${list(element.arguments)}${deactivate ? " deactivate" : ""}${arrow(event)}`;
    }
    case "Wait": {
      const { pattern, quiet, event, reads } = element;
      return `WAIT ${listPattern(pattern)}${quiet ? " quiet" : ""}${arrow(event)}${reads.length > 0 ? ` reads ${reads.join(" ")}` : ""}`;
    }
    case "Goto":
      return `GOTO ${element.target}`;
    case "GotoIf":
      return `${element.when ? "GOIF" : "GOIFNOT"} ${print(element.condition)}, ${element.target}`;
    case "GotoIfFlow":
      return `GOIFFLOW ${element.variable}, ${element.target}`;
    case "BeginLoop":
      return `LOOP ${print(element.value)} -> ${element.list} ${element.index}`;
    case "NextItem":
      return `NEXT ${element.list} ${element.index} -> ${listTarget(element.target)}, ${element.end}`;
    case "Fork":
      return `FORK ${element.fork}: ${element.targets.join(" ")}`;
    case "Spawn":
      return `SPAWN ${element.fork}: ${element.target}`;
    case "Ready":
      return `READY ${element.fork}${element.failed ? " failed" : ""} into ${element.into}: ${element.target}`;
    case "Join":
      return `JOIN ${element.count}`;
    case "Merge":
      return `MERGE ${element.fork}${element.failed ? " failed" : ""}`;
    case "PushHandler":
      return `PUSHH ${element.target}`;
    case "OpenScope":
      return `SCOPE ${element.scope}`;
    case "CloseScope":
      return `ENDSCOPE ${element.scope}`;
    case "Fail":
      return element.isAbort ? "FAIL abort" : "FAIL";
    case "Return":
      return element.value ? `RET ${print(element.value)}` : "RET";
    case "Global":
      return `GLOBAL ${element.names.join(" ")}`;
    case "PopHandler":
      return "POPH";
    default:
      return element.kind.toUpperCase();
  }
}

function listRequest(request: Extract<Element, { kind: "Emit" | "Act" }>["request"]): string {
  switch (request.form) {
    case "event":
      return `${request.name}${list(request.arguments)}`;
    case "action":
      return `${request.variable}.${request.request}${list(request.arguments)}`;
    case "actions":
      return `all ${request.action}${list(request.startArguments)}.${request.request}${list(request.arguments)}`;
    case "flows":
      return `all ${request.flow}${list(request.flowArguments)}.${request.request}${list(request.arguments)}${request.deactivate ? " deactivate" : ""}`;
  }
}

function listPattern(pattern: Pattern): string {
  switch (pattern.form) {
    case "event":
      return `${pattern.name}${list(pattern.arguments)}`;
    case "action":
      return `${pattern.action}${list(pattern.startArguments)} ${pattern.event}${list(pattern.arguments)}`;
    case "flow":
      return `${pattern.flow}${list(pattern.flowArguments)} ${pattern.event}${list(pattern.arguments)}`;
    case "reference":
      return `${print(pattern.value)}.${pattern.member ?? ""}${list(pattern.arguments)}`;
    case "activated":
      return `${pattern.variable} activated`;
  }
}

function listTarget({ name, path }: ElementTarget): string {
  return name + path.map((step) => ("member" in step ? `.${step.member}` : `[${print(step.index)}]`)).join("");
}

function list(given: readonly ElementArgument[]): string {
  return `(${given.map(({ name, value, spread = "" }) => `${name === undefined ? "" : `${name}=`}${spread}${print(value)}`).join(", ")})`;
}

function arrow(variable: string | undefined): string {
  return variable === undefined ? "" : ` -> ${variable}`;
}

function print(expression: Expression): string {
  return printExpression(expression, { interpolateStrings: true }).replaceAll("$%", "%");
}
