import { createHash } from "node:crypto";
import { ApiError, badRequest, NO_RETRY } from "../errors.js";
import type { StoredReply, StoredTurn } from "./record.js";

/** The key of a turn and its request, as digests: a stored conversation contains neither in plain text. */
export interface TurnKey {
  readonly key: string;
  readonly body: string;
}

const HEADER = "Idempotency-Key";
const MAX_LENGTH = 255;

/**
 * Returns the key of a turn, which its caller sends in the header `Idempotency-Key` or as the field `turn_id`; undefined without
 * a key. Without a thread, a turn changes nothing that a retry could change twice, so the header has no effect.
 *
 * @throws ApiError 400 for keys that are invalid or contradict each other, or a `turn_id` without a thread
 */
export function turnKeyOf(
  scope: { header(name: string): string | undefined },
  given: { readonly thread: string | null | undefined; readonly turn: string | null | undefined },
  body: object,
): TurnKey | undefined {
  const turn = given.turn ?? undefined;
  if (!given.thread) {
    if (turn !== undefined) throw badRequest("'turn_id' needs a 'thread_id'.", "turn_id", "invalid_value");
    return undefined;
  }
  const header = scope.header(HEADER.toLowerCase());
  if (header !== undefined && (header === "" || header.length > MAX_LENGTH)) {
    throw badRequest(`Invalid '${HEADER}': expected 1 to ${MAX_LENGTH} characters.`, HEADER, "invalid_value");
  }
  if (header !== undefined && turn !== undefined && header !== turn) {
    throw badRequest(`'${HEADER}' and 'turn_id' name different turns.`, "turn_id", "invalid_value");
  }
  const key = header ?? turn;
  return key === undefined ? undefined : { key: digest(key), body: digest(JSON.stringify(body)) };
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 22);
}

/**
 * Returns the reply to an earlier request with the same key.
 *
 * @throws ApiError 422 if that request was different
 */
export function replyTo(turns: readonly StoredTurn[], turn: TurnKey | undefined): StoredReply | undefined {
  if (turn === undefined) return undefined;
  const found = turns.find(({ key }) => key === turn.key);
  if (found === undefined || found.body === turn.body) return found?.reply;
  throw new ApiError(422, "This idempotency key was used for another request of this thread.", {
    param: HEADER,
    code: "idempotency_key_reused",
    headers: NO_RETRY,
  });
}

/** Limits of stored replies of a conversation: number of turns, age in milliseconds, total length in characters. */
const MAX_TURNS = 32;
const TURN_MS = 86_400_000;
const MAX_CHARACTERS = 262_144;

/** Adds a turn, and removes the oldest ones beyond the limits. INVARIANT: the newest turn stays, regardless of its length. */
export function withTurn(turns: readonly StoredTurn[], added: StoredTurn): readonly StoredTurn[] {
  const kept: StoredTurn[] = [added];
  let characters = lengthOf(added);
  for (const turn of turns.toReversed()) {
    characters += lengthOf(turn);
    if (kept.length >= MAX_TURNS || added.at - turn.at > TURN_MS || characters > MAX_CHARACTERS) break;
    kept.push(turn);
  }
  return kept.toReversed();
}

function lengthOf({ reply }: StoredTurn): number {
  return reply.length;
}
