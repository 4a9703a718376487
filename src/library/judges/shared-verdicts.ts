import { createDiagnostic } from "../../diagnostics/diagnostic.js";
import { ConfigError } from "../../diagnostics/errors.js";
import { type Logger, logOnce } from "../../diagnostics/logger.js";
import { checkOptions, type OptionTable } from "../../diagnostics/options.js";
import type { Clock, StartTimer } from "../../engine/events.js";
import { StoreCalls } from "../../engine/store-calls.js";
import { SealedReplies } from "./sealed-replies.js";
import { LONGEST_REPLY, type VerdictStore } from "./verdict-store.js";

/** Cache of verdicts that several processes share, in addition to the one in memory. */
export interface SharedVerdictsOptions {
  readonly store: VerdictStore;
  /** Secret of the processes, at least 16 characters; needed to read and write values. */
  readonly secret: string;
  /**
   * Name for everything about the models that the configuration does not state; change it if models or parameters change. Processes
   * share verdicts only under the same name.
   */
  readonly policy: string;
  /** Time limit for a call to the store, in milliseconds; default: 10. */
  readonly timeoutMs?: number;
}

const OPTIONS: OptionTable<SharedVerdictsOptions> = {
  store: "object",
  secret: "text",
  policy: "text",
  timeoutMs: "number",
};

const MIN_SECRET = 16;
const MAX_TIMEOUT = 1_000;
const DEFAULT_TIMEOUT = 10;

/** Length limit of an encrypted value in characters: an escaped reply in UTF-8, in base64. */
const LONGEST_VALUE = LONGEST_REPLY * 9;

/** @throws ConfigError `CF-103` and `CF-104` */
export function checkSharedVerdicts(given: SharedVerdictsOptions): void {
  checkOptions("sharedVerdicts", given, OPTIONS);
  const { store, secret = "", policy = "", timeoutMs = DEFAULT_TIMEOUT } = given as Partial<SharedVerdictsOptions>;
  if (typeof store?.get !== "function" || typeof store.set !== "function") {
    throw wrong("store", "`sharedVerdicts.store` has the methods `get` and `set`");
  }
  if (secret.length < MIN_SECRET)
    throw wrong("secret", `\`sharedVerdicts.secret\` has at least ${MIN_SECRET} characters`);
  if (policy === "") throw wrong("policy", "`sharedVerdicts.policy` names the models and their parameters");
  if (!(timeoutMs >= 1 && timeoutMs <= MAX_TIMEOUT)) {
    throw wrong(
      "timeoutMs",
      `\`sharedVerdicts.timeoutMs\` is a time from 1 to ${MAX_TIMEOUT} ms, not \`${timeoutMs}\``,
    );
  }
}

function wrong(name: string, message: string): ConfigError {
  return new ConfigError([createDiagnostic("CF-104", message, { path: `options.sharedVerdicts.${name}` })]);
}

interface Dependencies {
  readonly clock: Clock;
  readonly logger?: Logger | undefined;
  readonly startTimer?: StartTimer | undefined;
}

/**
 * Replies of judges in a shared store. INVARIANT: the store changes no verdict, and delays none by more than its time limit. A
 * value that arrives late, or was not encrypted with the secret, counts as missing.
 */
export class SharedVerdicts {
  readonly #store: VerdictStore;
  readonly #sealed: SealedReplies;
  readonly #policy: string;
  readonly #calls: StoreCalls;
  readonly #dependencies: Dependencies;

  constructor(
    { store, secret, policy, timeoutMs = DEFAULT_TIMEOUT }: SharedVerdictsOptions,
    dependencies: Dependencies,
  ) {
    this.#store = store;
    this.#sealed = new SealedReplies(secret);
    this.#policy = policy;
    const onFailure = (): void =>
      this.#warn("failed", "the shared store of verdicts failed or was slow, so rails ask their models");
    this.#calls = new StoreCalls({ timeoutMs, onFailure, ...dependencies });
    this.#dependencies = dependencies;
  }

  /** @param parts - all values that the reply depends on, equal in every process */
  keyOf(parts: string): Promise<string> {
    return this.#sealed.keyOf(JSON.stringify([this.#policy, parts]));
  }

  /** Returns the reply for a key, and its remaining time in milliseconds. */
  async find(key: string): Promise<{ readonly reply: string; readonly leftMs: number } | undefined> {
    const value = await this.#calls.run(() => this.#store.get(key));
    if (value === undefined) return undefined;
    const isValue = typeof value === "string" && value.length <= LONGEST_VALUE;
    const opened = isValue ? await this.#sealed.open(key, value) : undefined;
    if (opened === undefined) {
      this.#warn("foreign", "a value in the shared store of verdicts was not made with this secret, and is not used");
      return undefined;
    }
    const leftMs = opened.until - this.#dependencies.clock.now();
    return leftMs > 0 ? { reply: opened.reply, leftMs } : undefined;
  }

  /** Stores a reply, without delaying the verdict. */
  async keep(key: string, reply: string, ttlMs: number): Promise<void> {
    const until = this.#dependencies.clock.now() + ttlMs;
    const value = await this.#sealed.seal(key, { reply, until });
    void this.#calls.run(() => this.#store.set(key, value, Math.ceil(ttlMs)));
  }

  #warn(cause: string, message: string): void {
    logOnce(this.#dependencies.logger, "warn", `shared verdicts ${cause}`, message);
  }
}
