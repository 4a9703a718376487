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
  late,
  many,
  mapOf,
  matching,
  NO_ENTRIES,
  atLeastZero,
  listOf,
  oneOrMoreTexts,
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
import { readField } from "./read-settings.js";

/** The settings of a rail. */
const rail = (about: string, shape: () => Shape) => () => section(about, shape());

/** At most a day: a longer limit is none. */
const timeout = () => optional(positive("seconds", 86_400), 30, "Time limit for the service, including all attempts.");

/** Settings of a rail that calls a service. */
const service = (about: string, shape: () => Shape = () => ({})) =>
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

const TREATMENTS = ["block", "mask", "drop", "report"] as const;
const TREATMENT = "Block the text, mask each finding, drop the retrieved chunk (retrieval only), or only report.";

/** Treatment of findings in one stage. */
const treatment = () => ({
  action: optional(choice([...TREATMENTS]), null, TREATMENT),
  score_threshold: optional(ratio(), null, "Lowest score of a finding that counts."),
});

/** Settings of a rail that detects something in texts; each stage may treat findings differently. */
const detection = (about: string, more: () => Shape = () => ({})) => {
  const own = (): Shape => ({
    action: optional(choice([...TREATMENTS]), "block", TREATMENT),
    score_threshold: optional(ratio(), 0.5, "Lowest score of a finding that counts."),
    input: section("For user messages.", treatment()),
    output: section("For bot messages.", treatment()),
    retrieval: section("For retrieved text.", treatment()),
    tool_output: section("For tool calls.", treatment()),
    tool_input: section("For results of tools.", treatment()),
    ...more(),
  });
  return rail(about, () => ({ ...own(), variants: byName("Other settings by name, for `$variant=name`.", own()) }));
};

const validators = () =>
  listOf("Validators to run.", {
    name: described("Name of the validator.", filledText()),
    parameters: optional(freeMap(), NO_ENTRIES, "Settings of the validator."),
    metadata: optional(freeMap(), NO_ENTRIES, "Data that the validator needs at run time."),
  });

/** Settings for personal data in one source. */
const sensitiveData = () => ({
  ...entities(),
  mask_token: optional(text(), "*", "Text that replaces a found entity."),
  score_threshold: optional(ratio(), 0.2, "Lowest score of a finding that counts."),
});

/** Settings of every rail by its key in `rails.config`. */
const RAIL_SETTINGS: Readonly<Record<string, () => Field<unknown>>> = {
  // Rails that run in this process or on a model.
  fact_checking: service("Fact checking by a scoring service.", () => ({
    parameters: section("The scoring service.", { endpoint: endpoint() }),
    fallback_to_self_check: optional(flag(), false, "Ask the model itself when the service fails."),
  })),
  sensitive_data_detection: service("Personal data.", () => ({
    server_endpoint: endpoint(),
    language: optional(
      matching(/^[a-z]{2,3}(?:-[A-Za-z]{2,4})?$/, "a code of a language, such as `en`"),
      "en",
      "Language of the texts for the Presidio server, as a code of ISO 639-1.",
    ),
    api_key_env_var: keyVariable(),
    recognizers: optional(
      many(freeMap()),
      [],
      "Recognisers of your own, in the form of Presidio's ad-hoc recognisers.",
    ),
    allow: optional(texts(), null, "Exact texts that are never reported."),
    names: optional(
      choice(["compromise", "presidio", "function"]),
      null,
      "Source of names, such as `PERSON`: a library, the Presidio server for names alone, or `actionParams.recognizeNames`.",
    ),
    ...perSource(sensitiveData()),
    tool_input: section("For results of tools, as pseudonyms.", sensitiveData()),
  })),
  /** `nim_url` with `nim_port` is an old spelling of `nim_base_url`, translated before validation. */
  jailbreak_detection: service("Jailbreak detection.", () => ({
    server_endpoint: endpoint(),
    length_per_perplexity_threshold: optional(
      positive("characters"),
      89.79,
      "Length divided by perplexity from which a text is blocked.",
    ),
    prefix_suffix_perplexity_threshold: optional(
      positive("perplexity"),
      1845.65,
      "Perplexity of the beginning or the end from which a text is blocked.",
    ),
    nim_base_url: endpoint(),
    nim_server_endpoint: optional(filledText(), "classify", "The path of the classifier."),
    api_key: optional(filledText(), null, "The key; prefer `api_key_env_var`."),
    api_key_env_var: keyVariable(),
    embedding: optional(text(), null, "The embedding model of the local classifier."),
  })),
  injection_detection: rail("Injection detection.", () => ({
    injections: optional(
      many(filledText()),
      [],
      "Kinds to look for: `sqli`, `template`, `code`, `xss`, or rules of your own.",
    ),
    action: optional(choice(["reject", "omit"]), "reject", "Refuse the text, or remove the matches."),
    yara_path: optional(filledText(), null, "A folder with rules."),
    yara_rules: optional(mapOf(text()), NO_ENTRIES, "Rules by name."),
  })),
  content_safety: rail("Content safety.", () => ({
    multilingual: section("Refusals in several languages.", {
      enabled: optional(flag(), false, "Refuse in the user's language."),
      refusal_messages: optional(mapOf(filledText()), NO_ENTRIES, "Refusals by language, as a code of ISO 639-1."),
    }),
  })),
  llm_judge: rail("Policies in plain words.", () => ({
    policies: optional(
      mapOf(oneOrMoreTexts()),
      NO_ENTRIES,
      "Policies by a name of your choosing; each a text or a list.",
    ),
  })),
  self_check: rail("Self checks of messages.", () => {
    const policies = { policies: optional(texts(), [], "Rules in plain words, instead of the built-in ones.") };
    return { ...perSide(policies), variants: byName("Other rules by name, for `$variant=name`.", perSide(policies)) };
  }),
  tool_safety: rail("Tool calls judged by a model.", () => {
    const policies = { policies: optional(texts(), [], "Rules in plain words, in addition to the built-in ones.") };
    return { ...policies, per_tool: byName("Further rules, by the name of the tool.", policies) };
  }),
  self_check_hallucination: rail("Self check of hallucination.", () => ({
    num_samples: optional(count(1, "answers", 10), 2, "Further answers of the main model to compare with."),
    method: optional(
      choice(["together", "each"]),
      "together",
      "Compare with all of them in one call of the judge, or with each in a call of its own.",
    ),
    threshold: optional(ratio(), 0.5, "Minimum share of answers that agree, if each has a call of its own."),
  })),
  regex_detection: rail("Patterns of your own.", () =>
    perSource({
      patterns: optional(texts(), [], "Regular expressions; they run in linear time."),
      case_insensitive: optional(flag(), false, "Ignore case."),
      mask_token: optional(text(), "<REDACTED>", "Text that replaces a match."),
    }),
  ),
  context_bloat_detection: rail("Texts that only fill the context.", () => ({
    max_chars: optional(count(1, "characters"), 5000, "Longest text."),
    min_chars: optional(count(0, "characters"), 50, "Texts shorter than this are not measured."),
    min_entropy: optional(atLeastZero("bits per character"), 3.5, "Minimum entropy."),
    max_repetition_ratio: optional(ratio(), 0.4, "Maximum share of repeated n-grams."),
    ngram_size: optional(count(1, "words"), 3, "Length of an n-gram."),
    max_run_ratio: optional(ratio(), 0.1, "Maximum share of one repeated character."),
    action: optional(choice(["reject", "truncate", "warn"]), "reject", "Treatment of such a text."),
  })),
  secrets_detection: detection("Keys, tokens and passwords.", () => ({
    include: optional(texts(), null, "Families to look for; default: all."),
    exclude: optional(texts(), null, "Families to leave out; default: none."),
    allow: optional(texts(), null, "Values that are known to be harmless."),
    entropy: optional(
      positive("bits per character"),
      3.5,
      "Minimum entropy of a value whose name alone says that it is secret.",
    ),
  })),
  jailbreak_phrasing: detection("Known phrasing of jailbreaks and prompt injections.", () => ({
    families: optional(texts(), null, "Families of phrasing that count; default: all."),
  })),
  instruction_detection: detection("Instructions to the assistant in documents and results of tools."),
  exfiltration_detection: detection("Images, links and markup that send data elsewhere.", () => ({
    allow: optional(texts(), null, "Domains that may receive data, including their subdomains."),
    images: optional(
      choice(["all", "data"]),
      "all",
      "Images of other domains that count: all, or those whose address carries data.",
    ),
  })),
  url_check: detection("Addresses that are not allowed, and addresses in disguise.", () => ({
    allow: optional(texts(), null, "The only allowed domains; default: all."),
    deny: optional(texts(), null, "Domains that are not allowed."),
    protect: optional(texts(), null, "Domains that others must not imitate; default: about 50 well-known ones."),
  })),
  toxic_words: detection("Toxic words.", () => ({
    severity: optional(choice(["mild", "strong", "hate"]), "mild", "Minimum severity of a word that is found."),
  })),
  language_check: detection("Languages of texts.", () => ({
    allow: optional(texts(), null, "Languages that texts may have, as codes of ISO 639-1."),
  })),
  prompt_leak: detection("Answers that repeat the instructions of the bot.", () => ({
    prompts: optional(texts(), [], "System prompts that must not leak."),
    instructions: optional(flag(), true, "The `instructions` of the configuration count as well."),
    canary_tokens: optional(texts(), null, "Tokens that were put into a prompt."),
    least_words: optional(count(4, "words"), 12, "Words of a prompt that a passage must repeat."),
  })),
  hidden_text: detection("Text that readers do not see."),
  key_words: detection("Words and phrases to look for.", () => ({
    words: optional(texts(), [], "Words and phrases; case is ignored."),
    lists: optional(mapOf(texts()), NO_ENTRIES, "Further lists by the type of their findings, such as `COMPETITOR`."),
    parts: optional(flag(), false, "Words also count inside other words."),
  })),
  cel: rail("Conditions on tools.", () => ({
    tool_output: byName("Conditions on calls, by the name of the tool.", {
      expressions: optional(texts(), [], "Expressions in CEL; a call for which one is true is blocked."),
    }),
    tool_input: byName("Conditions on results, by the name of the tool.", {
      expressions: optional(texts(), [], "Expressions in CEL; a result for which one is true is blocked."),
    }),
  })),
  /** The rails that check these rules run if there are any. */
  tools: rail("Rules on tools.", () => ({
    allowed: optional(texts(), null, "The only tools that may be called; default: all."),
    forbidden_in_arguments: optional(texts(), [], "Patterns that no argument of any tool may match."),
    forbidden_in_results: optional(texts(), [], "Patterns that the result of no tool may match."),
    per_tool: byName("Further rules, by the name of the tool.", {
      arguments: optional(freeMap(), null, "JSON Schema of the arguments."),
      result: optional(freeMap(), null, "JSON Schema of the result, as text or read as JSON."),
      forbidden_in_arguments: optional(texts(), [], "Patterns that no argument may match."),
      forbidden_in_results: optional(texts(), [], "Patterns that the result may not match."),
    }),
  })),

  // Rails that call a service.
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

export const RAIL_SETTING_KEYS: readonly string[] = Object.keys(RAIL_SETTINGS);

/** Returns the default settings of a rail that a configuration does not mention. */
export function defaultRailSettings(key: string): Readonly<Record<string, unknown>> {
  const make = Object.hasOwn(RAIL_SETTINGS, key) ? RAIL_SETTINGS[key] : undefined;
  return make === undefined ? NO_ENTRIES : (readField(make(), {}) as Readonly<Record<string, unknown>>);
}

/** Settings of a rail are described only when its key is used; those of other rails stay absent. */
export const railConfig = (own: readonly string[]): Field<Record<string, unknown>> => {
  const makers = [...Object.entries(RAIL_SETTINGS), ...own.map((key) => [key, freeMap] as const)];
  const shape = makers.map(([key, make]) => [key, late(make)] as const);
  return section("Settings of single rails.", Object.fromEntries(shape));
};
