/** Cube roots of the first 64 primes, as FIPS 180-4 lists them; computed, since the table is longer than the code. */
const ROUND_CONSTANTS = new Uint32Array(64);
const INITIAL = new Uint32Array(8);
for (let prime = 2, found = 0; found < 64; prime += 1) {
  let isPrime = true;
  for (let factor = 2; factor * factor <= prime; factor += 1) if (prime % factor === 0) isPrime = false;
  if (!isPrime) continue;
  if (found < 8) INITIAL[found] = fractionOf(Math.sqrt(prime));
  ROUND_CONSTANTS[found++] = fractionOf(Math.cbrt(prime));
}

/** First 32 bits of the fraction of a number. */
function fractionOf(value: number): number {
  return Math.floor((value - Math.floor(value)) * 2 ** 32);
}

/** Returns the SHA-256 hash of at most 55 bytes, one block, as addresses of money need it. */
export function sha256(bytes: Uint8Array): Uint8Array {
  const words = new Uint32Array(64);
  for (const [index, byte] of bytes.entries())
    words[index >> 2] = at(words, index >> 2) | (byte << (24 - 8 * (index & 3)));
  words[bytes.length >> 2] = at(words, bytes.length >> 2) | (0x80 << (24 - 8 * (bytes.length & 3)));
  words[15] = bytes.length * 8;
  for (let index = 16; index < 64; index++) {
    const early = at(words, index - 15);
    const late = at(words, index - 2);
    const low = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
    const high = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
    words[index] = at(words, index - 16) + low + at(words, index - 7) + high;
  }
  const state = Uint32Array.from(INITIAL);
  for (let index = 0; index < 64; index++) compress(state, at(ROUND_CONSTANTS, index) + at(words, index));
  const hash = new Uint8Array(32);
  for (let index = 0; index < 32; index++) {
    const word = at(state, index >> 2) + at(INITIAL, index >> 2);
    hash[index] = word >>> (24 - 8 * (index & 3));
  }
  return hash;
}

function compress(state: Uint32Array, input: number): void {
  const [a, e] = [at(state, 0), at(state, 4)];
  const choice = (e & at(state, 5)) ^ (~e & at(state, 6));
  const majority = (a & at(state, 1)) ^ (a & at(state, 2)) ^ (at(state, 1) & at(state, 2));
  const first = at(state, 7) + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + choice + input;
  const second = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority;
  state.copyWithin(1, 0, 7);
  state[4] = at(state, 4) + first;
  state[0] = first + second;
}

function rotate(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

function at(words: Uint32Array, index: number): number {
  return words[index] ?? 0;
}

const LANES = 25;
const RATE = 136;

/** Returns the Keccak-256 hash of at most 135 bytes, one block, as Ethereum has it: without the padding of SHA-3. */
export function keccak256(bytes: Uint8Array): Uint8Array {
  // Lanes of 64 bits as two halves, the low one first.
  const state = new Uint32Array(2 * LANES);
  const block = new Uint8Array(state.buffer);
  block.set(bytes);
  block[bytes.length] = at8(block, bytes.length) ^ 1;
  block[RATE - 1] = at8(block, RATE - 1) ^ 0x80;
  let shift = 1;
  for (let round = 0; round < 24; round++) {
    mixColumns(state);
    moveLanes(state);
    mixRows(state);
    for (let bit = 0; bit < 7; bit++) {
      if ((shift & 1) !== 0) flip(state, 2 ** bit - 1);
      shift = (shift << 1) ^ ((shift & 0x80) === 0 ? 0 : 0x171);
    }
  }
  return block.slice(0, 32);
}

function at8(bytes: Uint8Array, index: number): number {
  return bytes[index] ?? 0;
}

const PARITY = new Uint32Array(10);
const ROW = new Uint32Array(10);

/** Step theta: each lane changes with the parities of two columns. */
function mixColumns(state: Uint32Array): void {
  PARITY.fill(0);
  for (let index = 0, column = 0; index < 2 * LANES; index++) {
    PARITY[column] = at(PARITY, column) ^ at(state, index);
    column = column === 9 ? 0 : column + 1;
  }
  for (let column = 0; column < 10; column += 2) {
    const after = (column + 2) % 10;
    const before = (column + 8) % 10;
    const low = at(PARITY, before) ^ ((at(PARITY, after) << 1) | (at(PARITY, after + 1) >>> 31));
    const high = at(PARITY, before + 1) ^ ((at(PARITY, after + 1) << 1) | (at(PARITY, after) >>> 31));
    for (let lane = column; lane < 2 * LANES; lane += 10) {
      state[lane] = at(state, lane) ^ low;
      state[lane + 1] = at(state, lane + 1) ^ high;
    }
  }
}

/** Places that lanes move to, one after the other, and the bits that they are rotated by. */
const PLACES = new Uint32Array(24);
const ROTATIONS = new Uint32Array(24);
for (let step = 0, x = 1, y = 0; step < 24; step++) {
  [x, y] = [y, (2 * x + 3 * y) % 5];
  PLACES[step] = 2 * (x + 5 * y);
  ROTATIONS[step] = (((step + 1) * (step + 2)) / 2) % 64;
}

/** Steps rho and pi: lanes are rotated and change their places. */
function moveLanes(state: Uint32Array): void {
  let low = at(state, 2);
  let high = at(state, 3);
  for (let step = 0; step < 24; step++) {
    const place = at(PLACES, step);
    const bits = at(ROTATIONS, step);
    const nextLow = at(state, place);
    const nextHigh = at(state, place + 1);
    const first = bits < 32 ? low : high;
    const second = bits < 32 ? high : low;
    const rest = bits % 32;
    state[place] = rest === 0 ? first : (first << rest) | (second >>> (32 - rest));
    state[place + 1] = rest === 0 ? second : (second << rest) | (first >>> (32 - rest));
    low = nextLow;
    high = nextHigh;
  }
}

/** Step chi: each lane changes with the two after it in its row. */
function mixRows(state: Uint32Array): void {
  for (let row = 0; row < 2 * LANES; row += 10) {
    for (let index = 0; index < 10; index++) ROW[index] = at(state, row + index);
    for (let index = 0; index < 10; index++) {
      state[row + index] = at(ROW, index) ^ (~at(ROW, (index + 2) % 10) & at(ROW, (index + 4) % 10));
    }
  }
}

/** Flips a bit of the first lane. */
function flip(state: Uint32Array, bit: number): void {
  const half = bit < 32 ? 0 : 1;
  state[half] = at(state, half) ^ (1 << (bit % 32));
}
