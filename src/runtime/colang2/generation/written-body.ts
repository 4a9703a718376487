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

/** Name of the flow that replaces one a model failed to write. */
export const ISSUE_FLOW = "bot inform LLM issue";

/**
 * Lines of the first flow in a completion without common indentation: with or without a header, and without surrounding
 * text.
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
    // A line between the two indentation levels: the completion is not the intended flow.
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

/** Returns the flow as Colang text if it may be added, otherwise a flow of its name that says there is no response. */
export function usableFlow(parts: FlowParts, step: Pick<Colang2Step, "access" | "settings">): string {
  const text = flowText(parts);
  if (isUsableFlow(text, step)) return text;
  return flowText(sayingFlow(parts.name, step.settings.messages.no_answer, step));
}

/** Returns true if a flow may be added unchanged. */
export function isUsableFlow(text: string, { access, settings }: Pick<Colang2Step, "access" | "settings">): boolean {
  const { definitions } = access;
  const allowedActions = settings.llm_flows.allowed_actions;
  return compileWrittenFlows(text, { definitions, allowedActions }).problems.length === 0;
}

/** A flow that emits a configured text, in place of one that could not be created. */
export function sayingFlow(name: string, text: string, { access }: Pick<Colang2Step, "access">): FlowParts {
  const utterance = colangString(text);
  // Without the library, a program has no other way to speak, and no output rails for it.
  return {
    name,
    body: [access.definitions.has("bot say") ? `bot say ${utterance}` : `UtteranceBotAction(script=${utterance})`],
  };
}

const PROBE = "_dynamic_probe";

/**
 * Reads the bot action of a completion as one statement: flow calls joined by `and` or `or`. A plain quoted text is
 * emitted.
 *
 * @returns undefined if it is neither
 */
export function botActionOf(
  written: string,
  step: Pick<Colang2Step, "access" | "settings">,
): readonly string[] | undefined {
  const lines = written.split("\n");
  const utterance = plainUtterance(written);
  const text = flowText({ name: PROBE, body: lines });
  const called = isUsableFlow(text, step) ? calledFlows(text) : undefined;
  const { definitions } = step.access;
  if (called?.every((name) => definitions.has(name))) return lines;
  if (utterance !== undefined) return definitions.has("bot say") ? [`bot say ${colangString(utterance)}`] : undefined;
  // An undefined bot flow can be generated from its name.
  return called?.every((name) => name.startsWith("bot ")) ? lines : undefined;
}

/** Flows called by the single statement of a flow; undefined for other or several statements. */
function calledFlows(text: string): readonly string[] | undefined {
  const [statement, ...others] = parseColang2(createSourceFile(PROBE, text)).ast.flows[0]?.body ?? [];
  if (statement?.kind !== "Operation" || statement.operator !== "await" || others.length > 0) return undefined;
  return specsOf(statement.group).map(({ callee, members }) =>
    callee.kind === "NameCallee" && members.length === 0 ? callee.name.text : "",
  );
}

/**
 * The text in an action that is not Colang: the quoted part, or a line of plain text. Code that may not run is not
 * emitted either.
 */
function plainUtterance(written: string): string | undefined {
  if (looksLikeStatement(written)) return undefined;
  const quoted = /"((?:[^"\\\n]|\\[^\n])*)"/.exec(written)?.[1];
  const text = (quoted ?? (/^\s*(?:bot|user|scene)\s/.test(written) ? "" : bareText(written)))
    .replaceAll('\\"', '"')
    .replaceAll("\\n", "\n")
    .trim();
  return text === "" ? undefined : text;
}
