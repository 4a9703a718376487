import { parseColang2 } from "../../../colang2/parse/parse.js";
import { specsOf } from "../../../colang2/walk.js";
import { compileWrittenFlows } from "../../../colang2/written-flows.js";
import { createSourceFile } from "../../../diagnostics/source-file.js";
import { bareText } from "../../../llm/parsers/labels.js";
import { cleanCompletion, colangString, looksLikeStatement } from "./completion.js";
import type { Colang2Step } from "./services.js";

const INDENT = "  ";
const HEADER = /^\s*flow\s+\S/;
const MAX_LINES = 100;

/** The name of the flow that stands for one a model was asked for and did not write. */
export const ISSUE_FLOW = "bot inform LLM issue";

/**
 * The body of the first flow in a completion, as lines without the margin they share: with or without a header, and without
 * what is written around it.
 */
export function bodyLines(completion: string): readonly string[] {
  const all = cleanCompletion(completion).replaceAll("\t", INDENT).split("\n");
  const header = all.findIndex((line) => HEADER.test(line));
  const lines = all.slice(header + 1);
  const first = lines.findIndex((line) => line.trim() !== "");
  if (first === -1) return [];
  const margin = indentOf(lines[first] ?? "");
  const outside = header === -1 ? 0 : indentOf(all[header] ?? "");
  if (header !== -1 && margin <= outside) return [];
  const body: string[] = [];
  for (const line of lines.slice(first, first + MAX_LINES)) {
    if (line.trim() === "") continue;
    // A line that is neither inside nor outside: what was written is not the flow that was meant.
    if (indentOf(line) < margin && indentOf(line) > outside) return [];
    if (indentOf(line) < margin || HEADER.test(line) || /^\s*@/.test(line)) break;
    body.push(line.slice(margin).trimEnd());
  }
  return body;
}

export function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

export interface FlowParts {
  readonly name: string;
  readonly body: readonly string[];
  /** Lines above the header. */
  readonly decorators?: string;
}

/** A flow as Colang text. */
export function flowText({ name, body, decorators }: FlowParts): string {
  const header = decorators === undefined || decorators === "" ? [] : [decorators];
  return [...header, `flow ${name}`, ...body.map((line) => INDENT + line)].join("\n");
}

/** The flow as Colang text if it may be added as it is, else a flow of its name that says there is no answer. */
export function usableFlow(parts: FlowParts, step: Pick<Colang2Step, "access" | "settings">): string {
  const text = flowText(parts);
  if (isUsableFlow(text, step)) return text;
  return flowText(sayingFlow(parts.name, step.settings.messages.no_answer, step));
}

/** Returns true if a flow may be added as it is. */
export function isUsableFlow(text: string, { access, settings }: Pick<Colang2Step, "access" | "settings">): boolean {
  const { definitions } = access;
  const allowedActions = settings.llm_flows.allowed_actions;
  return compileWrittenFlows(text, { definitions, allowedActions }).problems.length === 0;
}

/** A flow that says a text of the configuration, in place of one that could not be made. */
export function sayingFlow(name: string, text: string, { access }: Pick<Colang2Step, "access">): FlowParts {
  const said = colangString(text);
  // A program without the library has no other way of speaking, and no output rails on that way.
  return { name, body: [access.definitions.has("bot say") ? `bot say ${said}` : `UtteranceBotAction(script=${said})`] };
}

const PROBE = "_dynamic_probe";

/**
 * Reads the bot action of a completion as one statement: calls of flows joined by `and` or `or`. A plain text in
 * quotes is said.
 *
 * @returns undefined when it is neither
 */
export function botActionOf(
  written: string,
  step: Pick<Colang2Step, "access" | "settings">,
): readonly string[] | undefined {
  const lines = written.split("\n");
  const said = spokenText(written);
  const text = flowText({ name: PROBE, body: lines });
  const called = isUsableFlow(text, step) ? calledFlows(text) : undefined;
  const { definitions } = step.access;
  if (called?.every((name) => definitions.has(name))) return lines;
  if (said !== undefined) return definitions.has("bot say") ? [`bot say ${colangString(said)}`] : undefined;
  // An undefined flow of the bot can be generated from its name.
  return called?.every((name) => name.startsWith("bot ")) ? lines : undefined;
}

/** The flows that the one statement of a flow calls; undefined when it is another statement, or there are several. */
function calledFlows(text: string): readonly string[] | undefined {
  const [statement, ...others] = parseColang2(createSourceFile(PROBE, text)).ast.flows[0]?.body ?? [];
  if (statement?.kind !== "Operation" || statement.operator !== "await" || others.length > 0) return undefined;
  return specsOf(statement.group).map(({ callee, members }) =>
    callee.kind === "NameCallee" && members.length === 0 ? callee.name.text : "",
  );
}

/**
 * The words in an action that is no Colang: what stands in quotes, or all of a line that is nothing but a text. Code that may
 * not run is not said either.
 */
function spokenText(written: string): string | undefined {
  if (looksLikeStatement(written)) return undefined;
  const quoted = /"((?:[^"\\\n]|\\[^\n])*)"/.exec(written)?.[1];
  const text = (quoted ?? (/^\s*(?:bot|user|scene)\s/.test(written) ? "" : bareText(written)))
    .replaceAll('\\"', '"')
    .replaceAll("\\n", "\n")
    .trim();
  return text === "" ? undefined : text;
}
