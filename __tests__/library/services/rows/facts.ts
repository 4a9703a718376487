import { BEARER, KEY, type ServiceRow, TEXT, UNKNOWN } from "./service-row.js";

const EVIDENCE = ["foxes are quick", "dogs are lazy"];

const AUTOALIGN = { key: "autoalign", env: { AUTOALIGN_API_KEY: KEY } };

const task = (name: unknown, guarded: unknown, response: unknown = "") => ({ task: name, guarded, response });

const TASKS = {
  ...AUTOALIGN,
  lines: true as const,
  passes: [task("jailbreak_detection", false), task("pii", false)],
  blocks: [
    [task("jailbreak_detection", true), task("pii", true, "PII redacted text: masked")],
    [task("jailbreak_detection", false), task("pii", false), task("harm_detection", true)],
  ],
  rewrites: {
    reply: [task("jailbreak_detection", false), task("pii", true, "PII redacted text: the fox of [PERSON NAME]")],
    to: "the fox of [PERSON NAME]",
  },
  invalid: [
    [],
    [task("pii", false)],
    [task("jailbreak_detection", "no"), task("pii", false)],
    [task("jailbreak_detection", false), task("pii", true, "the fox")],
    [task("jailbreak_detection", false), task("pii", true)],
    [
      task("jailbreak_detection", false),
      task("pii", true, "PII redacted text: a"),
      task("pii", true, "PII redacted text: b"),
    ],
    [task(1, false)],
  ],
};

const CHOSEN = { guardrails_config: { jailbreak_detection: {}, pii: { enabled_types: ["[PERSON NAME]"] } } };

const TASK_REQUEST = {
  path: "/guard",
  headers: { "x-api-key": KEY },
  body: {
    prompt: TEXT,
    multi_language: false,
    config: {
      jailbreak_detection: { mode: "DETECT" },
      pii: { mode: "DETECT", enabled_types: ["[PERSON NAME]"] },
      harm_detection: { mode: "OFF" },
    },
  },
};

const grounded = (response: unknown) => [task("other", false), task("groundedness_checker", false, response)];

export const FACT_ROWS: readonly ServiceRow[] = [
  {
    ...TASKS,
    flow: "autoalign check input",
    stage: "input",
    settings: { autoalign: { parameters: { endpoint: "<url>/guard" }, input: CHOSEN } },
    request: TASK_REQUEST,
    exception: "AutoAlignInputRailException",
    incomplete: { autoalign: { parameters: { endpoint: "https://example.org" } } },
  },
  {
    ...TASKS,
    flow: "autoalign check output",
    stage: "output",
    settings: { autoalign: { parameters: { endpoint: "<url>/guard" }, output: CHOSEN } },
    request: TASK_REQUEST,
    exception: "AutoAlignOutputRailException",
    incomplete: { autoalign: { output: CHOSEN } },
  },
  {
    ...AUTOALIGN,
    flow: "autoalign factcheck output",
    stage: "output",
    settings: { autoalign: { parameters: { fact_check_endpoint: "<url>/facts", multi_language: true } } },
    request: {
      path: "/facts",
      headers: { "x-api-key": KEY },
      body: { content_moderation_docs: [{ content: TEXT, type: "text_content" }], multi_language: true },
    },
    passes: { all_overall_fact_scores: [0.5] },
    blocks: [{ all_overall_fact_scores: [0.49, 1] }],
    refusal: UNKNOWN,
    exception: "OutputRailException",
    invalid: [{ all_overall_fact_scores: [] }, { all_overall_fact_scores: ["1"] }, { all_overall_fact_scores: [7] }],
    incomplete: {},
  },
  {
    ...AUTOALIGN,
    flow: "autoalign groundedness output",
    stage: "output",
    settings: { autoalign: { parameters: { groundedness_check_endpoint: "<url>/grounded" } } },
    evidence: EVIDENCE,
    lines: true,
    request: {
      path: "/grounded",
      body: { prompt: TEXT, documents: EVIDENCE, config: { groundedness_checker: { verify_response: false } } },
    },
    passes: grounded("Factcheck Score: 0.5"),
    blocks: [grounded("Factcheck Score: 0.25"), grounded("Factcheck Score: 0")],
    refusal: UNKNOWN,
    exception: "OutputRailException",
    invalid: [
      [],
      [task("other", false)],
      grounded("Factcheck Score: high"),
      grounded("Factcheck Score: 1e9"),
      grounded("Factcheck Score: 0.9 or 0.1"),
      [grounded("Factcheck Score: 0.9"), grounded("Factcheck Score: 0.1")].flat(),
      grounded(1),
    ],
    incomplete: {},
  },
  {
    flow: "cleanlab trustworthiness",
    stage: "output",
    key: "cleanlab",
    env: { CLEANLAB_API_KEY: KEY },
    settings: { cleanlab: { server_endpoint: "<url>/score" } },
    request: {
      path: "/score",
      headers: { authorization: `bearer ${KEY}` },
      body: { response: { response: TEXT }, quality: "medium", task: "default" },
    },
    passes: { confidence_score: 0.6, deberta_success: true },
    blocks: [{ confidence_score: 0.59 }],
    refusal: "I'm not sure enough of my answer to give it.",
    exception: "CleanlabTrustworthinessRailException",
    invalid: [{ confidence_score: null }, { confidence_score: 61 }, { confidence_score: 0.9, deberta_success: false }],
  },
  {
    flow: "gotitai rag truthcheck",
    stage: "output",
    key: "gotitai",
    env: { GOTITAI_API_KEY: KEY },
    settings: { gotitai: { server_endpoint: "<url>/truthchecker" } },
    evidence: EVIDENCE,
    request: {
      path: "/truthchecker",
      headers: BEARER,
      body: { knowledge: EVIDENCE.map((text) => ({ text })), generated_text: TEXT, messages: [] },
    },
    passes: { hallucination: "no" },
    blocks: [{ hallucination: "yes" }],
    refusal: UNKNOWN,
    exception: "GotitaiHallucinationRailException",
    invalid: [{ hallucination: null }, { hallucination: false }, { hallucination: "maybe" }, { hallucination: "YES" }],
  },
  {
    flow: "patronus api check output",
    stage: "output",
    key: "patronus",
    env: { PATRONUS_API_KEY: KEY },
    settings: {
      patronus: {
        server_endpoint: "<url>/v1/evaluate",
        output: {
          evaluate_config: {
            params: { evaluators: [{ evaluator: "lynx" }, { evaluator: "judge" }], tags: { app: "x" } },
          },
        },
      },
    },
    request: {
      path: "/v1/evaluate",
      headers: { "x-api-key": KEY },
      body: {
        evaluators: [{ evaluator: "lynx" }, { evaluator: "judge" }],
        tags: { app: "x" },
        evaluated_model_output: TEXT,
        evaluated_model_retrieved_context: null,
      },
    },
    passes: { results: [{ evaluation_result: { pass: true } }, { evaluation_result: { pass: true } }] },
    blocks: [{ results: [{ evaluation_result: { pass: true } }, { evaluation_result: { pass: false } }] }],
    refusal: UNKNOWN,
    exception: "OutputRailException",
    invalid: [
      { results: [] },
      { results: [{ evaluation_result: { pass: true } }] },
      { results: [{ evaluation_result: null }] },
      { results: [{ evaluation_result: { pass: "true" } }] },
      { results: [{ evaluation_result: { pass: true } }, {}] },
    ],
    incomplete: { patronus: { output: { evaluate_config: { params: { evaluators: ["lynx"] } } } } },
  },
];
