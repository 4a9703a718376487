import { checkOptions, type OptionTable } from "../../diagnostics/options.js";
import type { Detector } from "../detector.js";
import { checkNames, optionError } from "../option-values.js";
import { oncePerView } from "../scan/per-view.js";
import { LANGUAGES, languageOf } from "./language/language-of.js";

/** Options of `language`. */
export interface LanguageOptions {
  /** Codes of ISO 639-1 of the languages that texts may have, for example `["en", "de"]`. */
  readonly allow: readonly string[];
}

const OPTIONS: OptionTable<LanguageOptions> = { allow: "names" };

/**
 * Detector of texts in a language that is not allowed. Texts that are too short, or in a language that is not known,
 * pass. The rule names the language.
 *
 * @throws ConfigError for a language that is not known
 *
 * @example
 * ```ts
 * detect("Wie kann ich meine Karte sperren?", [language({ allow: ["en", "fr"] })]);
 * // [{ type: "LANGUAGE", start: 0, end: 33, score: 0.98, detector: "language", rule: "de" }]
 * ```
 */
export function language(options: LanguageOptions): Detector {
  checkOptions("language", options, OPTIONS);
  const place = { surface: "language", option: "allow" };
  if (options?.allow === undefined) throw optionError(place, "expected a list of languages", 'write `["en"]`');
  const { allow } = options;
  checkNames(place, allow, LANGUAGES);
  const languageIn = oncePerView(({ text }) => languageOf(text));
  return {
    name: "language",
    rules: LANGUAGES.filter((languageCode) => !allow.includes(languageCode)).map((languageCode) => ({
      name: languageCode,
      type: "LANGUAGE",
      score: 1,
      views: "plain",
      reach: 4000,
      scan: (view) => {
        const found = languageIn(view);
        return found?.language === languageCode ? [{ start: 0, end: view.text.length, score: found.score }] : [];
      },
    })),
  };
}
