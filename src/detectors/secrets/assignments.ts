import type { RuleMatch, TextView, TriggerRule } from "../detector.js";
import { entropyOf, isRandomText, mixtureOf } from "./entropy.js";
import { hasOwnFormat, isPlaceholderValue, isReference } from "./placeholders.js";

/** Ends of names that hold secrets. */
export const PARTS =
  "key|keys|secret|token|password|passwd|passwort|passphrase|passcode|pwd|pw|credential|credentials|auth".split("|");
/** Passwords in other languages. */
export const FOREIGN_PARTS =
  "contraseña|contrasena|mot de passe|kennwort|senha|wachtwoord|hasło|parola|şifre|lösenord|adgangskode|salasana|heslo|jelszó|пароль|κωδικός πρόσβασης|كلمة المرور|סיסמה|पासवर्ड|รหัสผ่าน|mật khẩu|kata sandi|密码|密碼|パスワード|비밀번호".split(
    "|",
  );
/** Characters after such a part in programs and settings: an operator, a quote, the end of an element, or more of the name. */
const AFTER_PART = [
  "=",
  ":",
  '"',
  "'",
  "`",
  "]",
  "(",
  ">",
  "*",
  "|",
  "\\",
  "_",
  "-",
  ".",
  " =",
  " :",
  "：",
  "是",
  "は",
  "는",
];
const AFTER_FOREIGN_PART = [":", "：", "=", '"', "*", "|", " :", "是", "は", "는"];
/** Longest value in prose, where a stream waits for it after each `key`. */
const LONGEST_IN_PROSE = 160;
/** Names of passwords, which people choose. */
const PASSWORD = new RegExp(
  `passw(?:or)?d?|passwort|pwd|(?:^|[^a-z])pw$|(?:db|user|smtp|admin|root|mail|ftp|sql|wi-?fi|login|postgres|redis|mongo|app|svc|service|sudo|become|ssh|vpn|http|proxy|auth|master|my|bind|ldap|deploy)[-_. ]?pass$|passphrase|passcode|${FOREIGN_PARTS.join("|")}`,
);
/** Names of keys, which machines make. `key` and `auth` alone are no such names. */
const SECRET =
  /secret|token|credentials?$|(?:api|access|auth|private|secret|encryption|signing|client|account|master|service|session|admin|server|app|storage|shared|webhook|deploy|licen[cs]e|crypt|hmac|rsa|ssh|jwt)[-_. ]?keys?(?![a-z])|keys?[-_.]?(?:base|secret)|auth[-_.]?(?:token|key|secret|code)|^_?auth$/;
/** Names with such a part that hold something else. */
const HARMLESS =
  /(?:public|primary|foreign|partition|sort|cache|idempotency|object|s3|row|group|lookup|translation|storage_bucket)[-_. ]?key|pub[-_]?key|key[-_. ]?(?:id|name|type|code|size|length|path|file|alias|board|word|frame|stroke|press|down|up|ring|pair|usage|store|version|format|prefix|vault_?(?:name|uri|url))|token[-_. ]?(?:type|count|limit|url|uri|endpoint|id$|name|length|budget|usage|expir|ttl|izer|ize|iz|kind|class|address|symbol|contract)|(?:max|min|num|total|prompt|completion|input|output|csrf|xsrf|next|page|continuation|sync|cancel|cancellation|eos|bos|pad|mask|stop|special)[-_. ]?tokens?|tokens$|secret[-_. ]?(?:name|id|arn|path|ref|version|manager)|secret(?:ary|ion)|passw(?:or)?d[-_. ]?(?:hash|policy|reset|field|length|label|hint|min|max|confirm|file|input|rules|strength)|hash|digest|checksum|integrity|sha\d|md5|etag|commit|fingerprint|thumbprint|author|authority|authentic|monkey|keyboard|turkey/;
const NAME_BEFORE = 48;
const NAME_AFTER = 32;
/**
 * End of a name, an operator and an opening quote: `=`, `":`, `:**`, `: string =`, ` | `, ` is `, `("`, `" value="`, `","value":"`. Quotes may
 * be escaped, and marks of Markdown stand around names, operators and values.
 */
const OPERATOR =
  /(?:(?:\\?["'`\])*]){0,2}(?:[ \t]{0,8}(?::[ \t]?[A-Za-z][\w.<>[\]|]{0,30}[ \t]{1,2}=(?=[ \t])|:=|=>|={1,3}|->|[:：]|<-|>|\||[→–—])|[ \t]{1,3}-(?=[ \t])|[ \t]{1,2}(?:for|to|of|on|do|für|zum|zur|vom|pour|du|de|del|para|da|di|per|voor|till|för|от|для|к)(?:[ \t][^\s:=|]{1,24}){1,6}?(?:[:=]|[ \t](?:is|ist|est|es|è|é|lautet):?)(?=[ \t])|[ \t]{1,3}(?:is|was|to|as|es|est|ist|lautet|jest|är|é|è)(?=[ \t:]):?|[是は는]|\\?["'],[ \t]?(?:\\?["']\w{1,12}\\?["']:[ \t]?\\?["']\w{1,16}\\?["'],[ \t]?)?\\?["'][vV]alue\\?["']:|["'],(?=[ \t"'])|["'][ \t]{1,3}value[ \t]?=)\*{0,2}[ \t]{0,8}(?:[rbuf]{0,2}["'`«“„‘]|\\["']|&quot;|\*{1,2})?)|\([ \t]?["'`]/y;
/** Space after an option of a command, `--api-key …`, and in prose: `the API key … has expired`. */
const SPACE = /[ \t]{1,2}["'`(«“„‘]?/y;
const QUOTED = /[^\s"'`\\<>»”“’]{4,512}/y;
const UNQUOTED = /[^\s"'`\\<>,;)\]}]{4,512}/y;
/** Value in the query of a URL, and in a cell of a table. */
const PARAMETER = /[^\s"'`\\<>,;)\]}&#]{4,512}/y;
const CELL = /[^\s"'`\\<>,;)\]}|]{4,512}/y;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Bits for each character that hexadecimal digits may have less. */
const HEX_DIFFERENCE = 0.7;
/** Integrity of a lock file, or a hash that names its algorithm. */
const HASH = /^(?:sha\d{1,3}|md5|blake\w{2,4})[-:$]/i;

/** Values of assignments, in programs, environment files, JSON, YAML or prose, whose names say that they are secret. */
export function assignmentRules(leastEntropy: number, isAllowed: (value: string) => boolean): readonly TriggerRule[] {
  const find = (view: TextView, start: number, end: number, longest: number): RuleMatch | undefined => {
    const name = nameAround(view.folded, start, end);
    if (name === undefined) return undefined;
    const operator = operatorAt(view.text, name);
    if (operator === undefined) return undefined;
    const from = name.end + operator.length;
    const pattern = patternOf(operator, name);
    pattern.lastIndex = from;
    const value = trimmed((pattern.exec(view.text)?.[0] ?? "").slice(0, longest), operator);
    if (!isSecretValue(name, value, { isProse: isProse(operator, name), leastEntropy }) || isAllowed(value))
      return undefined;
    return { start: from, end: from + value.length, score: name.isPassword ? 0.7 : 0.75 };
  };
  const rule = { type: "SECRET", score: 0.7, views: "decoded", before: 0, within: "line" } as const;
  return [
    {
      ...rule,
      name: "assigned-secret",
      triggers: [
        ...[...PARTS, "pass"].flatMap((part) => AFTER_PART.map((after) => part + after)),
        ...FOREIGN_PARTS.flatMap((part) => AFTER_FOREIGN_PART.map((after) => part + after)),
      ],
      find: (view, start, end) => find(view, start, endOfPart(view.folded, end), 512),
      reach: 640,
    },
    {
      ...rule,
      name: "named-secret",
      triggers: [...PARTS, ...FOREIGN_PARTS].map((part) => `${part} `),
      find: (view, start, end) => find(view, start, end - 1, LONGEST_IN_PROSE),
      reach: LONGEST_IN_PROSE + 96,
    },
  ];
}

/** Offset after the letters of a trigger. */
function endOfPart(folded: string, end: number): number {
  let at = end;
  while (!/\p{L}|\p{M}/u.test(folded.charAt(at - 1)) || /[是は는]/.test(folded.charAt(at - 1))) at--;
  return at;
}

/** Returns true where a sentence may go on after a name: `password is …`, `password …`. */
function isProse(operator: string, { isOption }: SecretName): boolean {
  return (
    /^\W*\s(?:is|was|to|as|es|est|ist|lautet|jest|är|é|è)(?![\p{L}])/u.test(operator) ||
    (!isOption && /^\s+(?:\W?$|\p{L})/u.test(operator))
  );
}

/** Name that says that a value is secret. */
export interface SecretName {
  readonly end: number;
  /** True for `--name`, an option of a command. */
  readonly isOption: boolean;
  readonly isPassword: boolean;
  /** True for a parameter in the query of a URL. */
  readonly isParameter: boolean;
}

function patternOf(operator: string, { isParameter }: SecretName): RegExp {
  if (isParameter && operator === "=") return PARAMETER;
  if (operator.includes("|")) return CELL;
  return /["'`;«“„‘]$/.test(operator) ? QUOTED : UNQUOTED;
}

function operatorAt(text: string, { end }: SecretName): string | undefined {
  OPERATOR.lastIndex = end;
  SPACE.lastIndex = end;
  return (OPERATOR.exec(text) ?? SPACE.exec(text))?.[0];
}

/** Returns the name around a trigger, unless it is the name of something else. */
export function nameAround(folded: string, triggerStart: number, triggerEnd: number): SecretName | undefined {
  let start = triggerStart;
  while (triggerStart - start < NAME_BEFORE && isNameCharacter(folded.charCodeAt(start - 1))) start--;
  let end = triggerEnd;
  while (end - triggerEnd < NAME_AFTER && isNameCharacter(folded.charCodeAt(end))) end++;
  // In prose the words before it complete a name: `API key`.
  const before = /(?:^|[^a-z0-9])([a-z]{2,12}[ -])$/.exec(folded.slice(Math.max(0, start - 14), start))?.[1] ?? "";
  const name = before + folded.slice(start, end);
  if (HARMLESS.test(name)) return undefined;
  const isPassword = PASSWORD.test(name);
  if (!isPassword && !SECRET.test(name)) return undefined;
  const isParameter = /[?&]/.test(folded.charAt(start - 1));
  return { end, isPassword, isParameter, isOption: folded.startsWith("--", start) };
}

function isNameCharacter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || code === 95 || code === 45 || code === 46;
}

/** Punctuation after a value in prose does not belong to it, nor do marks of Markdown around it. */
function trimmed(value: string, operator: string): string {
  const marks = /\*+$/.exec(operator)?.[0];
  const bare = marks !== undefined && value.endsWith(marks) ? value.slice(0, -marks.length) : value;
  return bare.replace(/[.,;:!?]{1,3}$/, "");
}

/** Returns true if a value of a name is secret: a password, or for other names what a machine made by chance. */
export function isSecretValue(
  { isPassword: isOfPassword }: SecretName,
  value: string,
  { isProse, leastEntropy }: { readonly isProse: boolean; readonly leastEntropy: number },
): boolean {
  return isOfPassword ? isPassword(value, isProse) : isMachineMade(value, leastEntropy);
}

function isHarmless(value: string): boolean {
  return UUID.test(value) || HASH.test(value) || hasOwnFormat(value) || isPlaceholderValue(value) || isReference(value);
}

/** Returns true for a value that a machine made by chance: long, of letters and digits, evenly spread and mixed. */
function isMachineMade(value: string, leastEntropy: number): boolean {
  if (value.length < 16) return false;
  const entropy = entropyOf(value);
  if (entropy < leastEntropy - HEX_DIFFERENCE || !/^[\w+/=.~:!@#$%^&*-]+$/.test(value)) return false;
  const isHex = /^(?:0x)?[0-9a-f]+$/i.test(value);
  if (isHex) return value.length >= 20 && /[a-f]/i.test(value) && /\d/.test(value) && !isHarmless(value);
  if (entropy < leastEntropy || !isRandomText(value)) return false;
  // Paths, domains and versions have words between their separators.
  return !/^[./~]|[a-z]{4}[./][a-z]{3}|^[A-Za-z$_]+\.[A-Za-z$_.]+$/.test(value) && !isHarmless(value);
}

/** Returns true for a password: characters of two classes at least, no word of a language, and no expression of a program. */
function isPassword(value: string, isProse: boolean): boolean {
  if (
    value.length < 6 ||
    value.length > 128 ||
    isHarmless(value) ||
    /^(?:\/|\.|https?:)|[([{]$|^[\w$]+[.([]/.test(value)
  )
    return false;
  const hasDigit = /\d/.test(value);
  const hasSymbol = /[!@#$%^&*+~?=|]/.test(value);
  const hasCases = /[a-z]/.test(value) && /[A-Z]/.test(value);
  if (!/[A-Za-z]/.test(value)) return false;
  if (!hasDigit && !(hasSymbol && hasCases)) return !isProse && value.length >= 10 && hasCases && isRandomText(value);
  return isProse ? hasSymbol || (hasCases && mixtureOf(value) >= 0.3) : mixtureOf(value) >= 0.12;
}
