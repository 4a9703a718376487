/** Commands that attacks run after another one, and arguments that distinguish them from words. */
const READERS =
  "cat|tac|head|tail|less|more|nl|strings|xxd|od|base64|grep|find|ls|dir|type|cp|mv|tar|zip|awk|sed|vi|tee|ln|chmod|chown".split(
    "|",
  );
const RECON =
  "id|whoami|uname|hostname|pwd|ps|env|printenv|set|ifconfig|ipconfig|netstat|w|who|ls|dir|ver|systeminfo|net|tasklist|date|uptime|arp|route".split(
    "|",
  );
const NETWORK =
  "curl|wget|nc|ncat|netcat|telnet|ping|nslookup|dig|host|ftp|tftp|scp|ssh|rsync|socat|certutil|bitsadmin|powershell|pwsh|invoke-webrequest|iwr".split(
    "|",
  );
const RUNNERS =
  "sh|bash|zsh|ksh|dash|python|python3|perl|ruby|php|node|lua|cmd|cmd.exe|vim|eval|exec|xargs|sudo|su|nohup|busybox|osascript|awk|env".split(
    "|",
  );
const BREAKERS =
  "rm|rmdir|del|shutdown|reboot|halt|poweroff|kill|killall|pkill|dd|mkfs|format|sleep|timeout|echo|touch|mkdir|mkfifo|crontab|useradd|adduser|passwd|wall|iptables|systemctl|service|history|export|alias".split(
    "|",
  );

const PATH =
  /(?:^|[\s"'=@<>])(?:\/(?:etc|bin|usr|tmp|dev|proc|var|root|home|opt|sys)\/|~\/|\.\.\/|\/\s?$|\/\*|[a-z]:\\|%[a-z]{4,16}%|\$(?:home|path|user|ifs|\{?[a-z_]{2,16}\}?)|\.\/|\/etc)/i;
const OPTION = /(?:^|\s)-{1,2}[a-z]/i;
const HOST = /https?:\/\/|\b\d{1,3}(?:\.\d{1,3}){3}\b|\b[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,4}\.[a-z]{2,12}\b/i;
const PIPE_TO_SHELL =
  /\|\s{0,4}(?:sudo\s{1,4})?(?:ba|z|k|da)?sh\b|\|\s{0,4}(?:python3?|perl|ruby|php|node|base64|nc|tee)\b/i;

/** Decides from the arguments of a command, and from whether a command without arguments counts, if it is an attack. */
type Decision = (rest: string, isBare: boolean) => boolean;

/** Commands by name. */
export const COMMANDS: ReadonlyMap<string, Decision> = new Map([
  ...READERS.map((name) => [name, (rest: string) => PATH.test(rest) || hasOptions(name, rest)] as const),
  ...RUNNERS.map(
    (name) =>
      [
        name,
        (rest: string, isBare: boolean) =>
          /^\s{1,4}-(?:c|e|i|r)\b/i.test(rest) ||
          /^\s{0,2}\/[ck]\b/i.test(rest) ||
          PATH.test(rest) ||
          (isBare && /^\s{0,2}$/.test(rest)),
      ] as const,
  ),
  ...NETWORK.map(
    (name) =>
      [
        name,
        (rest: string) =>
          HOST.test(rest) || /^\s{1,4}-[enclp]/i.test(rest) || /\$\(|`/.test(rest) || PIPE_TO_SHELL.test(rest),
      ] as const,
  ),
  ...["mshta", "rundll32", "regsvr32", "wmic", "cscript", "wscript"].map(
    (name) => [name, (rest: string) => /^\s{1,4}[\w/"'\\]/.test(rest)] as const,
  ),
  ...BREAKERS.map((name) => [name, breaks.bind(undefined, name)] as const),
  ...RECON.map(
    (name) =>
      [
        name,
        (rest: string, isBare: boolean) =>
          (isBare && /^\s{0,2}(?:$|[;#&)`'"]|>\s?\/|\|(?!.{0,40}\|))/.test(rest)) ||
          (/^\s{1,4}-{1,2}[a-z]/i.test(rest) && !/^(?:w|set|date|host)$/.test(name)) ||
          (name === "ps" && /^\s{1,4}(?:aux|axu?|ef)\b/.test(rest)) ||
          (name === "net" && /^\s(?:user|localgroup|view|share)\b/.test(rest)) ||
          ((name === "ls" || name === "dir") && PATH.test(rest)),
      ] as const,
  ),
]);

/** `ls -la`, `find / -name x`: options that sentences do not have. */
function hasOptions(name: string, rest: string): boolean {
  if (name === "find") return /^\s{1,4}(?:[/~]|\.{1,2}(?=[/\s]))\S{0,64}\s{1,4}-[a-z]/i.test(rest);
  return name === "ls" && OPTION.test(rest);
}

function breaks(name: string, rest: string, isBare: boolean): boolean {
  switch (name) {
    case "rm":
    case "rmdir":
    case "del":
    case "touch":
    case "mkdir":
      return (
        OPTION.test(rest.slice(0, 12)) ||
        PATH.test(rest) ||
        (name !== "mkdir" && /^\s{1,2}[\w*.-]{1,64}\s{0,2}(?:$|[;&|])/.test(rest))
      );
    case "shutdown":
    case "reboot":
    case "halt":
    case "poweroff":
      return (isBare && /^\s{0,2}(?:$|[;&|#)`'"])/.test(rest)) || /^\s{1,4}(?:-[hrf]|\/[srf]|now)/i.test(rest);
    case "sleep":
    case "timeout":
      return /^\s{1,4}(?:\/t\s)?\d{1,4}s?\s{0,2}(?:$|[;&|#)`'"])/i.test(rest);
    case "echo":
      return /^\s{1,4}[^>|]{0,80}(?:>\s{0,2}[\w/.]|\$\(|`|\$\{?[A-Z_]{2,}|\|)/.test(rest);
    case "kill":
    case "killall":
    case "pkill":
      return /^\s{1,4}-\d/.test(rest);
    case "format":
      return /^\s{1,4}[a-z]:/i.test(rest);
    default:
      return PATH.test(rest) || OPTION.test(rest.slice(0, 12));
  }
}
