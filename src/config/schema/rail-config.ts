import { z } from "zod/v4";
import {
  byTool,
  count,
  endpoint,
  entities,
  filledText,
  flag,
  freeMap,
  keyVariable,
  mapOf,
  NO_ENTRIES,
  number,
  once,
  optional,
  perSource,
  ratio,
  section,
  text,
  texts,
} from "./fields.js";
import { SERVICE_SETTINGS } from "./rail-services.js";

/** Settings of the rails that run in this process or on a model. */
const OWN_SETTINGS: Readonly<Record<string, () => z.ZodType>> = {
  fact_checking: () =>
    section(
      {
        parameters: section({ endpoint: endpoint() }, "The scoring service."),
        fallback_to_self_check: optional(flag(), false, "Ask the model itself when the service fails."),
      },
      "Fact checking by a scoring service.",
    ),
  sensitive_data_detection: () =>
    section(
      {
        recognizers: optional(z.array(freeMap()), [], "Patterns of your own."),
        ...perSource(() => ({
          ...entities(),
          mask_token: optional(text(), "*", "Text that replaces a found entity."),
          score_threshold: optional(ratio(), 0.2, "Least certainty that counts."),
        })),
      },
      "Personal data.",
    ),
  /** `nim_url` with `nim_port` is an old spelling of `nim_base_url`, translated before the schema runs. */
  jailbreak_detection: () =>
    section(
      {
        server_endpoint: endpoint(),
        length_per_perplexity_threshold: optional(
          number("characters", { above: 0 }),
          89.79,
          "Length divided by perplexity from which a text is blocked.",
        ),
        prefix_suffix_perplexity_threshold: optional(
          number("perplexity", { above: 0 }),
          1845.65,
          "Perplexity of the beginning or the end from which a text is blocked.",
        ),
        nim_base_url: endpoint(),
        nim_server_endpoint: optional(text(), "classify", "The path of the classifier."),
        api_key: optional(text(), null, "The key; prefer `api_key_env_var`."),
        api_key_env_var: keyVariable(),
        embedding: optional(text(), null, "The embedding model of the local classifier."),
      },
      "Jailbreak detection.",
    ),
  injection_detection: () =>
    section(
      {
        injections: optional(
          z.array(filledText()),
          [],
          "Kinds to look for: `sqli`, `template`, `code`, `xss`, or rules of your own.",
        ),
        action: optional(z.enum(["reject", "omit"]), "reject", "Refuse the text, or remove the matches."),
        yara_path: optional(filledText(), null, "A folder with rules."),
        yara_rules: optional(mapOf(text()), NO_ENTRIES, "Rules by name."),
      },
      "Injection detection.",
    ),
  content_safety: () =>
    section(
      {
        multilingual: section(
          {
            enabled: optional(flag(), false, "Refuse in the user's language."),
            refusal_messages: optional(mapOf(text()), NO_ENTRIES, "Refusals by language."),
          },
          "Refusals in several languages.",
        ),
      },
      "Content safety.",
    ),
  regex_detection: () =>
    section(
      perSource(() => ({
        patterns: optional(texts(), [], "Regular expressions; they run in linear time."),
        case_insensitive: optional(flag(), false, "Treat capital and small letters alike."),
        mask_token: optional(text(), "<REDACTED>", "Text that replaces a match."),
      })),
      "Patterns of your own.",
    ),
  context_bloat_detection: () =>
    section(
      {
        max_chars: optional(count(1, "characters"), 5000, "Longest text."),
        min_chars: optional(count(0, "characters"), 50, "Texts shorter than this are not measured."),
        min_entropy: optional(number("bits per character", { least: 0 }), 3.5, "Least entropy."),
        max_repetition_ratio: optional(ratio(), 0.4, "Greatest share of repeated n-grams."),
        ngram_size: optional(count(1, "words"), 3, "Length of an n-gram."),
        max_run_ratio: optional(ratio(), 0.1, "Greatest share of one repeated character."),
        action: optional(z.enum(["reject", "truncate", "warn"]), "reject", "Treatment of such a text."),
      },
      "Texts that only fill the context.",
    ),
  cel: () =>
    section(
      {
        tool_output: byTool(
          { expressions: optional(texts(), [], "Expressions that must hold.") },
          "Conditions on calls",
        ),
        tool_input: byTool(
          { expressions: optional(texts(), [], "Expressions that must hold.") },
          "Conditions on results",
        ),
      },
      "Conditions on tools.",
    ),
  /** The rails that check these rules run as soon as there are some. */
  tools: () =>
    section(
      {
        allowed: optional(texts(), null, "The only tools that may be called; all when absent."),
        forbidden_in_arguments: optional(texts(), [], "Patterns that no argument of any tool may match."),
        forbidden_in_results: optional(texts(), [], "Patterns that the result of no tool may match."),
        per_tool: byTool(
          {
            arguments: optional(freeMap(), null, "JSON Schema of the arguments."),
            result: optional(freeMap(), null, "JSON Schema of the result, as text or read as JSON."),
            forbidden_in_arguments: optional(texts(), [], "Patterns that no argument may match."),
            forbidden_in_results: optional(texts(), [], "Patterns that the result may not match."),
          },
          "Further rules",
        ),
      },
      "Rules on tools.",
    ),
};

/** The settings of every rail by its key below `rails.config`. */
const RAIL_SETTINGS = { ...OWN_SETTINGS, ...SERVICE_SETTINGS };

export const RAIL_SETTING_KEYS: readonly string[] = Object.keys(RAIL_SETTINGS);

/** A schema is built only when its key is used; the settings of rails that are not mentioned stay absent. */
export const railConfig = () =>
  z
    .strictObject(
      Object.fromEntries(Object.entries(RAIL_SETTINGS).map(([key, make]) => [key, z.lazy(once(make)).optional()])),
    )
    .nullish()
    .transform((value): Record<string, unknown> => value ?? {})
    .meta({ description: "Settings of single rails." });
