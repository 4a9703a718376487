import { MODEL_SERVICE_ROWS } from "./service-rows-models.js";
import { KEY, type ServiceRow, TEXT } from "./service-row.js";

const UNKNOWN = "I'm sorry, I don't know the answer to that.";
const POLICY = "01234567-89ab-cdef-0123-456789abcdef";

const BEARER = { authorization: `Bearer ${KEY}` };

const clavata = (outcome: string, ...labels: readonly (readonly [string, string])[]) => ({
  job: {
    status: "JOB_STATUS_COMPLETED",
    results: [
      {
        report: {
          result: outcome,
          sectionEvaluationReports: labels.map(([name, result]) => ({ name, message: "", result })),
        },
      },
    ],
  },
});

const CLAVATA = {
  key: "clavata",
  env: { CLAVATA_API_KEY: KEY },
  passes: clavata("OUTCOME_FALSE", ["spam", "OUTCOME_FALSE"]),
  blocks: [clavata("OUTCOME_TRUE", ["spam", "OUTCOME_TRUE"])],
  request: {
    path: "/v1/jobs",
    headers: BEARER,
    body: { content_data: [{ text: TEXT }], policy_id: POLICY, wait_for_completion: true },
  },
  invalid: [
    { job: { status: "JOB_STATUS_RUNNING", results: [] } },
    { job: { status: "JOB_STATUS_COMPLETED", results: [] } },
    clavata("OUTCOME_FAILED"),
    clavata("OUTCOME_FALSE", ["spam", "maybe"]),
  ],
};

const PANGEA = {
  key: "pangea",
  env: { PANGEA_API_TOKEN: KEY, PANGEA_BASE_URL_TEMPLATE: "<url>/{SERVICE_NAME}" },
  passes: { result: { blocked: false, transformed: false, prompt_messages: [] } },
  blocks: [{ result: { blocked: true, transformed: true, prompt_messages: [{ role: "user", content: "x" }] } }],
  invalid: [
    { result: {} },
    { result: { blocked: "false" } },
    { result: { blocked: false, transformed: true } },
    { result: { blocked: false, transformed: true, prompt_messages: [{ role: "system", content: "x" }] } },
    { result: { blocked: false, transformed: true, prompt_messages: [{ role: "user" }, { role: "assistant" }] } },
  ],
};

const PRIVATE_AI = {
  key: "privateai",
  env: { PAI_API_KEY: KEY },
  settings: { privateai: { server_endpoint: "<url>/process/text", output: { entities: ["NAME"] } } },
  passes: [{ entities_present: false, processed_text: TEXT }],
  invalid: [
    [],
    [{ entities_present: "no", processed_text: TEXT }],
    [{ entities_present: true, processed_text: TEXT }],
    [{ entities_present: true }],
    [
      { entities_present: false, processed_text: TEXT },
      { entities_present: true, processed_text: "x" },
    ],
    { entities_present: false },
  ],
};

const PII_FOUND = [{ entities_present: true, processed_text: "the quick brown fox of [NAME_1]" }];

export const SERVICE_ROWS: readonly ServiceRow[] = [
  ...MODEL_SERVICE_ROWS,
  {
    ...CLAVATA,
    flow: "clavata check input",
    stage: "input",
    settings: { clavata: { server_endpoint: "<url>/", input: { policy: POLICY } } },
    incomplete: { clavata: { input: { policy: "unknown" } } },
  },
  {
    ...CLAVATA,
    flow: "clavata check output",
    stage: "output",
    settings: {
      clavata: {
        server_endpoint: "<url>",
        policies: { toxic: POLICY },
        label_match_logic: "ALL",
        output: { policy: "toxic", labels: ["spam", "scam"] },
      },
    },
    passes: clavata("OUTCOME_TRUE", ["spam", "OUTCOME_TRUE"], ["scam", "OUTCOME_FALSE"]),
    blocks: [clavata("OUTCOME_TRUE", ["spam", "OUTCOME_TRUE"], ["scam", "OUTCOME_TRUE"])],
    incomplete: {},
  },
  {
    ...PANGEA,
    flow: "pangea ai guard input",
    stage: "input",
    settings: { pangea: { input: { recipe: "strict" } } },
    request: {
      path: "/ai-guard/v1/text/guard",
      headers: BEARER,
      body: { messages: [{ role: "user", content: TEXT }], recipe: "strict" },
    },
    rewrites: {
      reply: { result: { blocked: false, transformed: true, prompt_messages: [{ role: "user", content: "masked" }] } },
      to: "masked",
    },
  },
  {
    ...PANGEA,
    flow: "pangea ai guard output",
    stage: "output",
    settings: {},
    request: { path: "/ai-guard/v1/text/guard", body: { messages: [{ role: "assistant", content: TEXT }] } },
    rewrites: {
      reply: {
        result: { blocked: false, transformed: true, prompt_messages: [{ role: "assistant", content: "masked" }] },
      },
      to: "masked",
    },
  },
  ...(["input", "output", "retrieval"] as const).flatMap((stage): ServiceRow[] => [
    {
      ...PRIVATE_AI,
      flow: `detect pii on ${stage}`,
      stage,
      request: {
        path: "/process/text",
        headers: { "x-api-key": KEY },
        body: {
          text: [TEXT],
          link_batch: false,
          entity_detection: { accuracy: "high_automatic", return_entity: false },
        },
      },
      blocks: [PII_FOUND],
      refusal: UNKNOWN,
      incomplete: { privateai: { server_endpoint: "ftp://example.org" } },
    },
    {
      ...PRIVATE_AI,
      flow: `mask pii on ${stage}`,
      stage,
      request: {
        path: "/process/text",
        body: stage === "output" ? { entity_detection: { entity_types: [{ type: "ENABLE", value: ["NAME"] }] } } : {},
      },
      rewrites: { reply: PII_FOUND, to: "the quick brown fox of [NAME_1]" },
      incomplete: { privateai: { server_endpoint: "https://ada:secret@example.org" } },
    },
  ]),
];
