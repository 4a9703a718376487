import type { Random } from "../../retrieval/matcher/random.js";
import { below } from "./random-choice.js";
import { sampleCharacters } from "./sample-pattern.js";

const HEX = "0123456789abcdef";
const DIGITS = "0123456789";
const UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const LETTERS = `${UPPER}${UPPER.toLowerCase()}${DIGITS}`;

/** Texts with values that look like keys and are none: hashes, ids, placeholders, names, references to variables. */
const KINDS: readonly ((random: Random) => string)[] = [
  (random) => `request ${uuid(random)} failed`,
  (random) => `commit ${hex(random, 40)}`,
  (random) => `sha256:${hex(random, 64)}`,
  (random) => `"integrity": "sha512-${letters(random, 86)}=="`,
  (random) => `ETag: "${hex(random, 32)}"`,
  (random) => `image: registry.example.org/app@sha256:${hex(random, 64)}`,
  (random) => `API_KEY=your-api-key-${below(random, 100)}`,
  (random) => `API_KEY=${"x".repeat(16 + below(random, 20))}`,
  (random) => `api_key: <YOUR_KEY_${below(random, 100)}>`,
  (random) => `token = process.env.TOKEN_${below(random, 100)}`,
  (random) => `password = os.environ["DB_PASSWORD_${below(random, 100)}"]`,
  (random) => `secret: \${{ secrets.DEPLOY_KEY_${below(random, 100)} }}`,
  (random) => `<img src="data:image/png;base64,iVBORw0KGgo${letters(random, 120)}=">`,
  (random) => `order ${sampleCharacters(UPPER, 3, random)}-${sampleCharacters(DIGITS, 12, random)} shipped`,
  (random) => `trace-id: ${hex(random, 32)}, span-id: ${hex(random, 16)}`,
  (random) => `build ${below(random, 90)}.${below(random, 90)}.${below(random, 9000)}+${hex(random, 7)}`,
  (random) => `max_tokens: ${1000 + below(random, 9000)}, tokenizer: "cl${below(random, 900)}k_base"`,
  (random) => `https://cdn.example.org/assets/main.${hex(random, 20)}.js`,
  (random) => `the class AbstractTokenProviderFactoryBean${below(random, 100)} reads getAccessTokenFromHeader()`,
  (random) => `public key fingerprint SHA256:${letters(random, 43)}`,
];

/** Returns so many lookalikes of keys. */
export function keyLookalikes(random: Random, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) =>
    (KINDS[index % KINDS.length] as (random: Random) => string)(random),
  );
}

function hex(random: Random, length: number): string {
  return sampleCharacters(HEX, length, random);
}

function letters(random: Random, length: number): string {
  return sampleCharacters(LETTERS, length, random);
}

function uuid(random: Random): string {
  return [8, 4, 4, 4, 12].map((length) => hex(random, length)).join("-");
}
