import {
  byName,
  choice,
  count,
  endpoint,
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
import { rail, service, SERVICE_SETTINGS } from "./service-settings.js";

const TREATMENTS = ["block", "mask", "drop", "report"] as const;
const TREATMENT = "Block the text, mask each finding, drop the retrieved chunk (retrieval only), or only report.";

/** Treatment of findings in one stage. */
const treatment = () => ({
  action: optional(choice([...TREATMENTS]), null, TREATMENT),
  score_threshold: optional(ratio(), null, "Lowest score of a finding that counts."),
});

const STAGES = {
  input: "For user messages.",
  output: "For bot messages.",
  retrieval: "For retrieved text.",
  tool_output: "For tool calls.",
  tool_input: "For results of tools.",
};
type Stage = keyof typeof STAGES;
const ALL_STAGES = Object.keys(STAGES) as Stage[];

/** Settings of a rail that detects something in texts; each stage of its flows may treat findings differently. */
const detection = (about: string, stages: readonly Stage[], more: () => Shape = () => ({})) => {
  const own = (): Shape => ({
    action: optional(choice([...TREATMENTS]), "block", TREATMENT),
    score_threshold: optional(ratio(), 0.5, "Lowest score of a finding that counts."),
    ...Object.fromEntries(stages.map((stage) => [stage, section(STAGES[stage], treatment())])),
    ...more(),
  });
  return rail(about, () => ({ ...own(), variants: byName("Other settings by name, for `$variant=name`.", own()) }));
};

/** Settings for personal data in one source. */
const sensitiveData = () => ({
  ...entities(),
  mask_token: optional(text(), "*", "Text that replaces a found entity."),
  score_threshold: optional(ratio(), 0.2, "Lowest score of a finding that counts."),
});

/** Settings of every rail by its key in `rails.config`. */
const RAIL_SETTINGS: Readonly<Record<string, () => Field<unknown>>> = {
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
    min_entropy: optional(atLeastZero("bits per character", 16), 3.5, "Minimum entropy."),
    max_repetition_ratio: optional(ratio(), 0.4, "Maximum share of repeated n-grams."),
    ngram_size: optional(count(1, "words", 100), 3, "Length of an n-gram."),
    max_run_ratio: optional(ratio(), 0.1, "Maximum share of one repeated character."),
    action: optional(choice(["reject", "truncate", "warn"]), "reject", "Treatment of such a text."),
  })),
  secrets_detection: detection("Keys, tokens and passwords.", ALL_STAGES, () => ({
    include: optional(texts(), null, "Families to look for; default: all."),
    exclude: optional(texts(), null, "Families to leave out; default: none."),
    allow: optional(texts(), null, "Values that are known to be harmless."),
    entropy: optional(
      positive("bits per character"),
      3.5,
      "Minimum entropy of a value whose name alone says that it is secret.",
    ),
  })),
  jailbreak_phrasing: detection(
    "Known phrasing of jailbreaks and prompt injections.",
    ["input", "retrieval", "tool_input"],
    () => ({
      families: optional(texts(), null, "Families of phrasing that count; default: all."),
    }),
  ),
  instruction_detection: detection("Instructions to the assistant in documents and results of tools.", [
    "retrieval",
    "tool_input",
  ]),
  exfiltration_detection: detection(
    "Images, links and markup that send data elsewhere.",
    ["output", "retrieval", "tool_output", "tool_input"],
    () => ({
      allow: optional(texts(), null, "Domains that may receive data, including their subdomains."),
      images: optional(
        choice(["all", "data"]),
        "all",
        "Images of other domains that count: all, or those whose address carries data.",
      ),
    }),
  ),
  url_check: detection("Addresses that are not allowed, and addresses in disguise.", ALL_STAGES, () => ({
    allow: optional(texts(), null, "The only allowed domains; default: all."),
    deny: optional(texts(), null, "Domains that are not allowed."),
    protect: optional(texts(), null, "Domains that others must not imitate; default: about 50 well-known ones."),
  })),
  toxic_words: detection("Toxic words.", ["input", "output"], () => ({
    severity: optional(choice(["mild", "strong", "hate"]), "mild", "Minimum severity of a word that is found."),
  })),
  language_check: detection("Languages of texts.", ["input", "output"], () => ({
    allow: optional(texts(), null, "Languages that texts may have, as codes of ISO 639-1."),
  })),
  prompt_leak: detection("Answers that repeat the instructions of the bot.", ["output", "tool_output"], () => ({
    prompts: optional(texts(), [], "System prompts that must not leak."),
    instructions: optional(flag(), true, "The `instructions` of the configuration count as well."),
    canary_tokens: optional(texts(), null, "Tokens that were put into a prompt."),
    least_words: optional(count(4, "words", 200), 12, "Words of a prompt that a passage must repeat."),
  })),
  hidden_text: detection("Text that readers do not see.", ALL_STAGES),
  key_words: detection("Words and phrases to look for.", ALL_STAGES, () => ({
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

  ...SERVICE_SETTINGS,
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
