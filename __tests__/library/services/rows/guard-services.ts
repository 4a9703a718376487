import { BEARER, KEY, type ServiceRow, TEXT, UNKNOWN } from "./service-row.js";

const STAGES = ["input", "output"] as const;
const ALL = ["input", "output", "retrieval"] as const;

const PROMPT_SECURITY = STAGES.map((stage): ServiceRow => {
  const side = stage === "input" ? "prompt" : "response";
  return {
    flow: `protect ${side}`,
    stage,
    key: "prompt_security",
    env: { PS_APP_ID: KEY, PS_PROTECT_URL: "<url>/api/protect" },
    settings: {},
    request: { path: "/api/protect", headers: { "app-id": KEY }, body: { [side]: TEXT } },
    passes: { result: { action: "log" } },
    blocks: [{ result: { action: "block" } }, { result: { action: "block", [side]: { modified_text: "x" } } }],
    refusal: UNKNOWN,
    rewrites: { reply: { result: { action: "modify", [side]: { modified_text: "masked" } } }, to: "masked" },
    invalid: [
      { result: {} },
      { result: { action: "allow" } },
      { result: { action: "modify" } },
      { result: { action: "modify", [side]: {} } },
      { result: { action: "modify", [side === "prompt" ? "response" : "prompt"]: { modified_text: "x" } } },
    ],
  };
});

const TREND_MICRO = STAGES.map((stage): ServiceRow => ({
  flow: `trend ai guard ${stage}`,
  stage,
  key: "trend_micro",
  env: { V1_API_KEY: KEY },
  settings: { trend_micro: { v1_url: "<url>/guard", api_key_env_var: "V1_API_KEY" } },
  request: { path: "/guard", headers: BEARER, body: { guard: TEXT } },
  passes: { action: "Allow", reason: "" },
  blocks: [
    { action: "Block", reason: KEY },
    { action: "block", reason: "x" },
  ],
  exception: "TrendAiGuardException",
  invalid: [{ action: "Maybe" }, { action: true }, { reason: "fine" }],
  incomplete: { trend_micro: { v1_url: "http://127.0.0.1:9" } },
}));

const AI_DEFENSE = STAGES.map((stage): ServiceRow => ({
  flow: `ai defense inspect ${stage === "input" ? "prompt" : "response"}`,
  stage,
  key: "ai_defense",
  env: { AI_DEFENSE_API_KEY: KEY, AI_DEFENSE_API_ENDPOINT: "<url>/api/v1/inspect/chat" },
  settings: { ai_defense: { timeout: 10 } },
  request: {
    path: "/api/v1/inspect/chat",
    headers: { "x-cisco-ai-defense-api-key": KEY },
    body: { messages: [{ role: stage === "input" ? "user" : "assistant", content: TEXT }] },
  },
  passes: { is_safe: true, rules: [] },
  blocks: [
    { is_safe: false, rules: [{ rule_name: "Prompt Injection", classification: "SECURITY_VIOLATION" }] },
    { is_safe: false, action: "Block" },
  ],
  exception: "AIDefenseRailException",
  invalid: [
    { is_safe: true, rules: [true] },
    { is_safe: true, rules: [{}] },
    { is_safe: true, rules: [{ rule_name: "Prompt Injection", classification: "SECURITY_VIOLATION" }] },
    { is_safe: "true" },
    { rules: [] },
    { is_safe: true, action: "Block" },
    { is_safe: false, rules: [{}] },
  ],
}));

const GUARDRAILS_AI = STAGES.map((stage): ServiceRow => ({
  flow: `guardrailsai check ${stage} $validator=toxic_language`,
  stage,
  key: "guardrails_ai",
  env: {},
  settings: {
    guardrails_ai: {
      server_endpoint: "<url>/",
      validators: [{ name: "toxic_language", metadata: { threshold: 0.5 } }],
      [stage]: { validators: [{ name: "another" }] },
    },
  },
  request: {
    path: "/guards/toxic_language/validate",
    body: { llmOutput: TEXT, metadata: { threshold: 0.5 } },
  },
  passes: { validationPassed: true, validatedOutput: TEXT },
  blocks: [{ validationPassed: false }, { validation_passed: false }],
  invalid: [
    { validationPassed: "true" },
    { validatedOutput: TEXT },
    { validationPassed: true, validation_passed: false },
  ],
  incomplete: { guardrails_ai: { validators: [{ name: "toxic_language" }] } },
}));

const POLICY_AI = STAGES.map((stage): ServiceRow => ({
  flow: `policyai moderation on ${stage}`,
  stage,
  key: "policyai",
  env: { POLICYAI_API_KEY: KEY, POLICYAI_BASE_URL: "<url>", POLICYAI_TAG_NAME: "my tag" },
  settings: {},
  request: {
    path: "/policyai/v1/decisions/evaluate/my%20tag",
    headers: { "musubi-api-key": KEY },
    body: { content: [{ type: "TEXT", content: TEXT }] },
  },
  passes: { data: [{ status: "success", assessment: "SAFE" }] },
  blocks: [
    { data: [{ assessment: "SAFE" }, { status: "success", assessment: "UNSAFE", category: "Fraud", severity: 2 }] },
    { data: [{ status: "failed" }, { status: "success", assessment: "UNSAFE", category: "Fraud" }] },
  ],
  exception: "PolicyAIModerationRailException",
  invalid: [
    { data: [] },
    { data: [{ status: "failed" }] },
    { data: [{ status: "pending", assessment: "SAFE" }] },
    { data: [{ status: "Failed", assessment: "SAFE" }] },
    { data: [{ status: "failed" }, { status: "success", assessment: "SAFE" }] },
    { data: [{ status: "success", assessment: "FINE" }] },
    { data: { assessment: "SAFE" } },
  ],
}));

const F5 = STAGES.map((stage): ServiceRow => ({
  flow: `f5 guardrails scan ${stage}`,
  stage,
  key: "f5",
  env: { F5_GUARDRAILS_API_KEY: KEY, F5_GUARDRAILS_API_URL: "<url>/" },
  settings: {},
  request: { path: "/backend/v1/scans", headers: BEARER, body: { input: TEXT } },
  passes: { result: { outcome: "cleared" } },
  blocks: [{ result: { outcome: "flagged" } }, { result: { outcome: "" } }],
  invalid: [{ result: {} }, { result: { outcome: true } }, { outcome: "cleared" }],
}));

const ZSCALER = STAGES.map((stage): ServiceRow => ({
  flow: `zscaler aiguard moderation on ${stage}`,
  stage,
  key: "zscaler_aiguard",
  env: { AIGUARD_API_KEY: KEY, ...(stage === "input" ? {} : { AIGUARD_POLICY_ID: "760" }) },
  settings: { zscaler_aiguard: { server_endpoint: "<url>" } },
  request:
    stage === "input"
      ? {
          path: "/v1/detection/resolve-and-execute-policy",
          headers: BEARER,
          body: { content: TEXT, direction: "IN" },
        }
      : { path: "/v1/detection/execute-policy", body: { content: TEXT, direction: "OUT", policyId: 760 } },
  passes: { statusCode: 200, action: "ALLOW", detectorResponses: { toxicity: { action: "ALLOW", triggered: false } } },
  blocks: [{ action: "BLOCK", severity: "CRITICAL", detectorResponses: { pii: { action: "BLOCK" } } }],
  refusal: UNKNOWN,
  exception: stage === "input" ? "ZscalerAiguardInputRailException" : "ZscalerAiguardOutputRailException",
  invalid: [
    { statusCode: 404, errorMsg: "Policy not found" },
    { statusCode: 404, action: "ALLOW" },
    { action: "PASS" },
    { action: "ALLOW", detectorResponses: { pii: { action: "BLOCK" } } },
    { action: "ALLOW", detectorResponses: { pii: { action: "Block" } } },
    { action: "ALLOW", detectorResponses: { pii: [{ action: "BLOCK" }] } },
  ],
  incomplete: { zscaler_aiguard: { server_endpoint: "ftp://example.org" } },
}));

const START = TEXT.indexOf("Ada");
const END = TEXT.length;

const POLYGRAF_FOUND = [{ entity_type: "PERSON", start: START, end: END }];

const POLYGRAF = ALL.flatMap((stage): ServiceRow[] => {
  const common = {
    stage,
    key: "polygraf",
    env: { POLYGRAF_API_KEY: KEY },
    settings: { polygraf: { server_endpoint: "<url>/pii", [stage]: { entities: ["PERSON"] } } },
    request: { path: "/pii", headers: { api_key: `Bearer ${KEY}` }, body: { text: TEXT } },
    passes: [{ entity_type: "ANIMAL", start: 16, end: 19 }],
    invalid: [
      { entities: [] },
      [{ entity_type: "PERSON", start: START }],
      [{ entity_type: "PERSON", start: START, end: END + 1 }],
      [{ entity_type: "PERSON", start: END, end: START }],
      [{ entity_type: "PERSON", start: 0.5, end: 3 }],
      [{ entity_type: "PERSON", start: -1, end: 3 }],
      [{ start: START, end: END }],
    ],
    incomplete: { polygraf: {} },
  };
  return [
    { ...common, flow: `polygraf detect pii on ${stage}`, blocks: [POLYGRAF_FOUND], refusal: UNKNOWN },
    {
      ...common,
      flow: `polygraf mask pii on ${stage}`,
      rewrites: { reply: POLYGRAF_FOUND, to: "the quick brown fox of <PERSON>" },
    },
  ];
});

const EXTRACTED = {
  total_entities: 1,
  entities: [{ value: "Ada Lovelace", suggested_label: "name", start_position: START, end_position: END, score: 0.9 }],
};

const completion = (content: unknown) => ({ choices: [{ message: { content: JSON.stringify(content) } }] });

const GLINER = ALL.flatMap((stage): ServiceRow[] => {
  const extract = {
    stage,
    key: "gliner",
    env: {},
    settings: {
      gliner: { server_endpoint: "<url>/v1/extract", threshold: 0.5, [stage]: { entities: ["name"] } },
    },
    request: { path: "/v1/extract", body: { text: TEXT, labels: ["name"], threshold: 0.5 } },
    passes: { total_entities: 0, entities: [] },
    invalid: [
      { total_entities: 1, entities: [] },
      { total_entities: 0 },
      { entities: [{ suggested_label: "name", start_position: START, end_position: END + 5 }] },
      { entities: [{ value: "Grace", suggested_label: "name", start_position: START, end_position: END }] },
    ],
    incomplete: { gliner: {} },
  };
  const chat = {
    ...extract,
    env: { NVIDIA_API_KEY: KEY },
    settings: {
      gliner: { server_endpoint: "<url>/v1/chat/completions", api_key_env_var: "NVIDIA_API_KEY", flat_ner: true },
    },
    request: {
      path: "/v1/chat/completions",
      headers: BEARER,
      body: { model: "nvidia/gliner-pii", messages: [{ role: "user", content: TEXT }], flat_ner: true },
    },
    passes: completion({ total_entities: 0, entities: [] }),
    invalid: [
      completion({ total_entities: 1, entities: [] }),
      { choices: [] },
      { choices: [{ message: { content: "no JSON" } }] },
      { total_entities: 0, entities: [] },
    ],
    rewrites: {
      reply: completion({ entities: [{ text: "Ada Lovelace", label: "name", start: START, end: END, score: 1 }] }),
      to: "the quick brown fox of [NAME]",
    },
  };
  return [
    { ...extract, flow: `gliner detect pii on ${stage}`, blocks: [EXTRACTED], refusal: UNKNOWN },
    { ...chat, flow: `gliner mask pii on ${stage}` },
  ];
});

const CLASSIFIER = { model: "org/toxic", base_url: "<url>/", blocked_labels: ["toxic", "2"], threshold: 0.7 };

const ENGINES = {
  input: {
    engine: "vllm",
    request: { path: "/classify", headers: BEARER, body: { model: "org/toxic", input: TEXT } },
    passes: { data: [{ label: "toxic", probs: [0.4, 0.6] }] },
    blocks: [{ data: [{ label: "toxic", probs: [0.1, 0.9] }] }],
    invalid: [
      { data: [] },
      { data: [{ label: "toxic" }] },
      { data: [{ label: "toxic", probs: [] }] },
      { data: [{ label: "toxic", probs: [2] }] },
      { data: [{ probs: [0.9] }] },
      {
        data: [
          { label: "fine", probs: [1] },
          { label: "toxic", probs: [1] },
        ],
      },
    ],
  },
  output: {
    engine: "kserve",
    request: { path: "/v1/models/org%2Ftoxic:predict", body: { instances: [TEXT] } },
    passes: { predictions: [{ 0: 0.9, 2: 0.1 }] },
    blocks: [{ predictions: [{ 0: 0.1, 2: 0.9 }] }, { predictions: [2] }, { predictions: [[[0, 0, 2]]] }],
    invalid: [{ predictions: [] }, { predictions: ["toxic"] }, { predictions: [[["a"]]] }, { predictions: [-1] }],
  },
  retrieval: {
    engine: "fms",
    request: {
      path: "/api/v1/text/contents",
      body: { contents: [TEXT], detector_params: { threshold: 0.7 } },
    },
    passes: [[]],
    invalid: [[], [[{ detection_type: "toxic" }]], [[{ detection_type: "toxic", score: "high" }]], [[], []]],
    rewrites: { reply: [[{ detection_type: "toxic", score: 0.9 }]], to: "" },
  },
} as const;

const HF_CLASSIFIER = ALL.map((stage): ServiceRow => {
  const { engine, ...row } = ENGINES[stage];
  return {
    ...row,
    flow: `hf classifier check ${stage} $classifier=toxicity`,
    stage,
    key: "hf_classifier",
    env: { HF_KEY: KEY },
    settings: { hf_classifier: { toxicity: { ...CLASSIFIER, engine, api_key_env_var: "HF_KEY" } } },
    incomplete: { hf_classifier: { toxicity: { ...CLASSIFIER, base_url: "http://127.0.0.1:9", engine: "local" } } },
  };
});

export const GUARD_SERVICE_ROWS: readonly ServiceRow[] = [
  ...PROMPT_SECURITY,
  ...TREND_MICRO,
  ...AI_DEFENSE,
  ...GUARDRAILS_AI,
  ...POLICY_AI,
  ...F5,
  ...ZSCALER,
  ...POLYGRAF,
  ...GLINER,
  ...HF_CLASSIFIER,
];
