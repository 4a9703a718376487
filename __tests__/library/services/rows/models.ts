import { KEY, type ServiceRow, TEXT } from "./service-row.js";

const moderation = (flagged: boolean, marks: Readonly<Record<string, number>>) => ({
  id: "modr-1",
  model: "omni-moderation-latest",
  results: [
    {
      flagged,
      categories: Object.fromEntries(Object.entries(marks).map(([name, score]) => [name, score > 0.5])),
      category_scores: marks,
    },
  ],
});

const MODERATION = {
  key: "openai_moderation",
  env: { OPENAI_API_KEY: KEY },
  request: {
    path: "/v1/moderations",
    headers: { authorization: `Bearer ${KEY}` },
    body: { model: "omni-moderation-latest", input: TEXT },
  },
  invalid: [
    { results: [] },
    { results: [...moderation(false, {}).results, ...moderation(true, { hate: 0.9 }).results] },
    moderation(false, { hate: 0.9 }),
    moderation(true, { hate: 0.1 }),
    moderation(false, { hate: 1.2 }),
    { results: [{ flagged: "false", categories: {}, category_scores: {} }] },
    { results: [{ flagged: false, categories: { hate: "no" }, category_scores: {} }] },
  ],
} as const;

const JAILBREAK = {
  key: "jailbreak_detection",
  stage: "input",
  exception: "JailbreakDetectionRailException",
  invalid: [{ jailbreak: "false" }, { jailbreak: null }, { result: false }],
} as const;

/** Rails that ask a server for the verdict of a model. */
export const MODEL_SERVICE_ROWS: readonly ServiceRow[] = [
  {
    ...MODERATION,
    flow: "openai moderation on input",
    stage: "input",
    settings: { openai_moderation: { server_endpoint: "<url>/v1/" } },
    passes: moderation(false, { hate: 0.1, "self-harm/intent": 0.01 }),
    blocks: [moderation(true, { hate: 0.9, violence: 0.6 })],
    incomplete: { openai_moderation: { thresholds: { crime: 0.5 } } },
  },
  {
    ...MODERATION,
    flow: "openai moderation on output",
    stage: "output",
    settings: { openai_moderation: { server_endpoint: "<url>/v1", thresholds: { violence: 0.8, hate: 0.05 } } },
    passes: moderation(true, { hate: 0.01, violence: 0.7 }),
    blocks: [moderation(false, { hate: 0.2, violence: 0.1 })],
    invalid: [...MODERATION.invalid, moderation(false, { hate: 0.01 })],
  },
  {
    ...JAILBREAK,
    flow: "jailbreak detection heuristics",
    env: {},
    settings: { jailbreak_detection: { server_endpoint: "<url>/heuristics", length_per_perplexity_threshold: 50 } },
    request: { path: "/heuristics", body: { prompt: TEXT, lp_threshold: 50, ps_ppl_threshold: 1845.65 } },
    passes: { jailbreak: false, length_per_perplexity: 3.5, prefix_suffix_perplexity: null },
    blocks: [{ jailbreak: true, length_per_perplexity: 99, prefix_suffix_perplexity: 2 }, { jailbreak: true }],
    invalid: [
      ...JAILBREAK.invalid,
      { jailbreak: false, length_per_perplexity: 50 },
      { jailbreak: false, prefix_suffix_perplexity: 1e9 },
    ],
    incomplete: { jailbreak_detection: { nim_base_url: "http://localhost:8000/v1" } },
  },
  {
    ...JAILBREAK,
    flow: "jailbreak detection model",
    env: {},
    settings: { jailbreak_detection: { server_endpoint: "<url>/heuristics" } },
    request: { path: "/model", body: { prompt: TEXT } },
    passes: { jailbreak: false },
    blocks: [{ jailbreak: true }],
    incomplete: {},
  },
  {
    ...JAILBREAK,
    flow: "jailbreak detection model",
    env: { JAILBREAK_KEY: KEY },
    settings: { jailbreak_detection: { nim_base_url: "<url>/v1", api_key_env_var: "JAILBREAK_KEY" } },
    request: { path: "/v1/classify", headers: { authorization: `Bearer ${KEY}` }, body: { input: TEXT } },
    passes: { jailbreak: false, score: -0.99 },
    blocks: [{ jailbreak: true, score: 0.8 }],
    incomplete: { jailbreak_detection: { nim_base_url: "localhost:8000" } },
  },
  {
    key: "fact_checking",
    flow: "alignscore check facts",
    stage: "output",
    env: {},
    settings: { fact_checking: { parameters: { endpoint: "<url>/alignscore_base" } } },
    request: { path: "/alignscore_base", body: { evidence: "Ada owns a fox.", claim: TEXT } },
    passes: { alignscore: 0.5 },
    blocks: [{ alignscore: 0.49 }, { alignscore: 0 }],
    refusal: "I'm sorry, I don't know the answer to that.",
    exception: "AlignScoreCheckFactRailException",
    invalid: [{ alignscore: "0.9" }, { alignscore: 1.5 }, { score: 1 }],
    evidence: ["Ada owns a fox."],
    incomplete: {},
  },
];
