import type { RuleMatch, TextView, TriggerRule } from "../detector.js";
import { isSecretValue } from "./assignments.js";

/** Commands and files that hold a password without a name, with what stands between their name and the password. */
const PLACES: readonly (readonly [triggers: string, before: string, value?: string])[] = [
  ["curl |wget |xh ", "(?:.{0,160} )?(?:-u|--user|--proxy-user)[ =]?[\"']?[^\\s:\"']{1,64}:"],
  ["mysql|mysqldump|mysqladmin|mariadb", "[^\\n]{0,120} -p"],
  ["sshpass|docker login|podman login|mongosh|mongodump|evil-winrm|az login", "[^\\n]{0,160} -p "],
  ["redis-cli", "[^\\n]{0,120} -a "],
  ["htpasswd", " -\\w{0,4}b\\w{0,4} \\S{1,80} \\S{1,64} "],
  ["smbclient|rpcclient|smbmap", "[^\\n]{0,120} -U [\"']?[^\\s%]{1,64}%"],
  ["openssl ", "[^\\n]{0,160}(?: -k | -pass(?:in|out)? pass:)"],
  ["ldapsearch|ldapmodify|ldapadd|ldappasswd", "[^\\n]{0,160} -w "],
  ["sqlcmd|unzip|zip |mosquitto_", "[^\\n]{0,120} -P "],
  ["plink |pscp |winscp", "[^\\n]{0,120} -pw "],
  ["net use", "[^\\n]{0,80} /user:\\S{1,64} "],
  ["lftp", "[^\\n]{0,80} -u [^\\s,]{1,64},"],
  ["keytool", "[^\\n]{0,160} -(?:store|key)pass "],
  ["xfreerdp|cmdkey", "[^\\n]{0,120} /p(?:ass)?:"],
  // JDBC and SQL*Plus.
  ["thin:|sqlplus ", "[\\w$]{1,32}\\/", "[^\\s/@]{4,64}(?=@)"],
  // The file .pgpass.
  [":5432:|:5433:|:6432:|:*:", "[\\w.*-]{1,64}:[\\w.@*-]{1,64}:(?=\\S{4,128}\\s{0,4}(?:\\n|$))"],
];
/** Words before the words of a wallet. */
const WALLETS =
  "seed phrase|seed words|seedphrase|mnemonic|recovery phrase|recovery words|recovery seed|secret phrase|backup phrase|wallet backup|wallet seed|12 words|24 words|wiederherstellungsphrase|phrase de récupération|frase semilla|frase de recuperación|助记词|シードフレーズ";
const MNEMONIC = /s?(?:[^\p{L}\n]{1,4}\p{L}{1,12}){0,3}?((?:[^\p{L}]{1,8}[a-z]{3,8}(?!\p{L})){12,24})/uy;
/** Words of sentences that the list of BIP-39 does not have. */
const OF_SENTENCES =
  /\b(?:the|and|for|was|were|are|his|her|our|your|from|not|but|has|had|have|with|which|never|them|who|also|any)\b/;

/** Passwords in commands and in files without names, and the words that restore a wallet. */
export function commandSecretRules(
  leastEntropy: number,
  isAllowed: (value: string) => boolean,
): readonly TriggerRule[] {
  const base = { type: "SECRET", before: 0, reach: 640 } as const;
  const places = PLACES.map(([triggers, before, value = "[^\\s\"'`]{4,128}"]): TriggerRule => {
    const pattern = new RegExp(`${before}["']?(${value})`, "y");
    const find = ({ text }: TextView, _start: number, end: number): RuleMatch | undefined => {
      pattern.lastIndex = end;
      const value = pattern.exec(text)?.[1] ?? "";
      const to = pattern.lastIndex;
      const name = { end, isPassword: true, isOption: true, isParameter: false };
      if (!isSecretValue(name, value, { isProse: false, leastEntropy }) || isAllowed(value)) return undefined;
      return { start: to - value.length, end: to };
    };
    return { ...base, name: "command-password", score: 0.8, triggers: triggers.split("|"), within: "line", find };
  });
  return [...places, { ...base, name: "wallet-words", score: 0.9, triggers: WALLETS.split("|"), find: findWords }];
}

function findWords({ folded }: TextView, _start: number, end: number): RuleMatch | undefined {
  MNEMONIC.lastIndex = end;
  const words = MNEMONIC.exec(folded)?.[1];
  if (words === undefined || OF_SENTENCES.test(words)) return undefined;
  const to = MNEMONIC.lastIndex;
  return { start: to - words.trimStart().length, end: to };
}
