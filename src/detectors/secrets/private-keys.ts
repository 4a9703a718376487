import type { RuleMatch, TextView, TriggerRule } from "../detector.js";

const HEADER = /-----BEGIN (?:[0-9A-Z ]{0,30} )?PRIVATE KEY(?: BLOCK)?-----$/;
const FOOTER = /-----END (?:[0-9A-Z ]{0,30} )?PRIVATE KEY(?: BLOCK)?-----/y;
const PUTTY = /PuTTY-User-Key-File-\d: [\w-]{4,40}/y;
/** Longest block that is read; the key of a PGP block is the longest. */
const LONGEST = 16_384;
const LEAST_BODY = 40;
/** Characters of a header before `PRIVATE KEY`. */
const HEADER_BEFORE = 48;

/** Private keys in PEM (also OpenSSH's, PGP's and of service accounts) from their header to their footer, and those of PuTTY. */
export const PRIVATE_KEY_RULES: readonly TriggerRule[] = [
  {
    name: "private-key",
    type: "SECRET",
    score: 1,
    triggers: ["private key-----", "private key block-----"],
    before: HEADER_BEFORE,
    find: findBlock,
    reach: LONGEST + 128,
  },
  {
    name: "putty-private-key",
    type: "SECRET",
    score: 1,
    triggers: ["putty-user-key-file-"],
    before: 0,
    find: findPutty,
    reach: LONGEST + 128,
  },
];

function findBlock({ text }: TextView, trigger: number, body: number): RuleMatch | undefined {
  const header = HEADER.exec(text.slice(Math.max(0, trigger - HEADER_BEFORE), body))?.[0];
  if (header === undefined) return undefined;
  const start = body - header.length;
  const block = text.slice(body, body + LONGEST);
  const dashes = block.indexOf("-----");
  const length = dashes === -1 ? block.length : dashes;
  if (!hasBody(block.slice(0, length))) return undefined;
  FOOTER.lastIndex = body + length;
  return { start, end: FOOTER.test(text) ? FOOTER.lastIndex : body + length };
}

/** Returns true for a body of Base64 that is no `...`: 40 characters in a row, or over lines and headers. */
function hasBody(body: string): boolean {
  let characters = 0;
  for (const [run] of body.slice(0, 2048).matchAll(/[0-9A-Za-z+/=]{16,}/g)) characters += run.length;
  return characters >= LEAST_BODY;
}

function findPutty({ text }: TextView, start: number): RuleMatch | undefined {
  PUTTY.lastIndex = start;
  if (!PUTTY.test(text)) return undefined;
  const rest = text.slice(start, start + LONGEST);
  if (!rest.includes("Private-Lines:")) return undefined;
  const mac = /Private-MAC: [0-9a-f]{40,64}/.exec(rest);
  return { start, end: start + (mac === null ? rest.length : mac.index + mac[0].length) };
}
