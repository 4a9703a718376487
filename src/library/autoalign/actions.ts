import { isMap } from "../../engine/plain-data.js";
import type { ConnectTools } from "../http/connect-tools.js";
import type { Reply } from "../http/reply.js";
import { type Question, serviceCode, type ServiceVerdict } from "../http/service-code.js";

type Tasks = Readonly<Record<string, unknown>>;

interface AutoalignSettings {
  readonly parameters: {
    readonly endpoint: string | null;
    readonly fact_check_endpoint: string | null;
    readonly groundedness_check_endpoint: string | null;
    readonly multi_language: boolean;
  };
  readonly input: { readonly guardrails_config: Tasks };
  readonly output: { readonly guardrails_config: Tasks };
}

/** Tasks that the service runs unless they are switched off. */
const TASKS = [
  "pii",
  "confidential_info_detection",
  "gender_bias_detection",
  "harm_detection",
  "toxicity_detection",
  "racial_bias_detection",
  "tonal_detection",
  "jailbreak_detection",
  "intellectual_property",
];

/** Tasks that rewrite a text, with the prefix of their output. */
const REWRITING: ReadonlySet<string> = new Set(["pii", "pii_fast"]);
const REWRITTEN = "PII redacted text: ";
const GROUNDED = "Factcheck Score: ";

/** Minimum score of an answer that passes. */
const THRESHOLD = 0.5;

/** Addresses by flow. */
const ADDRESSES = {
  "autoalign check input": "endpoint",
  "autoalign check output": "endpoint",
  "autoalign factcheck output": "fact_check_endpoint",
  "autoalign groundedness output": "groundedness_check_endpoint",
} as const;

export const { actions, prepare } = serviceCode<AutoalignSettings>({
  rail: "autoalign",
  title: "AutoAlign",
  connect(settings, tools) {
    const key = tools.key("AUTOALIGN_API_KEY");
    checkSettings(settings, tools);
    // Each flow has its own address.
    return { url: "", headers: { "x-api-key": key }, secrets: [key], prepared: key };
  },
  ask: (question) => {
    if (question.ask === "facts") return checkFacts(question);
    return question.ask === "groundedness" ? checkGroundedness(question) : runTasks(question);
  },
});

function checkSettings({ parameters, ...sides }: AutoalignSettings, tools: ConnectTools): void {
  for (const [flow, name] of Object.entries(ADDRESSES)) {
    if (!tools.lists(flow)) continue;
    tools.address(parameters[name], ["parameters", name], `set it to the address that \`${flow}\` calls`);
    const side = flow.endsWith("input") ? "input" : "output";
    checkTasks(sides[side].guardrails_config, [side, "guardrails_config"], tools);
    if (name !== "endpoint" || Object.keys(sides[side].guardrails_config).length > 0) continue;
    const hint = "name at least one task, such as `jailbreak_detection: {}`";
    tools.report({ code: "CF-105", path: [side, "guardrails_config"], message: "the rail has no tasks to run", hint });
  }
}

/** Reports tasks whose settings are not an object: the request would not contain them. */
function checkTasks(tasks: Tasks, path: readonly string[], tools: ConnectTools): void {
  for (const [task, settings] of Object.entries(tasks)) {
    if (settings === null || isMap(settings)) continue;
    const hint = `write \`${task}: {}\`, or the settings of the task in the braces`;
    tools.report({
      path: [...path, task],
      message: `the settings of the task \`${task}\` are not keys and values`,
      hint,
    });
  }
}

async function runTasks({ text, source, settings, send }: Question<AutoalignSettings>): Promise<ServiceVerdict> {
  const { guardrails_config: chosen } = settings[source === "output" ? "output" : "input"];
  const config = Object.fromEntries([
    ...TASKS.map((task) => [task, { mode: "OFF" }] as const),
    ...Object.entries(chosen).map(
      ([task, taskSettings]) => [task, { mode: "DETECT", ...(taskSettings as object | null) }] as const,
    ),
  ]);
  const { endpoint, multi_language } = settings.parameters;
  const reply = await send({ url: endpoint ?? "", body: { prompt: text, config, multi_language }, format: "ndjson" });
  const results = reply.items().map((result) => ({ task: result.at("task").text(), result }));
  // INVARIANT: without a result for each task there is no verdict.
  const isMissing = (task: string): boolean => results.every((taskResult) => taskResult.task !== task);
  if (Object.keys(chosen).some(isMissing)) return reply.fail("a list with a result for each task");
  const guarded = results.filter(({ result }) => result.at("guarded").flag());
  const categories = guarded.map(({ task }) => task);
  const masked = guarded.filter(({ task }) => REWRITING.has(task));
  if (guarded.length > masked.length) return { blocked: true, categories };
  if (masked.length > 1) return reply.fail("a list with one redacted text");
  return { blocked: false, text: masked[0] && redactedText(masked[0].result.at("response")), categories };
}

function redactedText(response: Reply): string {
  const text = response.text();
  return text.startsWith(REWRITTEN) ? text.slice(REWRITTEN.length) : response.fail("a redacted text");
}

async function checkFacts(question: Question<AutoalignSettings>): Promise<ServiceVerdict> {
  const { text, userMessage, settings, prepared, send } = question;
  const { fact_check_endpoint: url, multi_language } = settings.parameters;
  const document = { content: text, type: "text_content", file_name: "HighlightedText.txt" };
  const body = {
    labels: { session_id: "langchain-guardrails", api_key: prepared },
    content_moderation_docs: [document],
    user_query: userMessage,
    config: settings.output.guardrails_config,
    multi_language,
  };
  const score = (await send({ url: url ?? "", body })).at("all_overall_fact_scores", 0).ratio();
  return { blocked: score < THRESHOLD, score, threshold: THRESHOLD, reason: "score of the facts" };
}

async function checkGroundedness(question: Question<AutoalignSettings>): Promise<ServiceVerdict> {
  const { text, evidence, settings, send } = question;
  if (evidence.length === 0) return { blocked: false, reason: "there is no evidence" };
  const config = { groundedness_checker: { verify_response: false }, ...settings.output.guardrails_config };
  const url = settings.parameters.groundedness_check_endpoint ?? "";
  const reply = await send({ url, body: { prompt: text, documents: evidence, config }, format: "ndjson" });
  const [result, ...others] = reply
    .items()
    .filter((taskResult) => taskResult.at("task").text() === "groundedness_checker");
  if (result === undefined || others.length > 0) return reply.fail("a list with one result of `groundedness_checker`");
  const response = result.at("response");
  const shown = response.text();
  const score = /^Factcheck Score: (?:0(?:\.\d{1,20})?|1(?:\.0{1,20})?)$/.test(shown)
    ? Number(shown.slice(GROUNDED.length))
    : response.fail("a score from 0 to 1");
  return { blocked: score < THRESHOLD, score, threshold: THRESHOLD, reason: "score of the evidence" };
}
