import type { FlowAction, RailFlow, RailFlowStage } from "./rail-manifest.js";

/** Context variable that a rewriting rail of a stage sets. */
const TEXTS: Readonly<Record<RailFlowStage, string>> = {
  input: "user_message",
  output: "bot_message",
  retrieval: "relevant_chunks",
  tool_output: "tool_args",
  tool_input: "tool_message",
  dialog: "bot_message",
};

/** Context variable that a rail of a stage reads; for retrieval, the separate chunks. */
const READ: typeof TEXTS = { ...TEXTS, retrieval: "relevant_chunks_sep" };

const SUBJECTS: Readonly<Record<RailFlowStage, string>> = {
  input: "The user's message",
  output: "The bot's message",
  retrieval: "The retrieved text",
  tool_output: "A tool call",
  tool_input: "The result of a tool",
  dialog: "The bot's message",
};

const REFUSALS: Readonly<Record<RailFlowStage, string>> = {
  input: "refuse to respond",
  output: "refuse to respond",
  retrieval: "refuse to respond",
  tool_output: "refuse tool call",
  tool_input: "withhold tool result",
  dialog: "refuse to respond",
};

/** Returns the Colang 1.0 source of the flows that have an action; empty if there are none. */
export function writeFlows1(described: readonly RailFlow[]): string {
  return writtenFlows(described).map(flow1).join("\n");
}

/**
 * Returns the Colang 2.x source of the flows that have an action; empty if there are none.
 *
 * @param replaced - library module whose flows they replace
 */
export function writeFlows2(described: readonly RailFlow[], replaced?: string): string {
  const flows = writtenFlows(described);
  if (flows.length === 0) return "";
  const imports = ["core", "library.messages", ...(replaced === undefined ? [] : [`library.${replaced}`])];
  const override = replaced === undefined ? "" : "@override\n";
  const head = imports.map((name) => `import ${name}\n`).join("");
  return `${head}\n${flows.map((flow) => override + flow2(flow)).join("\n")}`;
}

type WrittenFlow = RailFlow & { readonly runs: FlowAction };

function writtenFlows(flows: readonly RailFlow[]): readonly WrittenFlow[] {
  return flows.filter((flow): flow is WrittenFlow => flow.runs !== undefined);
}

function flow1(flow: WrittenFlow): string {
  const { name, stage, runs } = flow;
  const { verdict, test } = readingOf(runs);
  const head = [`define subflow ${name}`, ...statedScope1(flow)];
  const lines: string[] = [];
  const rewrites = flow.rewrites === true && runs.blocks !== true;
  lines.push(
    `  $${rewrites ? TEXTS[stage] : `_${verdict}`} = execute ${runs.action}(${argumentsOf(flow)})`,
    ...resetParameters(runs),
  );
  if (rewrites) return printFlow(head, lines, runs);
  lines.push(
    ...fieldsOf(runs, "_verdict"),
    `  if ${test("$_")}`,
    "    if $config.enable_rails_exceptions",
    ...byCase(
      flow,
      "else if",
      "$_",
      (caseFlow) => `create event ${exceptionOf(caseFlow)}(message="${messageOf(caseFlow)}")`,
    ),
    "    else",
    ...byCase(flow, "else if", "$_", (caseFlow) => `bot ${refusalOf(caseFlow)}`),
    "    stop",
  );
  // INVARIANT: no variable keeps the text that the rail read.
  if (runs.blocks === true) lines.push(`  $${TEXTS[stage]} = $_verdict.text`, "  $_verdict = None");
  return printFlow(head, lines, runs);
}

/** Returns a flow whose body runs under a condition. */
function printFlow(head: readonly string[], lines: readonly string[], { onRequest }: FlowAction): string {
  if (onRequest === undefined) return `${[...head, ...lines].join("\n")}\n`;
  const variable = `$${onRequest}`;
  const condition = [`  if ${variable} or $_own_evidence`, `    if ${variable}`, `      ${variable} = False`];
  return `${[...head, ...condition, ...lines.map((line) => `  ${line}`)].join("\n")}\n`;
}

/** Returns the variable with the result of an action, and the condition for a block. */
function readingOf({ sets, blocks, cases }: FlowAction) {
  const isBlocking = blocks === true || cases !== undefined;
  const verdict = sets === undefined && !isBlocking ? "is_found" : "verdict";
  const test = (prefix: string): string =>
    isBlocking ? `${prefix}verdict.blocked` : sets === undefined ? `${prefix}is_found` : `not ${prefix}verdict.allowed`;
  return { verdict, test };
}

/** Returns the lines of a block, with a branch for each case. */
function byCase(
  flow: WrittenFlow,
  otherwise: "else if" | "elif",
  prefix: string,
  write: (caseFlow: WrittenFlow) => string,
): readonly string[] {
  const cases = Object.entries(flow.runs.cases ?? {});
  if (cases.length === 0) return [`      ${write(flow)}`];
  const lines = cases.flatMap(([name, caseFlow], index) => [
    `      ${index === 0 ? "if" : otherwise} ${prefix}verdict.case == "${name}"`,
    `        ${write({ ...flow, runs: { ...flow.runs, ...caseFlow } })}`,
  ]);
  return [...lines, "      else", `        ${write(flow)}`];
}

function parametersOf({ parameters = [] }: FlowAction): readonly string[] {
  return [...parameters, "variant"];
}

/** Returns lines that reset the variables of a reference. They last for the turn, and the next rail must not read them. */
function resetParameters(runs: FlowAction): readonly string[] {
  return parametersOf(runs).flatMap((name) => [`  if $${name}`, `    $${name} = None`]);
}

/** Returns lines that copy fields of the result to variables. */
function fieldsOf({ sets = {} }: FlowAction, result: string): readonly string[] {
  return Object.entries(sets).map(([name, field]) => `  $${name} = $${result}.${field}`);
}

function flow2(flow: WrittenFlow): string {
  const { name, stage, runs } = flow;
  const { onRequest } = runs;
  const call = `await ${camelCase(runs.action)}Action(${argumentsOf(flow)})`;
  const { verdict, test } = readingOf(runs);
  const [text, read] = [TEXTS[stage], READ[stage]];
  const rewritten = flow.rewrites === true ? [text] : [];
  const asked = onRequest === undefined ? [] : [onRequest, "_own_evidence"];
  const globals = new Set([...rewritten, read, ...Object.keys(runs.sets ?? {}), ...asked]);
  const head = [
    `@meta(${["llm_exclude=True", ...statedScope2(flow)].join(", ")})`,
    `flow ${name} ${parametersOf(runs)
      .map((variable) => `$${variable}=None`)
      .join(" ")}`,
    `  global ${[...globals].map((variable) => `$${variable}`).join(", ")}`,
  ];
  if (flow.rewrites === true && runs.blocks !== true) return printFlow(head, [`  $${text} = ${call}`], runs);
  const lines = [
    `  $${verdict} = ${call}`,
    ...fieldsOf(runs, "verdict"),
    `  if ${test("$")}`,
    "    if $system.config.enable_rails_exceptions",
    ...byCase(flow, "elif", "$", (caseFlow) => `send ${exceptionOf(caseFlow)}(message="${messageOf(caseFlow)}")`),
    "    else",
    // Names of flows cannot contain the keyword.
    ...byCase(flow, "elif", "$", (caseFlow) => `bot ${refusalOf(caseFlow).replaceAll(" or ", "_or_")}`),
    "    abort",
    ...(runs.blocks === true ? [`  $${text} = $verdict.text`] : []),
  ];
  return printFlow(head, lines, runs);
}

function argumentsOf({ stage, runs }: WrittenFlow): string {
  const given = Object.entries(runs.arguments ?? {}).map(([name, value]) => `${name}="${value}"`);
  const passed = parametersOf(runs).map((name) => `${name}=$${name}`);
  return [`source="${stage}"`, `text=$${READ[stage]}`, ...given, ...passed].join(", ");
}

/** Returns the smallest part of a stream that the rail can check, unless it is a window. */
function statedScope1({ stream = "window" }: WrittenFlow): readonly string[] {
  return stream === "window" ? [] : [`  meta {"stream": "${stream}"}`];
}

function statedScope2({ stream = "window" }: WrittenFlow): readonly string[] {
  return stream === "window" ? [] : [`stream="${stream}"`];
}

function refusalOf({ stage, runs }: WrittenFlow): string {
  return runs.refusal ?? REFUSALS[stage];
}

function exceptionOf({ stage, runs }: WrittenFlow): string {
  return runs.exception ?? `${camelCase(stage)}RailException`;
}

function messageOf({ name, stage }: WrittenFlow): string {
  return `${SUBJECTS[stage]} was blocked by the rail \`${name}\`.`;
}

function camelCase(name: string): string {
  return name.replace(/(?:^|_)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
