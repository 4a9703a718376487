import { BEARER, KEY, type ServiceRow, TEXT } from "./service-row.js";

const POLICY = "01234567-89ab-cdef-0123-456789abcdef";

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
  exception: "ClavataPolicyMatchException",
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

const ABUSE = "I don't take part in anything abusive or harmful.";

/** Violations of ActiveFence by their kinds, which end in `.general` if no kind is named. */
const risks = (...found: readonly (readonly [string, unknown])[]) => ({
  violations: found.map(([violation_type, risk_score]) => ({ violation_type, risk_score })),
});

const ACTIVEFENCE = {
  key: "activefence",
  env: { ACTIVEFENCE_API_KEY: KEY },
  settings: { activefence: { server_endpoint: "<url>/sync/v3/content/text" } },
  request: {
    path: "/sync/v3/content/text",
    headers: { "af-api-key": KEY, "af-source": "langchain-guardrails" },
    body: { text: TEXT },
  },
  passes: risks(["abusive_or_harmful.profanity", 0.7], ["privacy_violation.pii", 0.3]),
  invalid: [
    { violations: {} },
    risks(["self_harm.general", 1.5]),
    risks(["self_harm.general", "0.9"]),
    { violations: [{ violation_type: 1, risk_score: 0.1 }] },
  ],
};

const SIMPLE = { blocks: [risks(["some.new_kind", 0.71])], exception: "ActiveFenceModerationRailException" };

const DETAILED = {
  passes: risks(["some.new_kind", 1], ["privacy_violation.pii", 0.8]),
  blocks: [risks(["adult_content.general", 0.9], ["abusive_or_harmful.hate_speech", 0.61])],
  refusal: ABUSE,
  exception: "ActiveFenceHateSpeechRailException",
};

const categories = (...found: readonly (readonly [unknown, unknown])[]) => ({
  moderationCategories: found.map(([name, confidence]) => ({ name, confidence })),
});

const GCP = {
  stage: "input" as const,
  key: "gcpnlp",
  env: { GOOGLE_API_KEY: KEY },
  settings: { gcpnlp: { server_endpoint: "<url>/v2/documents:moderateText" } },
  request: {
    path: "/v2/documents:moderateText",
    headers: { "x-goog-api-key": KEY },
    body: { document: { type: "PLAIN_TEXT", content: TEXT } },
  },
  invalid: [
    { moderationCategories: null },
    { moderationCategories: [] },
    categories([1, 0.1]),
    categories(["Toxic", "0.9"]),
    categories(["Toxic", -1]),
  ],
};

const safety = (score: unknown, others: object = {}) => ({ fdl_harmful: score, fdl_sexist: 0.01, ...others });

const FIDDLER = {
  key: "fiddler",
  env: { FIDDLER_API_KEY: KEY },
  settings: { fiddler: { fiddler_endpoint: "<url>", safety_threshold: 0.2 } },
  incomplete: {},
};

const FIDDLER_SAFETY = {
  ...FIDDLER,
  exception: "JailbreakDetectionRailException",
  request: { path: "/v3/guardrails/ftl-safety", headers: BEARER, body: { data: { prompt: [TEXT] } } },
  passes: safety(0.19, { fdl_roleplaying: 0.9 }),
  blocks: [safety(0.2), safety(0, { fdl_jailbreaking: 1 })],
  invalid: [{ fdl_roleplaying: 1 }, safety("0.1"), safety(2), { fdl_harmful: [0.1] }],
};

export const MODERATION_ROWS: readonly ServiceRow[] = [
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
  { ...ACTIVEFENCE, ...SIMPLE, flow: "activefence moderation", stage: "input" },
  { ...ACTIVEFENCE, ...SIMPLE, flow: "activefence moderation on input", stage: "input" },
  { ...ACTIVEFENCE, ...SIMPLE, flow: "activefence moderation on output", stage: "output" },
  { ...ACTIVEFENCE, ...DETAILED, flow: "activefence moderation detailed", stage: "input" },
  {
    ...ACTIVEFENCE,
    ...DETAILED,
    flow: "activefence moderation on input detailed",
    stage: "input",
    blocks: [risks(["privacy_violation.pii", 0.81])],
    refusal: "I don't deal with sensitive content.",
    exception: "ActiveFencePrivacyViolationRailException",
    incomplete: { activefence: { server_endpoint: "" } },
  },
  {
    ...GCP,
    flow: "gcpnlp moderation",
    passes: categories(["Toxic", 0.8], ["Health", undefined]),
    blocks: [categories(["Health", 0.81])],
    exception: "InputRailException",
  },
  {
    ...GCP,
    flow: "gcpnlp moderation detailed",
    env: { GOOGLE_ACCESS_TOKEN: KEY },
    request: { ...GCP.request, headers: BEARER },
    passes: categories(["Profanity", 0.6], ["Something New", 1]),
    blocks: [categories(["Sexual", 0.9], ["Derogatory", 0.41])],
    refusal: ABUSE,
    exception: "InputRailException",
  },
  { ...FIDDLER_SAFETY, flow: "fiddler user safety", stage: "input" },
  { ...FIDDLER_SAFETY, flow: "fiddler bot safety", stage: "output" },
  {
    ...FIDDLER,
    flow: "fiddler bot faithfulness",
    stage: "output",
    evidence: ["foxes are quick", "dogs are lazy"],
    request: {
      path: "/v3/guardrails/ftl-response-faithfulness",
      headers: BEARER,
      body: { data: { response: [TEXT], context: ["foxes are quick\ndogs are lazy"] } },
    },
    passes: { fdl_faithful_score: 0.06 },
    blocks: [{ fdl_faithful_score: 0.05 }, { fdl_faithful_score: 0 }],
    exception: "OutputRailException",
    invalid: [{ fdl_faithful_score: [0.9] }, { faithful: 1 }, { fdl_faithful_score: null }],
  },
];
