import { checkOptions, type OptionTable } from "../../diagnostics/options.js";
import type { Detector, TriggerRule } from "../detector.js";
import { checkNames, checkRange } from "../option-values.js";
import { isReadable, mayBeReadable } from "../readable-view.js";
import { assignmentRules } from "./assignments.js";
import { commandSecretRules } from "./command-secrets.js";
import { credentialUrlRules } from "./credential-urls.js";
import { ruleOfFormat } from "./key-format.js";
import { KEY_FORMATS } from "./key-formats.js";
import { PRIVATE_KEY_RULES } from "./private-keys.js";
import { serviceKeyRules } from "./service-keys.js";
import { TOKEN_RULES } from "./header-tokens.js";
import { valuesBelowRule } from "./values-below.js";

/** Options of `secrets`. */
export interface SecretsOptions {
  /** Families to look for, for example `github-token`; default: all. `docs/detectors.md` lists them. */
  readonly include?: readonly string[];
  /** Families to leave out; default: none. */
  readonly exclude?: readonly string[];
  /** Values that are known to be harmless, as they are written; default: none. */
  readonly allow?: readonly string[];
  /**
   * Least entropy in bits for each character, between 1 and 6, of a value whose name alone says that it is secret, such as
   * `API_KEY=…`; default: 3.5. Hexadecimal values need 0.7 less.
   */
  readonly entropy?: number;
}

const OPTIONS: OptionTable<SecretsOptions> = { include: "names", exclude: "names", allow: "names", entropy: "number" };
const LEAST_ENTROPY = 3.5;

/**
 * Detector of keys, tokens, passwords and private keys: formats of more than a hundred services, with their check sums where a
 * format has one, URLs with passwords, and assignments of random values to names such as `API_KEY`. Values of documentation,
 * placeholders, references to variables, UUIDs and hashes are no findings. All findings have the type `SECRET`; the rule is
 * the family.
 *
 * @throws ConfigError for a family that does not exist, with a near name as hint
 * @example
 * ```ts
 * detect("DB_URL=postgres://ada:k3x9vQp2@db.example.org/app", [secrets()]);
 * // [{ type: "SECRET", rule: "url-with-password", start: 7, end: 49, … }]
 * ```
 */
export function secrets(options: SecretsOptions = {}): Detector {
  checkOptions("secrets", options, OPTIONS);
  checkRange({ surface: "secrets", option: "entropy" }, options.entropy, 1, 6);
  const allowed = new Set(options.allow ?? []);
  const rules = rulesOf(options.entropy ?? LEAST_ENTROPY, (value) => allowed.has(value));
  const families = rules.map(({ name }) => name);
  checkNames({ surface: "secrets", option: "include" }, options.include, families);
  checkNames({ surface: "secrets", option: "exclude" }, options.exclude, families);
  const { include = families, exclude = [] } = options;
  const active = rules.filter(({ name }) => include.includes(name) && !exclude.includes(name));
  return { name: "secrets", rules: active.map((rule) => onReadableViews(rule)) };
}

/** A key whose characters were replaced to undo a disguise is another key, and a check sum of it means nothing. */
function onReadableViews(rule: TriggerRule): TriggerRule {
  return {
    ...rule,
    find: (view, start, end) => {
      const match = mayBeReadable(view) ? rule.find(view, start, end) : undefined;
      return match !== undefined && isReadable(view, match.start, match.end) ? match : undefined;
    },
  };
}

function rulesOf(leastEntropy: number, isAllowed: (value: string) => boolean): readonly TriggerRule[] {
  return [
    ...KEY_FORMATS.map((format) => ruleOfFormat(format, isAllowed)),
    ...serviceKeyRules(isAllowed),
    ...PRIVATE_KEY_RULES,
    ...TOKEN_RULES,
    ...credentialUrlRules(isAllowed),
    ...commandSecretRules(leastEntropy, isAllowed),
    ...assignmentRules(leastEntropy, isAllowed),
    valuesBelowRule(leastEntropy, isAllowed),
  ];
}
