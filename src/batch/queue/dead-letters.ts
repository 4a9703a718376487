import type { Redis } from "ioredis";
import { isMap } from "../../engine/plain-data.js";

/** Rows that no worker could check in all its tries. INVARIANT: it quotes nothing of them. */
export interface DeadLetter {
  /** Lines of the rows in their file. */
  readonly lines: readonly number[];
  /** The problem, as in their results. */
  readonly error: string;
  /** Tries that were made. */
  readonly attempts: number;
}

/** Seconds after the last dead letter at which the list is forgotten. */
const KEPT_S = 30 * 24 * 3600;

/** The dead letters of a queue, by the id of their job: a job that is collected twice is in the list once. */
export class DeadLetterList {
  readonly #client: Redis;
  readonly #key: string;

  constructor(client: Redis, key: string) {
    this.#client = client;
    this.#key = key;
  }

  async add(id: string, letter: DeadLetter): Promise<void> {
    await this.#client.hset(this.#key, id, JSON.stringify(letter));
    await this.#client.expire(this.#key, KEPT_S);
  }

  async remove(id: string): Promise<void> {
    await this.#client.hdel(this.#key, id);
  }

  async clear(): Promise<void> {
    await this.#client.del(this.#key);
  }

  /** Reads the list in line order, skipping anything that is not a dead letter. */
  async read(): Promise<readonly DeadLetter[]> {
    const letters = Object.values(await this.#client.hgetall(this.#key)).flatMap(readLetter);
    return letters.toSorted((left, right) => (left.lines[0] ?? 0) - (right.lines[0] ?? 0));
  }
}

function readLetter(text: string): readonly DeadLetter[] {
  try {
    const { lines, error, attempts } = asMap(JSON.parse(text));
    const areLines = Array.isArray(lines) && lines.every((line) => Number.isSafeInteger(line));
    if (!areLines || typeof error !== "string" || typeof attempts !== "number") return [];
    return [{ lines, error, attempts }];
  } catch {
    return [];
  }
}

function asMap(value: unknown): Record<string, unknown> {
  return isMap(value) ? value : {};
}
