import type { RuleMatch, TextView, TriggerRule } from "../detector.js";
import { isAlphanumeric } from "./boundaries.js";
import { isPlaceholderValue, isReference } from "./placeholders.js";

/** User, password and host after `://`; the password ends at the last `@` before the path. */
const USER_INFO = /([^\s:@/?#"'`<>]{0,128}):([^\s@/"'`<>]{1,256})@([^\s@/:"'`<>,?#]{1,255})/y;
const LONGEST_SCHEME = 24;
/** Passwords of development servers and documentation. */
const COMMON =
  /^(?:pass|passwd|password|pwd|secret|user|username|root|admin|postgres|mysql|mongo|redis|guest|rabbitmq|test|example|changeit|pw|p4ssw0rd|\d{1,4})$/i;

/**
 * URLs with a password: connection strings such as `postgres://ada:…@db.example.org/app`, and basic authentication in
 * `https://ada:…@example.org`.
 */
export function credentialUrlRules(isAllowed: (value: string) => boolean): readonly TriggerRule[] {
  const find = ({ text, folded }: TextView, start: number, end: number): RuleMatch | undefined => {
    USER_INFO.lastIndex = end;
    const [, user = "", password = ""] = USER_INFO.exec(text) ?? [];
    if (password === "" || isHarmless(user, password) || isAllowed(password)) return undefined;
    const from = schemeStart(folded, start);
    return from === start ? undefined : { start: from, end: USER_INFO.lastIndex };
  };
  return [
    {
      name: "url-with-password",
      type: "SECRET",
      score: 0.9,
      triggers: ["://"],
      before: LONGEST_SCHEME,
      within: "word",
      find,
      reach: 700,
    },
  ];
}

function isHarmless(user: string, password: string): boolean {
  if (password.length < 4 || password === user || COMMON.test(password)) return true;
  return isPlaceholderValue(password) || isReference(password) || /^[[{<($%*]|^:/.test(password);
}

/** Returns the offset at which the scheme before `://` starts. */
function schemeStart(folded: string, end: number): number {
  let start = end;
  while (end - start < LONGEST_SCHEME && start > 0) {
    const code = folded.charCodeAt(start - 1);
    if (!isAlphanumeric(code) && code !== 43 && code !== 45 && code !== 46) break;
    // The letter of an escape such as `\n` stands before the scheme.
    if (folded.charCodeAt(start - 2) === 92 && /[nrt]/.test(folded.charAt(start - 1))) break;
    start--;
  }
  return start;
}
