// cspell:ignore processbuilder
/** Pattern of an attack, tried where one of its triggers stands. */
export interface Phrase {
  readonly triggers: readonly string[];
  /** INVARIANT: sticky, and each repetition has a bound. */
  readonly pattern: RegExp;
}

/** Patterns that are commands of attacks wherever they stand. */
export const SHELL_PHRASES: readonly Phrase[] = [
  {
    triggers: ["rm -"],
    pattern:
      /rm\s{1,4}(?:-{1,2}[a-z-]{1,24}\s{1,4}){1,4}["']?(?:\/(?:\s|$|\*|["';&|)])|~|\/(?:etc|bin|usr|var|home|root|boot|lib)\b|\*|\.\s|\$)/iy,
  },
  { triggers: ["/dev/tcp/", "/dev/udp/"], pattern: /\/dev\/(?:tcp|udp)\/[\w.$-]{1,64}\/\w{1,8}/iy },
  { triggers: ["bash -i", "sh -i"], pattern: /(?:ba)?sh\s-i\s{0,4}(?:>|<|2>|\d)/iy },
  {
    triggers: ["nc ", "ncat ", "netcat "],
    pattern:
      /n(?:c|cat|etcat)\s{1,4}(?:-[a-z0-9]{1,8}\s{1,4}){0,4}(?:(?:\w[\w-]{0,30}\.[\w.-]{1,64}|localhost)\s{1,4}\d{1,5}\b|(?<=-\S{0,8}\s{1,4})(?:\d{2,5}\b|\/))/iy,
  },
  { triggers: [":(){", ":()"], pattern: /:\(\)\s{0,2}\{\s{0,2}:\s{0,2}\|\s{0,2}:\s{0,2}&\s{0,2}\}\s{0,2};\s{0,2}:/y },
  { triggers: ["${ifs}", "$ifs"], pattern: /\$\{?ifs\}?/iy },
  { triggers: ["mkfifo "], pattern: /mkfifo\s{1,4}\/tmp\/\w{1,32}/iy },
  {
    triggers: ["powershell"],
    pattern:
      /powershell(?:\.exe)?\s{1,4}(?:-\w{1,24}\s{1,4}(?:\w{1,24}\s{1,4})?){0,4}-(?:e|en|enc|enco|encodedcommand|c|command)\b/iy,
  },
  {
    triggers: ["iex", "invoke-expression"],
    pattern:
      /(?:iex|invoke-expression)\s{0,4}[(&]?\s{0,4}\(?\s{0,4}(?:new-object|iwr|invoke-webrequest|\(?\[|curl|irm)/iy,
  },
  { triggers: ["certutil"], pattern: /certutil(?:\.exe)?\s{1,4}-(?:urlcache|decode)/iy },
  {
    triggers: ["chmod "],
    pattern: /chmod\s{1,4}(?:-R\s{1,4})?(?:[+u]{0,2}\+?[xs]|0?[4-7]?777)\s{1,4}\/(?:tmp|etc|bin|dev|$|\s)/iy,
  },
  {
    triggers: ["curl ", "wget "],
    pattern: /(?:curl|wget)\s{1,4}[^|;&\n`]{1,200}\|\s{0,4}(?:sudo\s{1,4})?(?:ba|z|k|da)?sh\b/iy,
  },
  { triggers: ["base64 -"], pattern: /base64\s{1,4}(?:-d|-D|--decode)[^|;&\n]{0,64}\|\s{0,4}(?:ba|z)?sh\b/iy },
  { triggers: ["/etc/passwd", "/etc/shadow"], pattern: /\/etc\/(?:passwd|shadow)\s{0,2}(?:[|;&`)]|%00)/iy },
  { triggers: ["dd if="], pattern: /dd\s{1,4}if=\/dev\/(?:zero|u?random)\s{1,4}of=\/dev\//iy },
  { triggers: ["mkfs"], pattern: /mkfs(?:\.\w{1,12})?\s{1,4}(?:-\w{1,12}\s{1,4}){0,4}\/dev\/\w/iy },
  {
    triggers: ["{cat,", "{ls,", "{rm,", "{nc,", "{curl,", "{wget,", "{bash,", "{sh,"],
    pattern: /\{\w{2,4},[^{}\s]{0,64}[/-][^{}\s]{0,64}\}/y,
  },
  { triggers: ["$0<<<", "sh<<<", "rev<<<"], pattern: /(?:\$0|sh|rev)<<<\s?['"]?\w/iy },
  { triggers: ["/???/"], pattern: /\/\?{3}\/[\w?*]{1,16}\s{1,4}[\w/?*-]/y },
  { triggers: ["<(curl", "<(wget"], pattern: /<\((?:curl|wget)\s/iy },
  {
    triggers: ["--checkpoint-action", "--use-compress-program", "--upload-pack", "--to-command"],
    pattern: /--(?:checkpoint-action=exec|(?:use-compress-program|upload-pack|to-command)=)/y,
  },
  { triggers: ["cmd /", "cmd.exe /"], pattern: /cmd(?:\.exe)?\s\/[ck]\s{1,2}\S/iy },
  {
    triggers: ["start-process"],
    pattern: /start-process\s{1,4}(?:-filepath\s{1,4})?["']?(?:cmd|powershell|pwsh|https?:)/iy,
  },
  { triggers: ["() {"], pattern: /\(\)\s\{\s{0,4}:;\s{0,4}\};/y },
];

/** Calls that run commands from programs: NeMo Guardrails' kind `code`. */
export const CODE_CALLS: readonly Phrase[] = [
  {
    triggers: ["__import__"],
    pattern:
      /__import__\s{0,4}\(\s{0,4}['"](?:os|subprocess|sys|builtins|socket|pty|shutil|ctypes|importlib|base64|urllib|requests|platform)/y,
  },
  { triggers: ["os."], pattern: /os\s{0,2}\.\s{0,2}(?:system|popen|exec[lv]p?e?|spawn[lv]p?e?)\s{0,4}\(/y },
  {
    triggers: ["subprocess."],
    pattern:
      /subprocess\s{0,2}\.\s{0,2}(?:Popen|call|run|check_output|check_call|getoutput|getstatusoutput)\s{0,4}\(\s{0,4}(?:\[?\s{0,4}['"](?:\/bin\/|sh|bash|cat|ls|id|whoami|curl|wget|nc|rm|python|uname|cmd)|[^)]{0,80}shell\s{0,2}=\s{0,2}True)/y,
  },
  {
    triggers: ["eval(", "exec("],
    pattern:
      /(?:eval|exec)\(\s{0,4}(?:compile|base64|__import__|atob|unescape|decodeURIComponent|String\.fromCharCode|gzinflate|str_rot13|bytes|codecs|requests|urllib|input\(|\$_(?:GET|POST|REQUEST|COOKIE)|['"](?:import|__|require|process|cat|id|whoami|ls|uname|curl|wget|rm)|\(?Buffer)/y,
  },
  {
    triggers: ["child_process"],
    pattern:
      /child_process['"]?\s{0,4}\)?\s{0,4}\.\s{0,4}(?:exec|spawn|fork|execSync|spawnSync|execFile)\w{0,8}\s{0,4}\(/y,
  },
  { triggers: ["getruntime"], pattern: /getRuntime\s{0,4}\(\s{0,4}\)\s{0,4}\.\s{0,4}exec\s{0,4}\(/y },
  {
    triggers: ["system(", "passthru(", "shell_exec(", "popen(", "proc_open(", "exec("],
    pattern:
      /(?:system|passthru|shell_exec|popen|proc_open|exec)\(\s{0,4}(?:\$_(?:GET|POST|REQUEST|COOKIE|SERVER)|base64_decode|['"](?:id|whoami|ls|cat |uname|rm |curl |wget |nc |bash|sh |\/bin\/|ping |cmd|dir|net |type |echo |sleep |powershell|calc|python))/iy,
  },
  {
    triggers: ["process.mainmodule", "process.binding"],
    pattern: /process\.(?:mainModule\.(?:require|constructor)|binding)\s{0,4}[.(]/y,
  },
  {
    triggers: ["__builtins__", "__globals__", "__subclasses__"],
    pattern: /__(?:builtins|globals|subclasses)__\s{0,4}[[(.]/y,
  },
  { triggers: ["importlib."], pattern: /importlib\.import_module\s{0,4}\(\s{0,4}['"](?:os|subprocess|pty|socket)/y },
  {
    triggers: ["pickle.loads", "yaml.load(", "marshal.loads"],
    pattern: /(?:pickle\.loads|marshal\.loads|yaml\.load)\s{0,4}\(\s{0,4}(?:base64|b?['"]|codecs|bytes)/y,
  },
  {
    triggers: ["<?php", "<?="],
    pattern:
      /<\?(?:php|=)[^?]{0,200}(?:\$_(?:GET|POST|REQUEST|COOKIE)|system|exec|passthru|eval|base64_decode|shell_exec|phpinfo)\b/iy,
  },
  {
    triggers: ["processbuilder(", "process.start(", "deno.run(", "deno.command("],
    pattern: /(?:ProcessBuilder|Process\.Start|Deno\.(?:run|Command))\(\s{0,4}[[{"'][^)]{0,64}["']/y,
  },
  { triggers: ['open("|', "open('|"], pattern: /open\(["']\|\s{0,2}\w/y },
  { triggers: ["pty.spawn"], pattern: /pty\.spawn\s{0,4}\(/y },
  { triggers: ["socket.socket"], pattern: /socket\.socket\([^)]{0,80}\)[\s\S]{0,120}(?:os\.dup2|\.connect\s{0,2}\()/y },
];
