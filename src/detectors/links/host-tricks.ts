import { parse } from "tldts";
import { decodePunycode, mixesScripts, skeletonOf } from "./look-alike-labels.js";
import type { WrittenUrl } from "./written-url.js";

/** Names that others often imitate; the names of an allow list are protected as well. */
export const BRANDS: readonly string[] = (
  "google.com gmail.com youtube.com microsoft.com outlook.com office.com live.com apple.com icloud.com amazon.com aws.com paypal.com " +
  "facebook.com instagram.com whatsapp.com twitter.com linkedin.com netflix.com github.com gitlab.com dropbox.com adobe.com " +
  "openai.com chatgpt.com anthropic.com binance.com coinbase.com metamask.io chase.com wellsfargo.com bankofamerica.com citibank.com " +
  "hsbc.com ebay.com walmart.com dhl.com fedex.com ups.com usps.com docusign.com zoom.us slack.com steamcommunity.com roblox.com " +
  "telegram.org discord.com wikipedia.org cloudflare.com salesforce.com okta.com"
).split(" ");

/** Trick by which a URL hides where it leads. */
export type HostTrick =
  | "user-info"
  | "encoded-host"
  | "odd-address"
  | "mixed-scripts"
  | "look-alike"
  | "brand-in-subdomain"
  | "other-label"
  | "odd-slashes";

/** A protected name with its skeleton. */
export interface ProtectedName {
  readonly domain: string;
  readonly label: string;
  readonly skeleton: string;
}

export function protectedNames(domains: readonly string[]): readonly ProtectedName[] {
  return domains.map((domain) => {
    const label = domain.split(".")[0] ?? domain;
    return { domain, label, skeleton: skeletonOf(label) };
  });
}

/** Returns the trick of a URL, or undefined for one that says where it leads. */
export function trickOf(url: WrittenUrl, names: readonly ProtectedName[]): HostTrick | undefined {
  if (/^[a-z]{2,5}:(?!\/\/[^/\\])|^[^/?#]*\\|^[a-z]{2,5}:\/\/[^/?#]*\\/i.test(url.written)) return "odd-slashes";
  if (url.url.username !== "") return "user-info";
  if (isOddAddress(url)) return "odd-address";
  if (isEncoded(url.writtenHost)) return "encoded-host";
  const labels = url.host
    .split(".")
    .map((label) => (label.startsWith("xn--") ? (decodePunycode(label) ?? label) : label));
  if (labels.some((label) => mixesScripts(label))) return "mixed-scripts";
  return imitates(url, labels, names);
}

/** Text of a link of Markdown before its URL, and of one of HTML after it, that is a URL. */
const LABEL = /\[\s{0,2}(?:https?:\/\/|www\.)([\w.-]{1,128})(?:[/?#:][^[\]\s]{0,128})?\s{0,2}\]\(\s{0,4}<?$/i;
const LABEL_AFTER = /^["']?[^<>]{0,128}>\s{0,4}(?:https?:\/\/|www\.)([\w.-]{1,128})/i;
const LONGEST_LABEL = 300;

/** `[https://good.example](https://evil.example)`: a link that looks like another one. One that names the other one is no trick. */
export function labelTrick(text: string, { start, end, written, domain }: WrittenUrl): HostTrick | undefined {
  const before = text.slice(Math.max(0, start - LONGEST_LABEL), start);
  const isTag = before.endsWith('href="') || before.endsWith("href='");
  const [, host] = (isTag ? LABEL_AFTER.exec(text.slice(end, end + LONGEST_LABEL)) : LABEL.exec(before)) ?? [];
  if (host === undefined || written.toLowerCase().includes(host.toLowerCase())) return undefined;
  const shown = parse(host.toLowerCase(), { extractHostname: false });
  return shown.isIcann === true && domain !== undefined && shown.domain !== domain ? "other-label" : undefined;
}

/** `http://0x7f000001`, `http://2130706433`, `http://0177.0.0.1`, `http://127.1`: an address that is not four decimal numbers. */
function isOddAddress({ host, writtenHost }: WrittenUrl): boolean {
  if (/^\[(?:64:ff9b)?::(?:ffff:)?[\da-f]{1,4}:[\da-f]{1,4}\]$/.test(host)) return true;
  return /^\d{1,3}(?:\.\d{1,3}){3}$/.test(host) && writtenHost.replace(/\.$/, "") !== host;
}

/** Escapes, full-width forms and full stops of other scripts, soft hyphens and invisible characters. */
function isEncoded(host: string): boolean {
  return /%[\da-f]{2}|[\u{ff01}-\u{ff5e}\u3002\uff0e\uff61\u00ad\u200b-\u200f\u2060\ufeff\u2044\u2215\u29f8\ufe68\u24b6-\u24ea\u2070-\u209f\u{1d400}-\u{1d7ff}]/iu.test(
    host,
  );
}

function imitates(
  { host, domain }: WrittenUrl,
  labels: readonly string[],
  names: readonly ProtectedName[],
): HostTrick | undefined {
  if (domain === undefined || names.some((name) => host === name.domain || host.endsWith(`.${name.domain}`)))
    return undefined;
  const below = host.slice(0, Math.max(0, host.length - domain.length - 1));
  const written = labels[below === "" ? 0 : below.split(".").length] ?? "";
  const skeleton = skeletonOf(written);
  for (const name of names) {
    const isSame = skeleton === name.skeleton && written !== name.label;
    const isLonger =
      name.skeleton.length >= 6 &&
      written !== skeleton &&
      /[^a-z-]/.test(written) &&
      skeleton.startsWith(`${name.skeleton}-`);
    if (isSame || isLonger) return "look-alike";
    if (below !== "" && holdsName(below, name.domain)) return "brand-in-subdomain";
  }
  return undefined;
}

/** Returns true for `paypal.com` or `paypal-com` as whole labels below another name. */
function holdsName(below: string, domain: string): boolean {
  return `.${below.replaceAll("-", ".")}.`.includes(`.${domain}.`);
}
