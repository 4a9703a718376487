import {
  byName,
  choice,
  count,
  endpoint,
  described,
  entities,
  type Field,
  filledText,
  flag,
  freeMap,
  keyVariable,
  listOf,
  mapOf,
  NO_ENTRIES,
  optional,
  perSide,
  perSource,
  positive,
  ratio,
  section,
  type Shape,
  text,
  texts,
} from "./fields.js";

/** The settings of a rail. */
export const rail = (about: string, shape: () => Shape) => () => section(about, shape());

/** At most a day: a longer limit is none. */
const timeout = () => optional(positive("seconds", 86_400), 30, "Time limit for the service, including all attempts.");

/** Settings of a rail that calls a service. */
export const service = (about: string, shape: () => Shape = () => ({})) =>
  rail(about, () => ({ timeout: timeout(), ...failures(), ...shape() }));

/** Settings for failing services. */
const failures = () => ({
  retries: optional(
    count(0, "attempts", 100),
    2,
    "Further attempts if the service is busy, fails or cannot be reached.",
  ),
  on_error: optional(
    choice(["block", "allow", "throw"]),
    null,
    "Effect of a failure of the service; default: the option `onError`.",
  ),
});

const validators = () =>
  listOf("Validators to run.", {
    name: described("Name of the validator.", filledText()),
    parameters: optional(freeMap(), NO_ENTRIES, "Settings of the validator."),
    metadata: optional(freeMap(), NO_ENTRIES, "Data that the validator needs at run time."),
  });

/** Settings of rails that call a service, by their keys in `rails.config`. */
export const SERVICE_SETTINGS: Readonly<Record<string, () => Field<unknown>>> = {
  openai_moderation: service("OpenAI moderation.", () => ({
    server_endpoint: endpoint("https://api.openai.com/v1"),
    model: optional(filledText(), "omni-moderation-latest", "The model of the endpoint."),
    api_key_env_var: keyVariable(),
    thresholds: optional(
      mapOf(ratio()),
      NO_ENTRIES,
      "Scores by category from which a text is blocked; what the service flags when empty.",
    ),
  })),
  activefence: service("ActiveFence.", () => ({
    server_endpoint: endpoint("https://apis.activefence.com/sync/v3/content/text"),
  })),
  autoalign: service("AutoAlign.", () => ({
    parameters: section("Addresses of the service.", {
      endpoint: endpoint(),
      fact_check_endpoint: endpoint(),
      groundedness_check_endpoint: endpoint(),
      multi_language: optional(flag(), false, "Texts may be in languages other than English."),
    }),
    ...perSide({ guardrails_config: optional(freeMap(), NO_ENTRIES, "Tasks and their settings.") }),
  })),
  cleanlab: service("Cleanlab.", () => ({
    server_endpoint: endpoint("https://api.cleanlab.ai/api/v0/trustworthy_llm/get_confidence_score"),
    threshold: optional(ratio(), 0.6, "Minimum score of an answer that passes."),
    quality: optional(choice(["base", "low", "medium", "high", "best"]), "medium", "Preset of the service."),
  })),
  gcpnlp: service("Text moderation of Google Cloud Natural Language.", () => ({
    server_endpoint: endpoint("https://language.googleapis.com/v2/documents:moderateText"),
    api_key_env_var: keyVariable(),
    access_token_env_var: optional(filledText(), null, "The environment variable that holds an access token."),
  })),
  gotitai: service("Got It AI.", () => ({
    server_endpoint: endpoint("https://api.got-it.ai/api/v1/hallucination-manager/truthchecker"),
  })),
  patronus: service("Patronus.", () => ({
    server_endpoint: endpoint("https://api.patronus.ai/v1/evaluate"),
    ...perSide({
      evaluate_config: section("The evaluation to ask for.", {
        success_strategy: optional(choice(["all_pass", "any_pass"]), "all_pass", "Evaluators that must pass."),
        params: optional(freeMap(), NO_ENTRIES, "Parameters for the service."),
      }),
    }),
  })),
  privateai: service("Personal data found by Private AI.", () => ({
    server_endpoint: endpoint("http://localhost:8080/process/text"),
    ...perSource(entities()),
  })),
  fiddler: service("Fiddler.", () => ({
    fiddler_endpoint: endpoint(),
    safety_threshold: optional(ratio(), 0.1, "Score from which a text is unsafe."),
    faithfulness_threshold: optional(ratio(), 0.05, "Score up to which a bot message is unfaithful."),
  })),
  clavata: service("Clavata.", () => ({
    server_endpoint: endpoint("https://gateway.app.clavata.ai:8443"),
    policies: optional(mapOf(filledText()), NO_ENTRIES, "Policy ids by alias."),
    label_match_logic: optional(choice(["ANY", "ALL"]), "ANY", "Labels that must match."),
    ...perSide({
      policy: optional(filledText(), null, "The alias of a policy."),
      labels: optional(texts(), [], "Labels that count; all of them when empty."),
    }),
  })),
  pangea: service("Pangea AI Guard.", () => perSide({ recipe: optional(filledText(), null, "The recipe to apply.") })),
  crowdstrike_aidr: service("CrowdStrike AIDR; its connection comes from the environment."),
  trend_micro: service("Trend Micro AI Guard.", () => ({
    v1_url: endpoint("https://api.xdr.trendmicro.com/beta/aiSecurity/guard"),
    api_key_env_var: keyVariable(),
  })),
  ai_defense: service("Cisco AI Defense.", () => ({
    fail_open: optional(flag(), false, "Let a text pass when the service fails."),
  })),
  guardrails_ai: service("Guardrails AI.", () => ({
    server_endpoint: endpoint(),
    api_key_env_var: keyVariable(),
    validators: validators(),
    ...perSide({ validators: validators() }),
  })),
  prompt_security: service("Prompt Security; its connection comes from the environment."),
  policyai: service("PolicyAI; its connection comes from the environment."),
  f5: service("F5 AI Guardrails; its connection comes from the environment."),
  zscaler_aiguard: service("Zscaler AI Guard.", () => ({ server_endpoint: endpoint() })),
  gliner: service("Personal data found by GLiNER.", () => ({
    server_endpoint: endpoint(),
    threshold: optional(ratio(), null, "Lowest score of a finding that counts."),
    chunk_length: optional(count(1, "characters"), null, "Length of the text in one request."),
    overlap: optional(count(0, "characters"), null, "Text that two requests share."),
    flat_ner: optional(flag(), null, "Entities do not nest."),
    api_key: optional(filledText(), null, "The key; prefer `api_key_env_var`."),
    api_key_env_var: keyVariable(),
    model: optional(
      filledText(),
      "nvidia/gliner-pii",
      "The model behind an address that ends with `/chat/completions`.",
    ),
    ...perSource(entities()),
  })),
  polygraf: service("Personal data found by Polygraf.", () => ({
    server_endpoint: endpoint(),
    ...perSource(entities()),
  })),
  hf_classifier: () =>
    byName("Text classifiers by a name of your choosing.", {
      engine: described("The engine that runs the model.", choice(["local", "vllm", "kserve", "fms"])),
      model: described("Name of the model.", filledText()),
      task: optional(text(), "text-classification", "The task of the model."),
      threshold: optional(ratio(), 0.5, "Score from which a label counts."),
      blocked_labels: optional(texts(), [], "Labels that block."),
      ...failures(),
      base_url: endpoint(),
      api_key_env_var: keyVariable(),
      parameters: section("The connection.", {
        timeout: timeout(),
        verify_ssl: optional(flag(), true, "Check the certificate of the service."),
        ca_cert: optional(text(), null, "A file with certificates to trust."),
        client_cert: optional(text(), null, "A file with the client's certificate."),
        client_key: optional(text(), null, "A file with the client's key."),
      }),
    }),
};
