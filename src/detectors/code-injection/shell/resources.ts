// cspell:disable
import type { Phrase } from "./phrases.js";

/** Files that attacks read through a path that leaves its folder. */
const FILES =
  "(?:etc[/\\\\]{1,2}(?:passwd|shadow|hosts|group|sudoers|issue|crontab|fstab|ssh|nginx|apache2|mysql|my\\.cnf)|proc[/\\\\](?:self|version|\\d)|root[/\\\\]\\.|var[/\\\\]log[/\\\\]|windows[/\\\\](?:win|system|repair)|winnt[/\\\\]|boot\\.ini|win\\.ini|\\.ssh[/\\\\]|\\.aws[/\\\\]|web-inf|id_rsa|\\w{1,24}\\.\\w{1,5}(?:%00|\\0))";
const UP = "(?:\\.{2,4}(?:[/\\\\]|%2f|%5c|%c0%af|%252f){1,2})";

/** Files, services and objects that a value makes a program read or build: paths, entities of XML, addresses, serialized objects. */
export const RESOURCES: readonly Phrase[] = [
  {
    triggers: ["../", "..\\"],
    pattern: new RegExp(`${UP}{1,8}${FILES}`, "iy"),
  },
  {
    triggers: ["..%c0%af", "..%252f", "..%2f", "%2e%2e%2f", "%2e%2e/", "..%5c", "%252e%252e"],
    pattern: /(?:(?:\.\.|%2e%2e|%252e%252e)(?:%c0%af|%(?:25)?2f|%(?:25)?5c|[/\\])){2,24}[\w%]/iy,
  },
  {
    triggers: ["file://", "php://", "gopher://", "dict://", "expect://"],
    pattern:
      /(?:file:\/{2,3}(?:etc\/(?:passwd|shadow)|proc\/|root\/|c:\/windows)|php:\/\/filter\/\S{0,80}resource=|(?:gopher|dict):\/\/[\w.-]{1,80}:\d|expect:\/\/\w)/iy,
  },
  {
    triggers: ["169.254.169.254", "metadata.google.internal"],
    pattern:
      /(?:169\.254\.169\.254|metadata\.google\.internal)\/{1,2}(?:latest|computemetadata|metadata|meta-data|user-data|opc|openstack|v1)/iy,
  },
  {
    triggers: ["<!entity", "<xi:include", "<!doctype"],
    pattern:
      /<!entity\s{1,8}(?:%\s{1,8})?[\w.-]{1,64}\s{1,8}(?:system\s{1,8}["'](?:file|https?|ftp|php|expect|gopher|jar|netdoc|\/|\.\.)|["'](?:&\w{1,32};\s{0,4}){2,64}["'])|<xi:include\s[^>]{0,200}href\s?=|<!doctype\s{1,8}[\w:.-]{1,64}\s{1,8}system\s{1,8}["'](?:https?|file|ftp|php|\/)/iy,
  },
  { triggers: ["ro0ab", "aced0005"], pattern: /(?:rO0AB[XQ]|aced0005)[\w+/]{8}/iy },
  {
    triggers: ["o:"],
    pattern: /O:\d{1,3}:"(?!stdClass|DateTime|Carbon)[\w\\]{1,80}":\d{1,3}:\{[sOia]:\d/y,
  },
  {
    triggers: ["!!python/", "!!javax.", "!!java.", "!ruby/object"],
    pattern:
      /!(?:!python\/(?:object\/(?:apply|new)|module|name:(?:os|posix|subprocess|builtins))|ruby\/object:(?:Gem::(?:Installer|Requirement|Package|SpecFetcher)|ERB)|!javax?\.\w)/y,
  },
  {
    triggers: ['"@type"', '"$type"', '"@class"', "_$$nd_func$$_"],
    pattern:
      /_\$\$ND_FUNC\$\$_|"(?:@type|\$type|@class)"\s{0,4}:\s{0,4}"(?:com\.sun\.|org\.apache\.|java\.(?:net|rmi|lang\.(?:Runtime|Process))|javax\.(?:naming|script|management)|ch\.qos\.|com\.mchange\.|System\.(?:Windows|Diagnostics|Configuration|IO|Security)\.)/y,
  },
  {
    triggers: ["cos\nsystem", "cposix\nsystem", "c__builtin__\n", "cbuiltins\n", "csubprocess\n"],
    pattern: /c\w{2,12}\n\w{2,16}\n/y,
  },
  {
    triggers: [
      '"__proto__"',
      "'__proto__'",
      "__proto__[",
      "__proto__.",
      "__proto__][",
      "constructor[prototype]",
      '"constructor"',
    ],
    pattern:
      /(["'])__proto__\1\s{0,4}(?::\s{0,4}[{["']|\]\s?[[.=])|(?<=^|[?&\s[])(?:__proto__|constructor\[prototype\])\]?(?:\[\w{1,32}\]|\.\w{1,32})\s?=|"constructor"\s{0,4}:\s{0,4}\{\s{0,4}"prototype"/y,
  },
  {
    triggers: ["%0d%0a"],
    pattern:
      /%0d%0a(?:%0d%0a)?(?:set-cookie|location|content-length|content-type|x-[\w-]{2,24}|http\/1\.\d|<script)(?::|%3a|%20|>|\s)/iy,
  },
  {
    triggers: ["=cmd|", "+cmd|", "-cmd|", "@cmd|", "=webservice(", "=importxml(", "=importdata(", "=dde("],
    pattern:
      /[=+@-](?:cmd\|\s?['"]|dde\(|(?:webservice|importxml|importdata)\(\s{0,4}(?:concat\w{0,6}\()?["']https?:[^)\n]{0,160}["']\s{0,4}[&,]\s{0,4}\$?[A-Z]{1,2}\$?\d)/iy,
  },
  { triggers: ["<!--#"], pattern: /<!--#exec\s{1,4}(?:cmd|cgi)\s?=/iy },
];
