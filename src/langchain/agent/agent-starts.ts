import type { BaseMessage } from "@langchain/core/messages";
import { LRUCache } from "lru-cache";
import { newRunId } from "../callbacks.js";
import { messageFingerprint } from "../tools/tool-calls.js";
import { roleOf } from "../values/message-kinds.js";
import { readPending } from "../values/read-user-input.js";

/** The part of a turn's progress that names its reviews. */
interface Started {
  /** Tokens by the names of the guards. */
  readonly starts?: Readonly<Record<string, string>>;
}

/** A turn of an agent as one of its hooks finds it. */
export interface AgentTurn {
  readonly own: Started | undefined;
  /** True if a guard of this run has written the progress: a client or a checkpoint may have brought any other. */
  readonly isOfRun: boolean;
  readonly messages: readonly BaseMessage[];
  readonly thread: unknown;
}

interface Named {
  readonly name: string;
}

type Variables = Readonly<Record<string, unknown>>;

/** A review of the start of a turn that passed. */
interface Start {
  /** Fingerprints of the messages that passed the input rails. */
  readonly passed: ReadonlySet<string>;
  /** Context variables that the input rails have set, for the rails of later hooks. */
  readonly variables: Variables;
  /** The thread in which they passed. */
  readonly thread: unknown;
}

const MAX_STARTS = 4000;

/** Most guards of an agent whose variables are shared. */
const MAX_GUARDS = 64;

/**
 * Reviews in this process, by their tokens. INVARIANT: commands and `updateState` of a client can write the channel of the
 * middleware, so it holds tokens alone. Without a review of its token, a turn starts again.
 */
const starts = new LRUCache<string, Start>({ max: MAX_STARTS });

/** Remembers a review, and returns its token. */
export function rememberStart(start: Start): string {
  const token = newRunId();
  starts.set(token, start);
  return token;
}

/** The review of a guard at the start of the turn; undefined if this process does not know it. */
export function startOf({ name }: Named, turn: AgentTurn): Start | undefined {
  const token = turn.own?.starts?.[name];
  const start = token === undefined ? undefined : starts.get(token);
  return start === undefined || turn.isOfRun || isStartOf(start, turn) ? start : undefined;
}

/** INVARIANT: a client can send the token of an earlier review, which says nothing about other messages or other threads. */
function isStartOf({ passed, thread }: Start, turn: AgentTurn): boolean {
  const { messages, pending } = readPending(turn.messages) ?? { messages: [], pending: [] };
  const asked = pending.flatMap((index) => messages[index] ?? []).filter((message) => roleOf(message) === "user");
  return (
    thread === turn.thread && asked.length > 0 && asked.every((question) => passed.has(messageFingerprint(question)))
  );
}

/** Names of the other guards whose reviews belong to the turn. */
function othersIn(turn: AgentTurn, guard: Named): readonly string[] {
  const all = Object.keys(turn.own?.starts ?? {}).slice(0, MAX_GUARDS);
  const names = all.filter((name) => name !== guard.name);
  return turn.isOfRun ? names : names.filter((name) => startOf({ name }, turn) !== undefined);
}

/** The tokens of the turn with one of this guard. */
export function withToken(guard: Named, turn: AgentTurn, token: string): Readonly<Record<string, string>> {
  const others = othersIn(turn, guard).map((name) => [name, turn.own?.starts?.[name] as string] as const);
  return { ...Object.fromEntries(others), [guard.name]: token };
}

/** Variables for the later hooks of a guard: those of its own review, and of other guards where it set none. */
export function variablesOf(guard: Named, turn: AgentTurn): Variables | undefined {
  const names = othersIn(turn, guard);
  const variables = startOf(guard, turn)?.variables;
  return names.length === 0 ? variables : (Object.assign({}, ...names.map(variablesBy), variables) as Variables);

  function variablesBy(name: string): Variables | undefined {
    return startOf({ name }, turn)?.variables;
  }
}
