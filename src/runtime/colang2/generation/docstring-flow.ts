import type { CompiledFlow } from "../../../colang2/program.js";
import { parseColang2 } from "../../../colang2/parse/parse.js";
import { ActionError } from "../../../diagnostics/errors.js";
import { createSourceFile } from "../../../diagnostics/source-file.js";
import { createPromptDialect } from "../../../llm/templates/filters/prompt.js";
import { loadTemplateSyntax } from "../../../llm/templates/template-syntax.js";
import { compileTemplate, resolveFrom } from "../../../llm/templates/template.js";
import type { FlowScope } from "./conversation-access.js";
import type { GeneratedFlow } from "./generated-flows.js";
import { dynamicName, flowNameOf, plainName } from "./flow-name.js";
import { printInteractionHistory, oneLine, quoted } from "../../../llm/prompts/interaction-history.js";
import { logEvents, type Colang2Step, runColang2Task } from "./services.js";
import { bodyLines, usableFlow } from "./written-body.js";
import { toPythonText } from "../../../expressions/values/format.js";
import { toValue } from "../../../expressions/values/value.js";

const ACTION = "GenerateFlowAction";
const TASK = "generate_flow_continuation_from_flow_nld";

/**
 * Generates the next steps of a flow, as a flow over its variables: the generation operator. The docstring of the flow,
 * or of the nearest ancestor with one, describes the task to the model.
 *
 * @throws ActionError if there is no docstring, ModelError if the model call fails
 */
export async function generateFlow(
  flowId: string,
  actionUid: string | undefined,
  step: Colang2Step,
): Promise<GeneratedFlow> {
  const { access } = step;
  const scope = access.scopeOf(flowId, actionUid);
  const tools = toolsOf(access.definitions.values());
  const flowNld = await renderDocstring(scope, tools, step);
  const known = knownValues(scope.variables);
  const { text } = await runColang2Task(step, TASK, { flow_nld: flowNld, ...tools, known });
  const waiting = access.definitions.has("wait user input")
    ? "wait user input"
    : "match UtteranceUserAction.Finished()";
  const body = continuationBody(bodyLines(text), waiting);
  const name = dynamicName(access.nextId(), flowNameOf(plainName(flowId)) ?? "continuation");
  return { name, parameters: [], body: usableFlow({ name, body }, step) };
}

/** Headers of the flows tagged as tools, with their descriptions and names. */
function toolsOf(flows: Iterable<CompiledFlow>) {
  const toolFlows = [...flows].filter(({ meta }) => Object.hasOwn(meta, "tool") && meta["tool"] === true);
  const headers = toolFlows.map(({ sourceText, docstring }) => {
    const header = sourceText.split("\n").find((line) => line.startsWith("flow ")) ?? "";
    const text = docstring?.trim() ?? "";
    return text === "" ? header : `${header}\n  """${text}"""`;
  });
  return { tools: headers.join("\n\n"), tool_names: toolFlows.map(({ id }) => id).join(", ") };
}

const DIALECT = createPromptDialect(printInteractionHistory);

/**
 * Docstrings interpolate like all strings; one with `{{ … }}` or `{% … %}` is a prompt template with the filters and
 * the `history` of prompts, as in `{{ history | co_v2 }}`.
 */
async function renderDocstring(scope: FlowScope, tools: object, step: Colang2Step): Promise<string> {
  if (scope.docstring === undefined) {
    throw new ActionError("expected a flow with a docstring that describes its task", { action: ACTION });
  }
  const flow = step.access.definitions.get(scope.docstringFlow ?? "");
  const written = flow === undefined ? undefined : writtenDocstring(flow);
  if (written === undefined || !/\{\{|\{%/.test(written)) return scope.docstring.trim();
  await loadTemplateSyntax();
  const { template } = compileTemplate(written, DIALECT);
  if (template === undefined)
    throw new ActionError("expected the docstring of the flow to be a template", { action: ACTION });
  const history = logEvents(step.access.history);
  return template.render(resolveFrom({ ...step.globals, ...scope.variables, ...tools, history })).trim();
}

/** The docstring as written in the source, including braces. */
function writtenDocstring({ id, sourceText }: CompiledFlow): string | undefined {
  const [first] = parseColang2(createSourceFile(id, sourceText)).ast.flows[0]?.body ?? [];
  if (first?.kind !== "Docstring") return undefined;
  const text = first.span.source.text.slice(first.value.start, first.value.end);
  const quotes = /^("""|'''|["'])/.exec(text)?.[0].length ?? 0;
  return text.slice(quotes, text.length - quotes);
}

/** Statements that wait for the user. */
const WAITS_FOR_USER =
  /^(?:\$\w+\s*=\s*)?(?:(?:await|match|when|or when)\s+)?(?:user\s+\S|wait user input\b|UtteranceUserAction\b)/;

const AWAITS = /^(?:\$\w+\s*=\s*)?await\s/;

const ARROW = /^(?:await\s+)?([^"'$=]\S.*?)\s*->\s*(\$\w+)$/;

/**
 * The predictable part of a generated body. The rest, after a wait for the user or an awaited result, is generated once
 * the outcome is known.
 *
 * @param waiting - the statement that waits for the user
 *
 * @example
 * ```ts
 * continuationBody(['bot ask "Where to?"', "user answers", "bot say \"Fine\""], "wait user input");
 * // ['bot ask "Where to?"', "wait user input", "..."]
 * ```
 */
export function continuationBody(lines: readonly string[], waiting: string): readonly string[] {
  const body: string[] = [];
  for (const line of lines) {
    const statement = line.trim();
    const margin = line.slice(0, line.length - line.trimStart().length);
    if (statement.startsWith("...") && !/^\.\.\.\s*["']/.test(statement)) return [...body, `${margin}...`];
    if (WAITS_FOR_USER.test(statement)) return [...body, `${margin}${waiting}`, `${margin}...`];
    const assigned = ARROW.exec(statement);
    const rewritten = assigned === null ? statement : `${assigned[2]} = await ${assigned[1]}`;
    body.push(margin + rewritten);
    if (AWAITS.test(rewritten)) return [...body, `${margin}...`];
  }
  return body;
}

const MAX_VALUES = 30;

const MAX_LENGTH = 500;

/** Printed form of references, which a model cannot use. */
const REFERENCE = /^<(?:flow|action|event|Pattern) /;

/**
 * Variables of a flow as assignments, for a model that continues it: tool results and user answers. Variables without a
 * value are left out, and long values are truncated.
 *
 * @example
 * ```ts
 * knownValues({ day: "Friday", guests: 2 }); // '$day = "Friday"\n$guests = 2'
 * ```
 */
export function knownValues(variables: Readonly<Record<string, unknown>>): string {
  return Object.entries(variables)
    .filter(
      ([, value]) => value !== null && value !== undefined && !(typeof value === "string" && REFERENCE.test(value)),
    )
    .slice(0, MAX_VALUES)
    .map(([name, value]) => {
      const written = typeof value === "string" ? quoted(value) : oneLine(toPythonText(toValue(value)));
      return `$${name} = ${written.length > MAX_LENGTH ? `${written.slice(0, MAX_LENGTH)}…` : written}`;
    })
    .join("\n");
}
