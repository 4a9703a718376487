import { LRUCache } from "lru-cache";
import { newRunId } from "../callbacks.js";

/** The part of a turn's progress that names its reviews. */
interface Started {
  /** Tokens by the names of the guards. */
  readonly starts?: Readonly<Record<string, string>>;
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
export function startOf({ name }: Named, own: Started | undefined): Start | undefined {
  const token = own?.starts?.[name];
  return token === undefined ? undefined : starts.get(token);
}

/** Variables for the later hooks of a guard: those of its own review, and of other guards where it set none. */
export function variablesOf(guard: Named, own: Started | undefined): Variables | undefined {
  const names = Object.keys(own?.starts ?? {})
    .slice(0, MAX_GUARDS)
    .filter((name) => name !== guard.name);
  const variables = startOf(guard, own)?.variables;
  return names.length === 0 ? variables : (Object.assign({}, ...names.map(variablesBy), variables) as Variables);

  function variablesBy(name: string): Variables | undefined {
    return startOf({ name }, own)?.variables;
  }
}
