import { createHash } from "node:crypto";
import { createDiagnostic } from "../diagnostics/diagnostic.js";
import { ConfigError } from "../diagnostics/errors.js";
import { checkOptions, type OptionTable } from "../diagnostics/options.js";
import { didYouMean } from "../diagnostics/suggestion.js";
import type { MaybePromise } from "../engine/async.js";
import { ApiError, NO_RETRY, notPermitted } from "./errors.js";

/**
 * Permission that a remote caller needs: to set variables (`context`), send events to flows (`events`), send the state of a
 * conversation (`state`), select rails (`rails`), read turn logs (`log`), send system messages, histories and tool definitions
 * that no rail reads (`history`), send a key for the upstream model in the header `x-upstream-key` (`upstream-key`), and use the
 * playground as a developer of the configurations (`playground`).
 */
export type Permission = (typeof PERMISSIONS)[number];

const PERMISSIONS = ["context", "events", "state", "rails", "log", "history", "upstream-key", "playground"] as const;

/** A caller of the server. */
export interface Caller {
  /** Name in logs and metrics. A caller cannot access the threads of another caller. */
  readonly id: string;
  /** Default: none. */
  readonly permissions?: readonly Permission[] | undefined;
  /** Configurations that the caller may use. Default: all. */
  readonly configs?: readonly string[] | undefined;
  /** Configuration for requests that name none. Default: the server's default. */
  readonly defaultConfig?: string | undefined;
  /** Maximum number of concurrent requests. Default: no limit other than the server's. */
  readonly concurrent?: number | undefined;
  /** Maximum number of requests per minute. Default: no limit. */
  readonly perMinute?: number | undefined;
}

/** A key and its caller. */
export interface ApiKey extends Caller {
  /** Secret that callers send as `Authorization: Bearer …`; at least 16 characters. */
  readonly key: string;
}

const KEY_OPTIONS: OptionTable<ApiKey> = {
  key: "text",
  id: "text",
  permissions: "names",
  configs: "names",
  defaultConfig: "text",
  concurrent: "number",
  perMinute: "number",
};

const MIN_KEY = 16;

/**
 * Checks the keys of callers. INVARIANT: a misspelt restriction is an error, since a caller without it may do more; and no
 * message quotes a key.
 *
 * @throws ConfigError for keys that could be guessed, that have the same text, or that have unknown fields
 */
export function checkAccess(keys: readonly ApiKey[] = [], authenticate: Authenticate | undefined): void {
  const isNamed = ({ key, id }: ApiKey): boolean => typeof key === "string" && key.length >= MIN_KEY && isText(id);
  if (!keys.every(isNamed)) throw keyError(`expected keys with an id and at least ${MIN_KEY} characters`);
  for (const key of keys) {
    checkOptions("keys", key, KEY_OPTIONS);
    const unknown = key.permissions?.find((name) => !PERMISSIONS.includes(name));
    if (unknown !== undefined) {
      const hint = didYouMean(unknown, PERMISSIONS) ?? `there are ${PERMISSIONS.join(", ")}`;
      throw keyError(`unknown permission \`${unknown}\``, hint);
    }
    for (const name of ["concurrent", "perMinute"] as const) {
      const limit = key[name];
      if (limit !== undefined && limit < 1) throw keyError(`expected a number from 1 for \`${name}\`, got ${limit}`);
    }
  }
  if (new Set(keys.map(({ key }) => key)).size < keys.length) throw keyError("two keys have the same text");
  if (keys.length > 0 && authenticate !== undefined) {
    throw accessError("authenticate", "expected `keys` or `authenticate`, got both");
  }
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

function keyError(message: string, hint?: string): ConfigError {
  return accessError("keys", message, hint);
}

function accessError(option: string, message: string, hint?: string): ConfigError {
  return new ConfigError([createDiagnostic("CF-104", message, { path: `options.${option}`, hint })]);
}

/** Finds the caller of a request; undefined for one without access. */
export type Authenticate = (request: Request) => Caller | undefined | Promise<Caller | undefined>;

/** A request to authenticate. */
interface Asking {
  readonly request: Request;
  header(name: string): string | undefined;
}

const ANONYMOUS: Caller = { id: "anonymous" };

/** Authenticates callers. */
export class Gate {
  /** INVARIANT: keys are compared by their hashes, so that the time of a comparison reveals nothing about a key. */
  readonly #keys: ReadonlyMap<string, Caller> | undefined;
  readonly #authenticate: Authenticate | undefined;

  constructor(keys: readonly ApiKey[] | undefined, authenticate: Authenticate | undefined) {
    this.#keys = keys && new Map(keys.map(({ key, ...caller }) => [digest(key), caller]));
    this.#authenticate = authenticate;
  }

  /** True if callers need a key. */
  get isClosed(): boolean {
    return this.#keys !== undefined || this.#authenticate !== undefined;
  }

  /** @throws ApiError 401 for a caller without access */
  callerOf(asking: Asking): MaybePromise<Caller> {
    if (this.#authenticate !== undefined) return this.#authenticated(this.#authenticate, asking);
    if (this.#keys === undefined) return ANONYMOUS;
    const key = keyOf(asking);
    const caller = key === undefined ? undefined : this.#keys.get(digest(key));
    if (caller === undefined) throw unauthorized(key !== undefined);
    return caller;
  }

  async #authenticated(authenticate: Authenticate, asking: Asking): Promise<Caller> {
    const caller = await authenticate(asking.request);
    if (caller !== undefined) return caller;
    throw unauthorized(asking.header("authorization") !== undefined);
  }
}

function keyOf(asking: Asking): string | undefined {
  const header = asking.header("authorization") ?? "";
  return /^bearer +/i.test(header) ? header.replace(/^bearer +/i, "") : asking.header("api-key");
}

function digest(key: string): string {
  return createHash("sha256").update(key).digest("base64");
}

/** INVARIANT: the error does not repeat the key that was sent. */
function unauthorized(hasKey: boolean): ApiError {
  const message = hasKey
    ? "Incorrect API key provided."
    : "You didn't provide an API key. Send it in the header `Authorization: Bearer YOUR_KEY`.";
  const headers = { "www-authenticate": "Bearer", ...NO_RETRY };
  return new ApiError(401, message, { code: "invalid_api_key", headers });
}

/** @throws ApiError 403 if the caller lacks the permission */
export function requirePermission(caller: Caller, permission: Permission, param: string): void {
  if (caller.permissions?.includes(permission) === true) return;
  throw notPermitted(`'${param}' needs the permission \`${permission}\`, which this caller does not have.`, param);
}
