/**
 * Words of keys that documentation shows. Each is so long that fewer than one random key in a million holds it by chance.
 */
const WORDS_OF_KEYS =
  /example|placeholder|redacted|change[-_]?me|replace[-_]?(?:me|with)|x{6}|(?:insert|dummy|sample|fake|your|my)[-_](?:\w{1,12}[-_])?(?:api|key|token|secret|pass|access|client|auth|bot|app|account|here)|(?:key|token|secret|password)[-_]?(?:goes[-_]?)?here/;

/** Words of other values that stand for a secret, such as passwords. */
const WORDS_OF_VALUES =
  /x{4}|\*{3}|\.{3}|…|•{2}|dummy|sample|fake|^(?:your|my|the|some|any|a|an|new|old|user|test|demo|default|super|top|enter|type|set)[-_ ]?(?:\w{1,12}[-_ ])?(?:api|key|token|secret|pass|pwd|access|client|auth|credential)|todo|lorem|foobar|deadbeef|undefined|not[-_]?a[-_]?(?:real|valid|secret|key)|hunter2|correct[- ]?horse|passw(?:or)?d|12345|qwerty|letmein|secret$|^(?:none|null|true|false|nil|empty|required|optional|hidden|secret|string|number|boolean|admin|root|guest|test|default|value|token|key)\d{0,3}$/;

/** References to a value that stands elsewhere: variables, templates, calls, rules of forms and expressions of programs. */
const REFERENCE =
  /^[a-z_]{3,}(?:\|[a-z_]{2,}(?::[\w,]{1,20})?){1,8}$|^(?:[<{[(`]|\$|%[a-z_]+%|@|#|&|!|\*|\\\$)|^(?:process|os|env|import|config|settings|secrets?|vault|self|this|args|options|props|ctx|context|req|request|res|response|params|data|state|user|params)[.[]|^(?:ref|vault|op|arn|sm|env|file|ssm|gcp|aws|azure|keyvault|secretref|encrypted|enc|sops|https?|urn):|\$\{|\{\{|\}\}|<%|%>|\(\)|\w\(|=>|&&|\|\||::/i;

/** Runs of at least seven equal characters, or of neighbours in the alphabet or among digits. */
function hasRun(text: string): boolean {
  let equal = 1;
  let rising = 1;
  let falling = 1;
  for (let at = 1; at < text.length; at++) {
    const step = text.charCodeAt(at) - text.charCodeAt(at - 1);
    equal = step === 0 ? equal + 1 : 1;
    // The digit 0 follows 9 in `1234567890`.
    rising = step === 1 || step === -9 ? rising + 1 : 1;
    falling = step === -1 ? falling + 1 : 1;
    if (equal >= 7 || rising >= 8 || falling >= 8) return true;
  }
  return false;
}

/** Returns true for a key that documentation shows: `AKIAIOSFODNN7EXAMPLE`, `sk_live_xxxxxxxx`, one with `1234567890`. */
export function isPlaceholder(key: string): boolean {
  return WORDS_OF_KEYS.test(key.toLowerCase()) || hasRun(key);
}

/** Returns true for a value that stands for a secret without being one: `your-api-key`, `changeme`, `****`, `password`. */
export function isPlaceholderValue(value: string): boolean {
  return isPlaceholder(value) || WORDS_OF_VALUES.test(value.toLowerCase());
}

/** Returns true for a value that refers to a secret: `${API_KEY}`, `process.env.TOKEN`, `<token>`, `getSecret("db")`. */
export function isReference(value: string): boolean {
  return REFERENCE.test(value);
}

/** Beginnings of formats that are found by their own rules alone: those with check sums, and keys that are public. */
const OTHER_RULES = /^(?:gh[pousr]_|github_pat_|npm_|glsa_|pk_(?:live|test)_|pk\.eyJ|eyJ[\w-]{8,}\.)/;

/** Returns true for a value that only its own format decides about, for example a token of GitHub with a wrong check sum. */
export function hasOwnFormat(value: string): boolean {
  return OTHER_RULES.test(value);
}
