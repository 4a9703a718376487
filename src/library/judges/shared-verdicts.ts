import { createDiagnostic } from "../../diagnostics/diagnostic.js";
import { ConfigError } from "../../diagnostics/errors.js";
import { type Logger, logOnce } from "../../diagnostics/logger.js";
import { checkOptions, type OptionTable } from "../../diagnostics/options.js";
import type { Clock, StartTimer } from "../../engine/events.js";
import { StoreCalls } from "../../engine/store-calls.js";
import { SealedReplies } from "./sealed-replies.js";
import { LONGEST_REPLY, type VerdictStore } from "./verdict-store.js";

/** Verdicts that processes share, besides those that each one has in memory. */
export interface SharedVerdictsOptions {
  readonly store: VerdictStore;
  /** Secret that the processes share, of at least 16 characters: without it a value can neither be read nor made. */
  readonly secret: string;
  /**
   * Name of the models with their parameters, as far as a configuration does not state them; change it with them. Processes share
   * verdicts of the same policy only.
   */
  readonly policy: string;
  /** Longest wait for the store in milliseconds; default: 10. */
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

/** Longest sealed value in characters: a reply in UTF-8 with escapes, in base 64. */
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
 * Replies of judges in a store of several processes. INVARIANT: the store changes no verdict and delays none by more than its
 * time limit: what it does not return in time, or what was not sealed with the secret, counts as missing.
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

  /** @param parts - all that the reply depends on, in words that mean the same in each process */
  keyOf(parts: string): Promise<string> {
    return this.#sealed.keyOf(JSON.stringify([this.#policy, parts]));
  }

  /** Returns the reply under a key, with the milliseconds that it may still be used. */
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

  /** Keeps a reply. The verdict does not wait for it. */
  async keep(key: string, reply: string, ttlMs: number): Promise<void> {
    const until = this.#dependencies.clock.now() + ttlMs;
    const value = await this.#sealed.seal(key, { reply, until });
    void this.#calls.run(() => this.#store.set(key, value, Math.ceil(ttlMs)));
  }

  #warn(cause: string, message: string): void {
    logOnce(this.#dependencies.logger, "warn", `shared verdicts ${cause}`, message);
  }
}
