import { base62, crc32 } from "../../detectors/secrets/checksums.js";
import type { KeyFormat } from "../../detectors/secrets/key-format.js";
import { KEY_FORMATS } from "../../detectors/secrets/key-formats.js";
import type { Random } from "../../retrieval/matcher/random.js";
import { sampleCharacters, samplePattern } from "./sample-pattern.js";
import { pick } from "./random-choice.js";

const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const HEX = "0123456789abcdef";
const NON_ZERO = "123456789";

/** Formats with a check: functions that turn a random key into one that passes. */
const CHECKED: Readonly<Record<string, (key: string, random: Random) => string>> = {
  "github-token": (key) => withChecksum(key.slice(0, 4), key.slice(4, 34)),
  "npm-token": (key) => withChecksum("npm_", key.slice(4, 34)),
  "grafana-service-token": (key) => withGrafanaChecksum(key.slice(0, 37)),
};

function withChecksum(prefix: string, body: string): string {
  return prefix + body + base62(crc32(body));
}

function withGrafanaChecksum(body: string): string {
  const sum = crc32(body).toString(16).padStart(8, "0").match(/../g) ?? [];
  return `${body}_${sum.reverse().join("")}`;
}

/** Returns a key of a format, as its service would write it. */
export function sampleKey(format: KeyFormat, random: Random): string {
  if (format.name.startsWith("discord-bot-token")) return discordToken(random);
  const key = samplePattern(format.pattern, random);
  return CHECKED[format.name]?.(key, random) ?? key;
}

/** A user's number in Base64, a time and a signature. */
function discordToken(random: Random): string {
  const id = btoa(sampleCharacters(NON_ZERO, 18, random)).replaceAll("=", "");
  return `${id}.${sampleCharacters(LETTERS, 6, random)}.${sampleCharacters(LETTERS, 27, random)}`;
}

/** Formats that are sampled; a key with a word that it needs near it brings the word. */
export const SAMPLED_FORMATS: readonly KeyFormat[] = KEY_FORMATS;

/** Places of keys by name. `service` is a word that a format needs near its keys, or empty. */
export const KEY_PLACES: Readonly<Record<string, (key: string, service: string) => string>> = {
  prose: (key, service) => `My ${service}key is ${key}, please keep it.`,
  "env file": (key, service) => `# ${service}settings\nAPI_KEY=${key}\nDEBUG=1\n`,
  JSON: (key, service) => JSON.stringify({ name: `${service}app`, key }, undefined, 2),
};

/** Returns a key of the form of a format with a check sum, but a wrong one. */
export function keyWithWrongChecksum(random: Random): string {
  return pick(random, [
    () => `ghp_${sampleCharacters(LETTERS, 36, random)}`,
    () => `npm_${sampleCharacters(LETTERS, 36, random)}`,
    () => `glsa_${sampleCharacters(LETTERS, 32, random)}_${sampleCharacters(HEX, 8, random)}`,
  ])();
}
