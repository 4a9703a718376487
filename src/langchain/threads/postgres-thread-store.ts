import type Postgres from "pg";
import { createDiagnostic } from "../../diagnostics/diagnostic.js";
import { ConfigError, GuardrailsError } from "../../diagnostics/errors.js";
import { checkOptions, type OptionTable } from "../../diagnostics/options.js";
import type { StoredThread, ThreadStore } from "../../threads/thread-store.js";
import { missingPeer } from "../peer.js";
import { wholeMilliseconds } from "./redis-thread-store.js";
import { parseStored, threadKey } from "./stored-form.js";

/** The members of a `pg` connection that the store uses. */
export interface PostgresConnection {
  query(
    text: string,
    values?: unknown[],
  ): Promise<{ readonly rows: readonly Record<string, unknown>[]; readonly rowCount: number | null }>;
}

/** The members of a `pg` pool that the store uses. */
export interface PostgresPool extends PostgresConnection {
  connect(): Promise<PostgresConnection & { release(error?: Error | boolean): void }>;
}

export interface PostgresThreadStoreOptions {
  /** Name of the table: lower-case letters, digits and `_`. Default: `langchain_guardrails_threads`. */
  readonly table?: string;
  /** Schema of the table. Default: the first in the connection's search path. */
  readonly schema?: string;
  /** Milliseconds after its last turn at which a conversation expires; `prune` deletes it. Default: never. */
  readonly ttlMs?: number;
}

const OPTIONS: OptionTable<PostgresThreadStoreOptions> = { table: "text", schema: "text", ttlMs: "number" };

const NAME = /^[a-z_][a-z0-9_]{0,47}$/;

/** Migrations of the tables, in order: releases append, never edit. `TABLE` is the name of the table. */
const MIGRATIONS: readonly string[] = [
  // The state is text rather than `jsonb`, which cannot store `\u0000`.
  `create table TABLE (
     id text primary key,
     version integer not null,
     state text not null,
     updated_at timestamptz not null default now()
   )`,
  "create index on TABLE (updated_at)",
];

/**
 * Connection settings in milliseconds. INVARIANT: a connection to a lost server leaves the pool, so the next call opens
 * another; without limits, the pool would fill with calls that never return.
 */
const CONNECTION = { connectionTimeoutMillis: 10_000, query_timeout: 30_000, keepAlive: true } as const;

/**
 * Stores conversations in PostgreSQL, for any number of processes: each write names the version it replaces. The first
 * call creates or migrates the tables, unless `setup` was called before.
 *
 * @example
 * ```ts
 * const threads = new PostgresThreadStore(new Pool({ connectionString: process.env.DATABASE_URL }));
 * const guardrails = await Guardrails.fromPath("./config", { threads });
 * ```
 */
export class PostgresThreadStore implements ThreadStore {
  readonly #pool: PostgresPool;
  readonly #table: string;
  readonly #versions: string;
  readonly #ttlMs: number;
  #ready: Promise<void> | undefined;
  #close: () => Promise<void> = async () => undefined;

  constructor(pool: PostgresPool, options: PostgresThreadStoreOptions = {}) {
    checkOptions("PostgresThreadStore", options, OPTIONS);
    const { table = "langchain_guardrails_threads", schema, ttlMs = 0 } = options;
    const prefix = schema === undefined ? "" : `${quoted("schema", schema)}.`;
    this.#pool = pool;
    this.#table = prefix + quoted("table", table);
    this.#versions = `${prefix}"${table}_migrations"`;
    this.#ttlMs = wholeMilliseconds("PostgresThreadStore", ttlMs);
  }

  /**
   * Opens a store with its own pool, through `pg`; `close` ends it.
   *
   * @param url - `postgres://user:password@host:port/database`
   * @throws ConfigError if `pg` is not installed; the error of the client if the server cannot be reached
   *
   * @example
   * ```ts
   * const threads = await PostgresThreadStore.connect("postgres://localhost/app");
   * ```
   */
  static async connect(url: string, options: PostgresThreadStoreOptions = {}): Promise<PostgresThreadStore> {
    checkOptions("PostgresThreadStore.connect", options, OPTIONS);
    const { Pool } = await loadPostgres();
    const pool = new Pool({ connectionString: url, ...CONNECTION });
    // Queries report the failure; without a listener, losing an idle connection would end the process.
    pool.on("error", () => undefined);
    const store = new PostgresThreadStore(pool, options);
    store.#close = () => pool.end();
    try {
      await store.setup();
    } catch (error) {
      await pool.end();
      throw error;
    }
    return store;
  }

  /**
   * Creates the tables or migrates those of an older release. Safe to call from several processes at once.
   *
   * @throws GuardrailsError `RL-404` if the tables belong to a newer release
   */
  async setup(): Promise<void> {
    this.#ready ??= this.#migrate();
    try {
      await this.#ready;
    } catch (error) {
      this.#ready = undefined;
      throw error;
    }
  }

  async get(id: string): Promise<StoredThread | undefined> {
    await this.setup();
    const values: unknown[] = [await threadKey(id, "")];
    const { rows } = await this.#pool.query(
      `select version, state from ${this.#table} where id = $1${this.#alive(values)}`,
      values,
    );
    const [row] = rows;
    return row === undefined ? undefined : { version: Number(row["version"]), state: parseStored(row["state"]) };
  }

  async set(
    id: string,
    { version, state }: StoredThread,
    { expectedVersion }: { readonly expectedVersion?: number } = {},
  ): Promise<boolean> {
    await this.setup();
    const values: unknown[] = [await threadKey(id, ""), version, JSON.stringify(state)];
    const { rowCount } = await this.#pool.query(this.#writeOf(expectedVersion, values), values);
    return rowCount === 1;
  }

  async delete(id: string): Promise<void> {
    await this.setup();
    await this.#pool.query(`delete from ${this.#table} where id = $1`, [await threadKey(id, "")]);
  }

  /** Deletes expired conversations and returns their number. Without `ttlMs`, deletes none. */
  async prune(): Promise<number> {
    if (this.#ttlMs === 0) return 0;
    await this.setup();
    const { rowCount } = await this.#pool.query(
      `delete from ${this.#table} where updated_at <= now() - $1 * interval '1 millisecond'`,
      [this.#ttlMs],
    );
    return rowCount ?? 0;
  }

  /** Ends the pool opened by `connect`; the application's own pool stays open. */
  async close(): Promise<void> {
    await this.#close();
  }

  #writeOf(expectedVersion: number | undefined, values: unknown[]): string {
    const change = "version = $2, state = $3, updated_at = now()";
    const insert = `insert into ${this.#table} as stored (id, version, state) values ($1, $2, $3)`;
    if (expectedVersion === undefined) return `${insert} on conflict (id) do update set ${change}`;
    if (expectedVersion > 0) {
      values.push(expectedVersion);
      return `update ${this.#table} set ${change} where id = $1 and version = $4${this.#alive(values)}`;
    }
    if (this.#ttlMs === 0) return `${insert} on conflict (id) do nothing`;
    // An expired conversation counts as missing.
    values.push(this.#ttlMs);
    return (
      `${insert} on conflict (id) do update set ${change} ` +
      "where stored.updated_at <= now() - $4 * interval '1 millisecond'"
    );
  }

  /** Condition that a conversation has not expired; adds its value to those of the query. */
  #alive(values: unknown[]): string {
    if (this.#ttlMs === 0) return "";
    values.push(this.#ttlMs);
    return ` and updated_at > now() - $${values.length} * interval '1 millisecond'`;
  }

  async #migrate(): Promise<void> {
    const client = await this.#pool.connect();
    let failure: Error | undefined;
    try {
      if (this.#isKnown(await this.#storedVersion(client))) return;
      await client.query("begin");
      // Processes that start at the same time wait for the first one.
      await client.query("select pg_advisory_xact_lock(hashtext($1))", [this.#versions]);
      await client.query(`create table if not exists ${this.#versions} (version integer primary key)`);
      const done = (await this.#storedVersion(client)) ?? 0;
      for (const [index, statement] of MIGRATIONS.entries()) {
        if (index < done) continue;
        await client.query(statement.replace("TABLE", () => this.#table));
        await client.query(`insert into ${this.#versions} (version) values ($1)`, [index + 1]);
      }
      await client.query("commit");
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error));
      await client.query("rollback").catch(() => undefined);
      throw error;
    } finally {
      client.release(failure);
    }
  }

  /** Returns the number of migrations applied; undefined if there are no tables. */
  async #storedVersion(client: PostgresConnection): Promise<number | undefined> {
    const { rows } = await client.query("select to_regclass($1) is not null as found", [this.#versions]);
    if (rows[0]?.["found"] !== true) return undefined;
    const versions = await client.query(`select coalesce(max(version), 0) as version from ${this.#versions}`);
    return Number(versions.rows[0]?.["version"]);
  }

  #isKnown(version: number | undefined): boolean {
    if (version !== undefined && version > MIGRATIONS.length) {
      throw new GuardrailsError(
        `the table ${this.#table} belongs to a newer release: expected at most ${MIGRATIONS.length} migrations, found ${version}`,
        { code: "RL-404" },
      );
    }
    return version === MIGRATIONS.length;
  }
}

/** INVARIANT: names become part of statements, so only plain names are accepted. */
function quoted(option: string, name: string): string {
  if (!NAME.test(name)) {
    const message = `\`${option}\` takes lower-case letters, digits and \`_\`, not \`${name}\``;
    throw new ConfigError([createDiagnostic("CF-104", message, { path: option })]);
  }
  return `"${name}"`;
}

async function loadPostgres(): Promise<typeof Postgres> {
  try {
    return (await import("pg")).default;
  } catch (cause) {
    throw missingPeer("pg", cause);
  }
}
