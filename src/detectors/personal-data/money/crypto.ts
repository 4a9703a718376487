// cspell:ignore LMDA Trmn akash celestia tltc
import type { RuleMatch, TextView, TriggerRule } from "../../detector.js";
import { FAINT } from "../certainty.js";
import { isAlphanumeric, isDigit, isEscapeAt, isWordAt } from "../digit-groups.js";
import { keccak256, sha256 } from "./hashes.js";

const MIN_LENGTH = 25;
const MAX_LENGTH = 110;
/** The check sum of an address is right. */
const CHECKED = 0.95;
/** Addresses of Ethereum in one case have no check sum. */
const UNCHECKED = 0.6;

/**
 * Addresses of crypto currencies: Bitcoin and its relatives (Base58Check, Bech32 and Bech32m), Ethereum (the check of EIP-55 in
 * mixed case), Tron, Ripple, Cardano and Stellar; Solana near a context word.
 */
export const cryptoRule: TriggerRule = {
  name: "crypto",
  type: "CRYPTO",
  score: CHECKED,
  context: "wallet|crypto|bitcoin|btc|ethereum|eth |solana|sol |address|coin|token|wei|satoshi".split("|"),
  reach: MAX_LENGTH + 30,
  within: "word",
  digits: 1,
  find: findAddress,
};

function findAddress({ text }: TextView, digits: number): RuleMatch | undefined {
  let start = digits;
  while (digits - start <= MAX_LENGTH && isLetterAt(text, start - 1)) start--;
  // INVARIANT: only the first digits of a word are looked at, so that each word is read once.
  if (isWordAt(text, start - 1)) return undefined;
  let end = digits;
  while (end - start <= MAX_LENGTH && isAlphanumeric(text.charCodeAt(end))) end++;
  if (end - start < MIN_LENGTH || end - start > MAX_LENGTH || isWordAt(text, end)) return undefined;
  const score = scoreOf(text.slice(start, end));
  return score === undefined ? undefined : { start, end, score };
}

function isLetterAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return isAlphanumeric(code) && !isDigit(code) && !isEscapeAt(text, at, code);
}

function scoreOf(address: string): number | undefined {
  if (/^0x[\da-f]{40}$/i.test(address)) return scoreOfEthereum(address.slice(2));
  if (
    /^(?:bc|tb|ltc|tltc|dgb|vtc|grs|addr|addr_test|stake|cosmos|osmo|juno|terra|inj|bnb|thor|kava|akash|celestia|sei)1/i.test(
      address,
    )
  ) {
    return isBech32(address) ? CHECKED : undefined;
  }
  if (/^G[A-Z2-7]{55}$/.test(address)) return isStellar(address) ? CHECKED : undefined;
  if (/^[123LMDA9X7tTrmn][1-9A-HJ-NP-Za-km-z]{24,35}$/.test(address)) {
    if (isBase58Check(address)) return CHECKED;
    // Ripple orders the digits in its own way.
    return address.startsWith("r") && isBase58Check(translateRipple(address)) ? CHECKED : undefined;
  }
  return /^[1-9A-HJ-NP-Za-km-z]{43,44}$/.test(address) && isMixed(address) ? FAINT : undefined;
}

function isMixed(address: string): boolean {
  return /[a-z]/.test(address) && /[A-Z]/.test(address) && (address.match(/\d/g)?.length ?? 0) >= 3;
}

/** Capital letters stand where the hash of the address in small letters has a digit of at least 8. */
function scoreOfEthereum(address: string): number | undefined {
  const lower = address.toLowerCase();
  if (/^(.)\1*$/.test(lower)) return undefined;
  if (address === lower || address === address.toUpperCase()) return UNCHECKED;
  const hash = keccak256(new TextEncoder().encode(lower));
  for (let at = 0; at < 40; at++) {
    const digit = ((hash[at >> 1] ?? 0) >> (at % 2 === 0 ? 4 : 0)) & 15;
    const character = lower.charAt(at);
    if (address.charAt(at) !== (digit >= 8 ? character.toUpperCase() : character)) return undefined;
  }
  return CHECKED;
}

/** Bytes of the longest text that is decoded: 36 digits, and as many zeros. */
const MAX_BYTES = 64;
const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const RIPPLE = "rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz";

function translateRipple(address: string): string {
  return Array.from(address, (character) => BASE58.charAt(RIPPLE.indexOf(character))).join("");
}

/** Returns true for 25 or 26 bytes of which the last four begin the double hash of the others. */
function isBase58Check(address: string): boolean {
  const bytes = decodeBase58(address);
  if (bytes.length !== 25 && bytes.length !== 26) return false;
  const hash = sha256(sha256(bytes.subarray(0, -4)));
  return bytes.subarray(-4).every((byte, index) => byte === hash[index]);
}

function decodeBase58(address: string): Uint8Array {
  const bytes = new Uint8Array(MAX_BYTES);
  let length = 0;
  for (let index = 0; index < address.length; index++) {
    let carry = BASE58.indexOf(address.charAt(index));
    for (let at = 0; at < length || carry > 0; at++) {
      carry += (bytes[MAX_BYTES - 1 - at] ?? 0) * 58;
      bytes[MAX_BYTES - 1 - at] = carry & 255;
      carry >>= 8;
      length = Math.max(length, at + 1);
    }
  }
  const zeros = /^1*/.exec(address)?.[0].length ?? 0;
  return bytes.subarray(MAX_BYTES - length - zeros);
}

const BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
const GENERATORS = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];
/** Remainders of the right check sums of Bech32 and of Bech32m. */
const REMAINDERS = new Set([1, 0x2bc830a3]);

function isBech32(address: string): boolean {
  const lower = address.toLowerCase();
  if (address !== lower && address !== address.toUpperCase()) return false;
  const separator = lower.lastIndexOf("1");
  const prefix = Array.from(lower.slice(0, separator), (character) => character.charCodeAt(0));
  const data = Array.from(lower.slice(separator + 1), (character) => BECH32.indexOf(character));
  if (data.includes(-1) || data.length < 6) return false;
  const values = [...prefix.map((code) => code >> 5), 0, ...prefix.map((code) => code & 31), ...data];
  let sum = 1;
  for (const value of values) {
    const top = sum >>> 25;
    sum = ((sum & 0x1ffffff) << 5) ^ value;
    for (const [bit, generator] of GENERATORS.entries()) if (((top >> bit) & 1) === 1) sum ^= generator;
  }
  return REMAINDERS.has(sum);
}

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Returns true for a version, 32 bytes and their CRC-16, all in Base32. */
function isStellar(address: string): boolean {
  const bytes: number[] = [];
  let bits = 0;
  let value = 0;
  for (const character of address) {
    value = ((value << 5) | BASE32.indexOf(character)) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((value >> bits) & 255);
  }
  let sum = 0;
  for (const byte of bytes.slice(0, 33)) {
    sum ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) sum = ((sum << 1) ^ ((sum & 0x8000) === 0 ? 0 : 0x1021)) & 0xffff;
  }
  return bytes[33] === (sum & 255) && bytes[34] === sum >> 8;
}
