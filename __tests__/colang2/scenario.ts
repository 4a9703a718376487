import { readdirSync, readFileSync } from "node:fs";
import { COLANG_2_DIALECT } from "../../src/colang2/expression-dialect.js";
import { createSourceFile } from "../../src/diagnostics/source-file.js";
import { evaluate } from "../../src/expressions/evaluate/evaluate.js";
import { parseExpression } from "../../src/expressions/parse/parse.js";
import type { Value } from "../../src/expressions/values/value.js";

/** An event as a scenario writes it. */
export interface WrittenEvent {
  readonly name: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly label?: string;
}

export type ScenarioInput =
  | { readonly kind: "start" }
  | { readonly kind: "event"; readonly event: WrittenEvent }
  | { readonly kind: "user"; readonly text: string }
  | {
      readonly kind: "labelled";
      readonly label: string;
      readonly suffix: string;
      readonly parameters: Readonly<Record<string, unknown>>;
    };

export interface ScenarioStep {
  readonly text: string;
  readonly input: ScenarioInput;
  /** Exactly one of the lists; undefined when the event is refused. */
  readonly outputs: readonly (readonly WrittenEvent[])[] | undefined;
}

export interface Scenario {
  readonly id: string;
  readonly title: string;
  readonly source: string;
  readonly steps: readonly ScenarioStep[];
}

const FOLDER = new URL("./scenarios/", import.meta.url);

/** All scenarios, in order. */
export function readScenarios(): Scenario[] {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith(".txt"));
  return files.flatMap((name) =>
    readFileSync(new URL(name, FOLDER), "utf8")
      .split(/^=== /m)
      .filter((text) => text.trim() !== "")
      .map(parseScenario),
  );
}

function parseScenario(text: string): Scenario {
  const [header = "", ...lines] = text.split("\n");
  const at = lines.findIndex((line) => line.startsWith("> "));
  const steps = lines[at]?.slice(2) ?? "";
  const [, id = "", title = ""] = /^(\S+) (.*)$/.exec(header) ?? [];
  return { id, title, source: blockForm(lines.slice(0, at)), steps: steps.split(" ;; ").map(parseStep) };
}

/** `@tag flow f $x: a ; b` stands for the flow with these statements. */
function blockForm(lines: readonly string[]): string {
  return `${lines.map(blockLine).join("\n")}\n`;
}

function blockLine(line: string): string {
  const found = /^((?:@\w+(?:\([^)]*\))? )*)(flow .*)$/.exec(line);
  if (found === null) return line;
  const [, decorators = "", flow = ""] = found;
  const colon = headerEnd(flow);
  const head = [...decorators.matchAll(/@\w+(?:\([^)]*\))?/g)].map(([one]) => one);
  if (colon === -1) return [...head, flow].join("\n");
  const statements = splitTop(flow.slice(colon + 1), " ; ").map((statement) => `  ${statement.trim()}`);
  return [...head, flow.slice(0, colon), ...statements].join("\n");
}

/** The first colon that is followed by a statement; `start_new_flow_instance:` comes later. */
function headerEnd(flow: string): number {
  const at = flow.indexOf(": ");
  return at;
}

function parseStep(text: string): ScenarioStep {
  const arrow = text.lastIndexOf(" -> ");
  const output = text.slice(arrow + 4).trim();
  return {
    text,
    input: parseInput(text.slice(0, arrow).trim()),
    outputs: output === "rejected" ? undefined : splitTop(output, " | ").map(parseEvents),
  };
}

function parseInput(text: string): ScenarioInput {
  if (text === "start") return { kind: "start" };
  const user = /^user (".*")$/.exec(text);
  if (user !== null) return { kind: "user", text: String(literal(user[1] ?? "")) };
  const labelled = /^(?:finish (\w+)|event (\w+) (\w+))(.*)$/.exec(text);
  if (labelled !== null) {
    const [, finished, other, suffix, rest = ""] = labelled;
    return {
      kind: "labelled",
      label: finished ?? other ?? "",
      suffix: suffix ?? "Finished",
      parameters: { ...(finished === undefined ? {} : { is_success: true }), ...pairs(splitTop(rest.trim(), " ")) },
    };
  }
  return { kind: "event", event: parseEvent(text) };
}

function parseEvents(text: string): WrittenEvent[] {
  return text.trim() === "-" ? [] : splitTop(text, ";").map((event) => parseEvent(event.trim()));
}

function parseEvent(text: string): WrittenEvent {
  const said = /^SAY (".*")$/.exec(text);
  if (said !== null) return { name: "SAY", parameters: { script: literal(said[1] ?? "") } };
  const found = /^(\w+)(?:\((.*)\))?(?: as (\w+))?$/s.exec(text);
  if (found === null) throw new Error(`not an event: ${text}`);
  const [, name = "", list = "", label] = found;
  return { name, parameters: pairs(splitTop(list, ",")), ...(label === undefined ? {} : { label }) };
}

function pairs(list: readonly string[]): Record<string, unknown> {
  const record: Record<string, unknown> = {};
  for (const pair of list) {
    if (pair.trim() === "") continue;
    const equals = pair.indexOf("=");
    record[pair.slice(0, equals).trim()] = literal(pair.slice(equals + 1).trim());
  }
  return record;
}

/** The value of a literal of the language; a template is an ordinary text here. */
function literal(text: string): unknown {
  if (text.startsWith('"')) return JSON.parse(text);
  const source = createSourceFile("literal", text);
  const parsed = parseExpression(source, 0, text.length, COLANG_2_DIALECT);
  const { expression } = parsed as { expression?: Parameters<typeof evaluate>[0] };
  if (expression === undefined) throw new Error(`not a literal: ${text}`);
  return plain(evaluate(expression, { lookup: () => undefined }, COLANG_2_DIALECT));
}

function plain(value: Value): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, item: unknown) => (item instanceof Set ? [...(item as Set<unknown>)] : item)),
  );
}

/** Splits outside strings and brackets. */
function splitTop(text: string, separator: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let quote = "";
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? "";
    if (quote !== "") {
      if (character === "\\") at += 1;
      else if (character === quote) quote = "";
    } else if (character === '"') quote = character;
    else if ("([{".includes(character)) depth += 1;
    else if (")]}".includes(character)) depth -= 1;
    else if (depth === 0 && text.startsWith(separator, at)) {
      parts.push(text.slice(from, at));
      from = at + separator.length;
      at = from - 1;
    }
  }
  return [...parts, text.slice(from)];
}
