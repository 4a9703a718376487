import isLuhnNumber from "validator/lib/isLuhnNumber.js";
import { decodeBase64 } from "../secrets/checksums.js";
import { entropyOf, wordShareOf } from "../secrets/entropy.js";
import type { WrittenUrl } from "./written-url.js";

/** Names of parameters that say that they carry what was said or stored. */
const NAMES =
  /^(?:data|d|dump|leak|exfil\w*|payload|secret|secrets|token|key|api_?key|password|passwd|pwd|pass|credential\w*|cookie|cookies|session|email|e?mail|phone|ssn|card|cc|pii|user(?:_?data|_?info|_?message|_?input)?|info|msg|message|messages|history|chat|conversation|context|prompt|system_?prompt|instructions?|summary|content|contents|document|doc|text|body|memory|memories|notes?|answer|response|output|result|log|logs|b64|base64|encoded|hex|stolen|private)$/i;
const PLACEHOLDER =
  /\{[^{}]{1,64}\}|%7b[^%]{1,64}%7d|\$\w{3,32}|<[\w-]{2,40}|%3c[\w%-]{2,60}%3e|\[[A-Z_ ]{3,40}\]|%5b[A-Z_]{3,40}%5d|(?:^|[=/])(?:INSERT|YOUR|USER|SECRET|DATA|PASSWORD|CONVERSATION|SUMMARY|HISTORY)(?:_[A-Z]{2,16}){0,4}$/;
const PERSONAL = /[\w.+-]{1,64}(?:@|%40)[\w-]{1,63}\.[a-z]{2,12}|(?<![\w-])\d{3}-\d{2}-\d{4}(?![\w-])/i;
const CARD = /(?<![\w.-])(?:\d[ +-]?){12,15}\d(?![\w-])/g;
/** Hosts that show what they receive to the owner of an address. */
const COLLECTORS =
  /(?:^|\.)(?:webhook\.site|requestbin\.(?:com|net)|pipedream\.net|burpcollaborator\.net|oastify\.com|interact\.sh|oast\.(?:fun|pro|live|site|online|me)|ngrok(?:-free)?\.(?:io|app|dev)|beeceptor\.com|requestcatcher\.com|hookb\.in|canarytokens\.com|dnslog\.cn|ceye\.io|requestinspector\.com|postb\.in|mockbin\.org|smee\.io|trycloudflare\.com)$/;
/** Hosts whose pages take a text from a link to show it to its reader alone. */
const SHARING =
  /^(?:(?:www|m|mobile|api|web|calendar|translate|mail|play)\.)?(?:twitter|x|facebook|linkedin|reddit|pinterest|google|outlook\.live|whatsapp|bing)\.com$|^(?:wa|t)\.me$/;

/** Returns the certainty that a URL carries data out, between 0 and 1. */
export function certaintyOfData({ url, written, host }: WrittenUrl): number {
  if (COLLECTORS.test(host)) return 0.9;
  const rest = restOf(written);
  if (hasPlaceholder(rest)) return 0.9;
  if (PERSONAL.test(rest) || holdsCard(rest)) return 0.85;
  const isShared = SHARING.test(host);
  const labels = host.split(".").slice(0, -2);
  if (labels.some((label) => label.length >= 16 && (isText(label) || (label.length >= 20 && isEncoded(label)))))
    return 0.85;
  const parts = [...url.pathname.split("/"), ...url.hash.slice(1).split(/[/=&]/)].slice(0, 64);
  let certainty = Math.max(0, ...parts.map((part) => certaintyOfPart(part)));
  let count = 0;
  for (const [name, value] of url.searchParams) {
    if (++count > 64) break;
    certainty = Math.max(certainty, certaintyOfParameter(isShared ? "" : name, value));
  }
  return certainty;
}

/** Path, query and fragment. */
function restOf(written: string): string {
  const host = written.indexOf("//") + 2;
  const slash = written.slice(host).search(/[/?#]/);
  return slash === -1 ? "" : written.slice(host + slash);
}

/** A placeholder in a query is filled with data; one in a path may be that of a guide, `/<owner>/<repository>`, unless it names data. */
function hasPlaceholder(rest: string): boolean {
  const [found] = PLACEHOLDER.exec(rest) ?? [];
  if (found === undefined) return false;
  const isInPath = rest.search(/[?#]/) === -1 || rest.indexOf(found) < rest.search(/[?#]/);
  const words = found.toLowerCase().split(/[^a-z0-9]+/);
  return !isInPath || words.some((word) => NAMES.test(word));
}

function holdsCard(rest: string): boolean {
  return (rest.match(CARD) ?? []).some((digits) => isLuhnNumber.default(digits));
}

function certaintyOfParameter(name: string, value: string): number {
  if (NAMES.test(name) && value.length >= 4) return value.length >= 8 || /\s|@/.test(value) ? 0.85 : 0.7;
  // A query without names, `?dGhlIHRleHQ`, and texts of several words.
  if (value === "" && name.length >= 8) return Math.max(certaintyOfPart(name), /\s\S{1,32}\s\S/.test(name) ? 0.8 : 0);
  const words = value.split(/\s+/).length;
  return Math.max(certaintyOfPart(value), words >= 12 ? 0.7 : words >= 4 ? 0.4 : 0);
}

function certaintyOfPart(part: string): number {
  if (part.length < 16) return 0;
  if (isText(part)) return 0.95;
  // Links to programs and to signed files have such parts as well; it counts where something loads by itself.
  return part.length >= 64 && isEncoded(part) ? 0.45 : 0;
}

/** Returns true for Base64 or hexadecimal digits of a text. */
function isText(part: string): boolean {
  const bytes = /^(?:[\da-f]{2}){8,}$/i.test(part)
    ? part.slice(0, 512).replaceAll(/../g, (byte) => String.fromCharCode(Number.parseInt(byte, 16)))
    : /^[\w+/=-]+$/.test(part) && part.length >= 16
      ? decodeBase64(part.slice(0, 512 - (512 % 4)).replace(/=+$/, ""))
      : undefined;
  // Words decode from Base64 to bytes of all kinds.
  return bytes !== undefined && /^[\x20-\x7e\n\r\t]{8,}$/.test(bytes) && wordShareOf(bytes) >= 0.3;
}

function isEncoded(part: string): boolean {
  return /^[\w+/=%-]+$/.test(part) && /\d/.test(part) && entropyOf(part) >= 3 && wordShareOf(part) < 0.4;
}
