import type { RuleMatch, TextView, TriggerRule } from "../../detector.js";
import { isReadable } from "../../readable-view.js";
import { type Attribute, plainValue, readTag, type Tag } from "./attributes.js";

const SCRIPT_URL =
  /^(?:javascript|vbscript|livescript|mocha):|^data:(?:text\/(?:html|javascript)|application\/(?:xhtml|javascript)|image\/svg)|^[^:]{0,8};url=(?:javascript|data|vbscript):|;url=(?:javascript|data|vbscript):/;
const SCRIPT_STYLE = /expression\(|javascript:|vbscript:|-moz-binding|behaviou?r:|@import/;
const HANDLER = /^on[a-z]{3,24}$/;
/** Attributes whose values frameworks run, and what templates of a page do not call in them. */
const DIRECTIVE = /^(?:x-(?:data|init|html|on)|hx-on|v-html|ng-init)\b/;
const CALLED = /\b(?:alert|eval|fetch|import|atob)\s?\(|\b(?:document|window|location)\.|<\w/i;
/** Elements that load or run something by an attribute. */
const LOADERS: Readonly<Record<string, readonly string[]>> = {
  script: ["src", "href", "xlink:href"],
  iframe: ["src", "srcdoc"],
  frame: ["src"],
  object: ["data", "classid"],
  embed: ["src"],
  applet: ["code", "archive", "codebase"],
  xml: ["src"],
  base: ["href"],
  bgsound: ["src"],
  import: ["implementation"],
  portal: ["src"],
};
const CALL = /[\w$.\])]\s{0,4}(?:\(|`)|[\w$\]]\s{0,4}=[^=>]|&lpar;|&#|\\u00|document|window|location|eval|fetch/i;
const HANDLERS =
  "load|error|click|mouseover|mouseenter|mousemove|mousedown|mouseup|mouseout|focus|blur|toggle|start|begin|end|keydown|keyup|keypress|input|change|submit|resize|scroll|wheel|drag|drop|copy|cut|paste|pointerover|pointerdown|pointerenter|animationstart|animationend|transitionend|pageshow|hashchange|popstate|message|beforeunload|unload|beforeprint|auxclick|contextmenu|dblclick|finish|bounce|canplay|play|loadstart|readystatechange|focusin|search|select".split(
    "|",
  );
const HANDLER_VALUE = /\s{0,16}=\s{0,16}(?:"[^"]{0,512}|'[^']{0,512}|`[^`]{0,512}|[^\s>"'`{][^>"'`]{0,255})/y;
const URL_VALUE = /[^\s<>"')\]]{1,512}/y;

/** Characters of a tag, and after it, that are read; handlers and URLs after them are found by their own rules. */
const LONGEST_TAG = 768;
const LONGEST_BODY = 240;

/** Scripts in markup: elements, event handlers, `javascript:` URLs and styles that run code. */
export const SCRIPT_RULES: readonly TriggerRule[] = [
  {
    name: "script-markup",
    type: "SCRIPT_INJECTION",
    score: 0.9,
    triggers: ["<"],
    before: 0,
    find: findTag,
    reach: LONGEST_TAG + LONGEST_BODY + 16,
  },
  {
    name: "script-handler",
    type: "SCRIPT_INJECTION",
    score: 0.8,
    triggers: HANDLERS.map((name) => `on${name}`),
    before: 0,
    find: findHandler,
    reach: 640,
  },
  {
    name: "script-utf-7",
    type: "SCRIPT_INJECTION",
    score: 0.8,
    triggers: ["+adw-"],
    before: 0,
    within: "word",
    find: ({ text }, start, end) =>
      /^\/?(?:script|img|svg|iframe|body)\b/i.test(text.slice(end, end + 8)) ? { start, end } : undefined,
    reach: 64,
  },
  {
    name: "script-url",
    type: "SCRIPT_INJECTION",
    score: 0.8,
    triggers: ["javascript:", "vbscript:", "data:text/html"],
    before: 0,
    within: "word",
    find: findUrl,
    reach: 640,
  },
  {
    name: "script-string",
    type: "SCRIPT_INJECTION",
    score: 0.8,
    triggers: ["alert(", "alert`", "prompt(", "confirm(", "eval(", "fetch("],
    before: 8,
    within: "line",
    find: findStringBreak,
    reach: 200,
  },
];

const BREAK = /(["'`])[\])}]{0,3}[-+*/;,|&^]{1,3}\s{0,2}$/;
const AFTER_BREAK =
  /\w{3,8}[(`][^()`]{0,64}(?:\([^()]{0,64}\))?[)`]\s{0,2};?(?:[-+*|&^,]{1,2}\s{0,2}["'`]|\/\/|\/\*|<!--)/iy;
/** Characters before a call in which the text of a program may begin. */
const STRING = 64;

/** `"-alert(1)-"`, `';alert(1)//`: a call that leaves the text of a program it was put in, at whose start a quote stands open. */
function findStringBreak(view: TextView, start: number): RuleMatch | undefined {
  const { text } = view;
  const broken = BREAK.exec(text.slice(Math.max(0, start - 8), start));
  AFTER_BREAK.lastIndex = start;
  if (broken === null || !AFTER_BREAK.test(text) || !isReadable(view, start, AFTER_BREAK.lastIndex)) return undefined;
  const from = start - broken[0].length;
  const before =
    text
      .slice(Math.max(0, from - STRING), from)
      .split("\n")
      .at(-1) ?? "";
  // A quote that closes a text in the same line is one of a program.
  const isOpen = before.split(broken[1] ?? "").length % 2 === 1;
  return isOpen ? { start: from, end: AFTER_BREAK.lastIndex } : undefined;
}

function findTag(view: TextView, start: number): RuleMatch | undefined {
  const { text } = view;
  if (!/[a-z/]/i.test(text.charAt(start + 1))) return undefined;
  const tag = readTag(text.slice(start, start + LONGEST_TAG), 0);
  if (tag === undefined) return undefined;
  const end = start + tag.end;
  if (!isReadable(view, start, end)) return undefined;
  const score = scoreOfTag(tag, text.slice(end, end + LONGEST_BODY));
  return score === undefined ? undefined : { start, end, score };
}

/** @param body - text after the tag */
function scoreOfTag(tag: Tag, body: string): number | undefined {
  if (tag.attributes.some((attribute) => runsCode(attribute)) || setsHandler(tag)) return 0.95;
  const loaders = Object.hasOwn(LOADERS, tag.name) ? LOADERS[tag.name] : undefined;
  if (
    loaders !== undefined &&
    tag.attributes.some(({ name, value }) => loaders.includes(name) && value !== "" && value !== "#")
  )
    return 0.8;
  // The text after a tag decides: a sentence may mention `<script>`.
  switch (tag.name) {
    case "script":
      return isProse(body) ? undefined : 0.9;
    case "style":
      return SCRIPT_STYLE.test(plainValue(body.split(/<\/style/i)[0] ?? "")) || hasType(tag, "javascript")
        ? 0.85
        : undefined;
    case "link":
      return hasExternalLink(tag) ? 0.6 : undefined;
    case "meta":
      return isMetaLink(tag) ? 0.7 : undefined;
    default:
      return undefined;
  }
}

function runsCode({ name, value }: Attribute): boolean {
  if (HANDLER.test(name)) return value !== "" && !value.startsWith("{");
  if (value === "") return false;
  if (name === "datasrc" || name === "srcdoc") return true;
  if (DIRECTIVE.test(name)) return CALLED.test(value);
  const plain = plainValue(value);
  return name === "style" ? SCRIPT_STYLE.test(plain) || /url\(['"]?javascript/.test(plain) : SCRIPT_URL.test(plain);
}

/** `<set attributeName=onload to=…>`. */
function setsHandler({ attributes }: Tag): boolean {
  return attributes.some(({ name, value }) => name === "attributename" && HANDLER.test(value.toLowerCase()));
}

/** Returns true where no code follows `<script>`: in backticks, quotes or a sentence. */
function isProse(body: string): boolean {
  const content = body.split(/<\/script/i)[0] ?? "";
  return /^[`"')]/.test(body) || !CALL.test(content);
}

function hasType({ attributes }: Tag, type: string): boolean {
  return attributes.some(({ name, value }) => name === "type" && value.toLowerCase().includes(type));
}

function hasExternalLink({ attributes }: Tag): boolean {
  return (
    attributes.some(({ name, value }) => name === "href" && /^(?:https?:)?\/\//i.test(value.trim())) &&
    attributes.some(({ name, value }) => name === "rel" && /stylesheet|import|preload/i.test(value))
  );
}

function isMetaLink({ attributes }: Tag): boolean {
  return (
    attributes.some(({ name, value }) => name === "http-equiv" && /^(?:link|set-cookie)$/i.test(value)) ||
    (attributes.some(({ name, value }) => name === "http-equiv" && /refresh/i.test(value)) &&
      attributes.some(
        ({ name, value }) => name === "content" && /url=\s{0,4}['"]?(?:https?:|\/\/|data:|javascript:)/i.test(value),
      ))
  );
}

/** `x" onerror=alert(1)>`: a handler that leaves the attribute it was put in. Code reads `image.onerror = …`, and JSX `onClick={`. */
function findHandler(view: TextView, start: number, end: number): RuleMatch | undefined {
  const { text } = view;
  if (start > 0 && !/[\s"'`/>;]/.test(text.charAt(start - 1))) return undefined;
  HANDLER_VALUE.lastIndex = end;
  const value = HANDLER_VALUE.exec(text)?.[0];
  if (
    value === undefined ||
    !isReadable(view, start, HANDLER_VALUE.lastIndex) ||
    !CALL.test(value) ||
    /^\s*=\s*(?:function|async|\(|[\w$]+\s*=>)/.test(value)
  )
    return undefined;
  return { start, end: HANDLER_VALUE.lastIndex };
}

/** `javascript:alert(1)`, in a link of Markdown as well. */
function findUrl(view: TextView, start: number, end: number): RuleMatch | undefined {
  const { text } = view;
  if (start > 0 && /[\w.-]/.test(text.charAt(start - 1))) return undefined;
  URL_VALUE.lastIndex = end;
  const value = URL_VALUE.exec(text)?.[0] ?? "";
  const isData = view.folded.startsWith("data:", start);
  const stop = end + value.length;
  if (
    !isReadable(view, start, stop) ||
    !(isData ? /^[;,]/.test(value) : CALL.test(value) || /^\/\/|^(?:%|&)/.test(value))
  )
    return undefined;
  return { start, end: stop };
}
