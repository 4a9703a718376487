// cspell:ignore jndi
import type { RuleMatch, TextView, TriggerRule } from "../../detector.js";
import { oncePerView } from "../../scan/per-view.js";
import { isReadable } from "../../readable-view.js";

/** Delimiters of template engines, with the text that ends each. */
const DELIMITERS: Readonly<Record<string, string>> = {
  "{{": "}}",
  "{%": "%}",
  "{#": "}",
  "${": "}",
  "#{": "}",
  "*{": "}",
  "@{": "}",
  "%{": "}",
  "~{": "}",
  "@(": ")",
  "@system.": ")",
  "<%": "%>",
  "[[": "]]",
  "[=": "]",
  "{php}": "{/php}",
  "{system(": "}",
  "{$smarty": "}",
  "{smarty_": "}",
  "{if ": "}",
  "<#assign": ">",
  "<#": ">",
  "#set": ")",
  "#include": ")",
  "#foreach": ")",
  "$class.": ")",
  "__${": "}__",
};
const LONGEST = 512;

/** Product of two numbers, or of a number and a text: how attackers ask which engine it is. */
const PROBE =
  /^[\s={[(@]{0,8}['"]?\d{1,12}['"]?\s{0,4}(?:[*+%/-]|\|\s{0,4}(?:times|plus|minus|divided_by|modulo)\s{0,2}:)\s{0,4}['"]?\d{1,12}['"]?[\s)\]}|a-z]{0,24}$/;
/** Parts of objects that lead from a value of a template to the classes and modules of its language. */
const ESCAPES: readonly RegExp[] = [
  // Python: Jinja, Tornado, Mako, Django.
  /__(?:class|mro|base|bases|subclasses|globals|builtins|import|init|getattribute|dict|code|self|reduce|name)__|\\x5f\\x5f|\|\s{0,4}attr\s{0,4}\(|\b(?:lipsum|cycler|joiner|namespace|get_flashed_messages|url_for)\s{0,4}[.|[]|\brequest\s{0,4}[.[|]\s{0,4}["']?(?:application|args|cookies|headers|form|environ|__|\|)|\bconfig\s{0,4}(?:\.items\(|\.from_|\[|\.__|\|)|^\s{0,4}(?:config|self|settings\.SECRET_KEY|debug)\s{0,4}$|\bself\s{0,4}\.(?:_|environment|__|module|template)|\bos\s{0,4}\.\s{0,4}(?:popen|system|environ|exec|spawn)|\bpopen\s{0,4}\(|\bsubprocess\b|^\s{0,4}import\s{1,4}(?:os|sys|subprocess|commands|pty|socket)\b|\bimport\s{0,4}\(\s{0,4}['"]os|\bhandler\s{0,4}\.\s{0,4}settings|\bmessages\.storages|["']__[a-z]{1,9}["']\s{0,4}[,+~]|\(__[a-z]{1,8}=|\.class\.(?:base|mro)\b/,
  // PHP: Twig, Smarty, Blade, Latte.
  /_self\s{0,4}\.\s{0,4}env|registerUndefinedFilterCallback|\bgetFilter\s{0,4}\(|\|\s{0,4}(?:filter|map|reduce|sort)\s{0,4}\(\s{0,4}['"](?:system|exec|passthru|shell_exec|popen|assert|phpinfo|file_|call_user|id)|\[\s{0,4}['"][\w\s/.-]{1,64}['"][^\]]{0,64}\]\s{0,4}\|\s{0,4}(?:filter|map|reduce|sort|join)|\b(?:system|passthru|shell_exec|phpinfo|proc_open|pcntl_exec|file_get_contents|file_put_contents|readfile|assert|eval|fopen|call_user_func)\s{0,4}\(|Smarty_Internal|\bsmarty\.(?:version|template_object|server|env|const)|\$smarty\b|\bapp\.request\b|_context\b|\b(?:source|include)\s{0,4}\(\s{0,4}['"]\/|\|\s{0,4}file_excerpt\b|\bdump\(app\)|^Internal_Write/,
  // Java: Freemarker, Velocity, Thymeleaf, Spring and JSP expressions, Groovy, Pebble.
  /freemarker\.template|\?\s{0,4}(?:new\s{0,4}\(|api\b|eval\b|interpret\b|lower_abc)|\bjava\.(?:lang|util|io|net)\b|\bgetRuntime\s{0,4}\(|\bgetClass\s{0,4}\(|\.class\.(?:forName|getResource|classLoader|protectionDomain|inspect)|\bforName\s{0,4}\(|\bT\s{0,4}\(\s{0,4}[\w.]{2,64}\)|\bProcessBuilder\b|\bClassLoader\b|\bScriptEngineManager\b|#(?:this|root|rt|ctx|context|parameters|session|request|_memberAccess)\b|@(?:java|org)\.[\w.]{2,64}@|\$class\b|\.execute\s{0,4}\(\s{0,4}\)|\bnew\s{1,4}java\b|\b(?:application|session|request)Scope\b|\bpageContext\b|\bbeans\b\s{0,4}\.|\bvariables\.getClass|\bObjectConstructor\b|\bJythonRuntime\b/,
  // Lookups of Log4j, also taken apart: `${jndi:…`, `${${lower:j}ndi:…`, `${::-j}`.
  /^\s{0,4}(?:(?:jndi|script|dns|url)\s{0,2}:|(?:lower|upper):|::-|\$\{(?:lower|upper|env|sys|::-|:))/i,
  // Ruby: ERB, Slim, Haml.
  /\b(?:File|IO|Dir|Kernel|Open3|Process|ObjectSpace|RbConfig|ENV)\s{0,4}(?:\.|::|\[)|`[^`]{1,128}`|%x[({[]|\b(?:exec|spawn|syscall|fork|instance_eval|class_eval|send)\s{0,4}[('"]|\bself\.(?:class|methods|method|instance_variables)|\brequire\s{0,4}\(?\s{0,4}['"](?:open3|socket|net|child_process|fs|os)/,
  // JavaScript: Handlebars, Pug, Nunjucks, EJS, lodash, AngularJS and Vue.
  /\bconstructor\b\s{0,4}[.([]|\bconstructor\b['"]|\.constructor\b|__proto__|\bprototype\b\s{0,4}\.|__(?:define|lookup)[GS]etter__|\b(?:global|process|globalThis)\s{0,4}\.\s{0,4}(?:process|mainModule|env|binding|require|constructor)|\bmainModule\b|\bchild_process\b|\brequire\s{0,4}\(|#with\s{1,4}["']|#with\s.{0,40}\bsplit\b|\blookup\b.{0,64}(?:constructor|__|pop)|\bFunction\s{0,4}\(|\$(?:on|eval|parent|root|watch)\s{0,4}[.(]|\brange\.constructor|\balert\s{0,4}\(|\blocalStorage\b|\bself\s{0,4}=\s{0,4}global/,
  // .NET: Razor, and Go.
  /\bSystem\.(?:Diagnostics|IO|Reflection|Environment)\b|\bProcess\.Start\s{0,4}\(|\bFile\.Read|\bAssembly\.Load|\bGetType\s{0,4}\(\s{0,4}\)|^\s{0,4}(?:define|call|printf)\s{1,4}\.?\w{0,24}\s?["(].{0,64}(?:exec|system|bin)/,
];
/** Commands in a text of an expression: `('id')`. */
const COMMAND =
  /[('"\s](?:id|whoami|ls|uname(?: -a)?|cat \/etc\/\w{2,16}|cat flag[\w.]{0,8}|\/bin\/(?:ba)?sh|calc(?:\.exe)?|curl [^'"]{4,64}|wget [^'"]{4,64}|ping [^'"]{4,64})\s?[)'"]/i;
/** Directives of Velocity, Freemarker and Tornado that only need their start. */
const DIRECTIVE =
  /^(?:#set\s{0,4}\(\s{0,4}\$[\w!{]{1,32}\s{0,4}=\s{0,4}(?:["']{2}|\$|\d+\s*[*+]\s*\d|["'][^"']{0,64}["']\s*\)?$|.{0,64}(?:class|Runtime|getClass))|<#assign\s.{0,64}(?:new\s?\(|Execute|classloader|\?)|\{php\}|\{\$smarty\.(?:version|template|server|env|const|cookies)|<%\s{0,4}(?:import|require)\b)/i;

/** Delimiters with which they begin. */
const DIRECTIVES = new Set(["#set", "<#assign", "<#", "{php}", "{$smarty", "<%"]);

/** Expressions that only attacks put into a template of an engine on the server or in the browser. */
export const TEMPLATE_RULES: readonly TriggerRule[] = [
  {
    name: "template",
    type: "TEMPLATE_INJECTION",
    score: 0.9,
    triggers: Object.keys(DELIMITERS),
    before: 0,
    find: findExpression,
    reach: 640,
  },
];

function findExpression(view: TextView, start: number, end: number): RuleMatch | undefined {
  const { text, folded } = view;
  const open = folded.slice(start, end);
  const close = DELIMITERS[open];
  if (close === undefined) return undefined;
  const found = nextIndex(view, close, end) - end;
  const length = found + close.length <= LONGEST ? found : -1;
  // Words of languages count only within the delimiters.
  const isOpen = length === -1 && nextIndex(view, "__", end) - end > 160;
  if (isOpen && !DIRECTIVES.has(open)) return undefined;
  const expression = text.slice(end, end + (length === -1 ? 160 : length));
  const stop = length === -1 ? end + expression.length : end + length + close.length;
  if (!isReadable(view, start, stop)) return undefined;
  if (length !== -1 && open !== "{#" && open !== "[[" && PROBE.test(expression))
    return { start, end: stop, score: 0.85 };
  if (DIRECTIVE.test(text.slice(start, end + 160))) return { start, end: stop };
  if (length === -1 && !/__\w{2,12}__/.test(expression)) return undefined;
  const isHostile = ESCAPES.some((pattern) => pattern.test(expression)) || (open !== "${" && COMMAND.test(expression));
  return isHostile ? { start, end: stop } : undefined;
}

const indexesOf = oncePerView(() => new Map<string, number>());

/**
 * Returns the next offset of a text at or after another one, or `Infinity`.
 *
 * INVARIANT: offsets that are asked for never decrease in a view, so that each part of it is searched once.
 */
function nextIndex(view: TextView, sought: string, from: number): number {
  const indexes = indexesOf(view);
  const known = indexes.get(sought);
  if (known !== undefined && known >= from) return known;
  const found = view.text.indexOf(sought, from);
  const index = found === -1 ? Infinity : found;
  indexes.set(sought, index);
  return index;
}
