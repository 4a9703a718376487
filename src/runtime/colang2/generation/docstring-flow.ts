import type { CompiledFlow } from "../../../colang2/program.js";
import { parseColang2 } from "../../../colang2/parse/parse.js";
import { ActionError } from "../../../diagnostics/errors.js";
import { createSourceFile } from "../../../diagnostics/source-file.js";
import { promptFilters } from "../../../llm/templates/filters/prompt.js";
import { loadTemplateSyntax } from "../../../llm/templates/template-syntax.js";
import { compileTemplate, resolveFrom } from "../../../llm/templates/template.js";
import type { FlowScope } from "./conversation-access.js";
import { continuationBody } from "./continuation-body.js";
import type { GeneratedFlow } from "./flow-continuation.js";
import { dynamicName, flowNameOf, plainName } from "./flow-name.js";
import { knownValues } from "./known-values.js";
import { printInteractionHistory } from "../../../llm/prompts/interaction-history.js";
import { historyEvents } from "./print-history.js";
import { type Colang2Step, runColang2Task } from "./services.js";
import { bodyLines, flowText, isUsableFlow, sayingFlow } from "./written-body.js";

const ACTION = "GenerateFlowAction";
const TASK = "generate_flow_continuation_from_flow_nld";

/**
 * What a flow is to do next, as a flow that runs over its variables (spec 9.4.7): the generation operator. The docstring of
 * the flow, or of the nearest one that started it, tells the model what it is about.
 *
 * @throws ActionError when there is no docstring, ModelError when the model call fails
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
  const { text } = await runColang2Task(step, { task: TASK, variables: { flow_nld: flowNld, ...tools, known } });
  const waiting = access.definitions.has("wait user input")
    ? "wait user input"
    : "match UtteranceUserAction.Finished()";
  const body = continuationBody(bodyLines(text), waiting);
  const name = dynamicName(access.nextId(), flowNameOf(plainName(flowId)) ?? "continuation");
  const flow = flowText({ name, body });
  if (isUsableFlow(flow, step)) return { name, parameters: [], body: flow };
  return { name, parameters: [], body: flowText(sayingFlow(name, step.settings.messages.no_answer, step)) };
}

interface Tools {
  /** Headers of the flows tagged as tools, with what each says of itself. */
  readonly tools: string;
  readonly tool_names: string;
}

function toolsOf(flows: Iterable<CompiledFlow>): Tools {
  const found = [...flows].filter(({ meta }) => Object.hasOwn(meta, "tool") && meta["tool"] === true);
  const headers = found.map(({ sourceText, docstring }) => {
    const header = sourceText.split("\n").find((line) => line.startsWith("flow ")) ?? "";
    const text = docstring?.trim() ?? "";
    return text === "" ? header : `${header}\n  """${text}"""`;
  });
  return { tools: headers.join("\n\n"), tool_names: found.map(({ id }) => id).join(", ") };
}

const FILTERS = promptFilters(printInteractionHistory);

/**
 * Docstrings interpolate as all strings do; one with `{{ … }}` or `{% … %}` is a prompt template with the filters and the
 * `history` of prompts, as in `{{ history | co_v2 }}`.
 */
async function renderDocstring(scope: FlowScope, tools: Tools, step: Colang2Step): Promise<string> {
  if (scope.docstring === undefined) {
    throw new ActionError("the flow has no docstring that tells what it is to do", { action: ACTION });
  }
  const flow = step.access.definitions.get(scope.docstringFlow ?? "");
  const written = flow === undefined ? undefined : writtenDocstring(flow);
  if (written === undefined || !/\{\{|\{%/.test(written)) return scope.docstring.trim();
  await loadTemplateSyntax();
  const { template } = compileTemplate(written, { filters: FILTERS });
  if (template === undefined) throw new ActionError("the docstring of the flow is no template", { action: ACTION });
  const history = historyEvents(step.access.history);
  return template.render(resolveFrom({ ...step.globals, ...scope.variables, ...tools, history })).trim();
}

/** The docstring as it stands in the source, braces as written. */
function writtenDocstring({ id, sourceText }: CompiledFlow): string | undefined {
  const [first] = parseColang2(createSourceFile(id, sourceText)).ast.flows[0]?.body ?? [];
  if (first?.kind !== "Docstring") return undefined;
  const text = first.span.source.text.slice(first.value.start, first.value.end);
  const quotes = /^("""|'''|["'])/.exec(text)?.[0].length ?? 0;
  return text.slice(quotes, text.length - quotes);
}
