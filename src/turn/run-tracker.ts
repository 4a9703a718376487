import type { RunnableConfig } from "@langchain/core/runnables";
import type { MaybePromise } from "../engine/async.js";

/** A traced run: `config` is the child config for everything inside it. */
export interface RunScope {
  readonly config: RunnableConfig;
  end(output: unknown): void;
  fail(error: unknown): void;
}

export interface RunDescription {
  /** Such as `rail:self check input`. */
  readonly name: string;
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly input: unknown;
}

/**
 * Opens traced runs below a config. The adapter over LangChain's callback managers is in `langchain/callbacks.ts`;
 * without handlers it has no cost.
 */
export interface RunTracker {
  /** Returns true if the config has handlers; otherwise callers may skip building inputs. */
  listens(config: RunnableConfig | undefined): boolean;
  start(config: RunnableConfig | undefined, run: RunDescription): MaybePromise<RunScope>;
}

/** For calls without callbacks: passes the config unchanged. */
export const silentTracker: RunTracker = {
  listens: () => false,
  start: (config) => ({ config: config ?? {}, end: () => undefined, fail: () => undefined }),
};
