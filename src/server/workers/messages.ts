import type { MetricSnapshot } from "../metrics/prometheus.js";
import type { MetricsPage } from "../observer.js";

/** A message from the pool to a worker. */
export type ToWorker =
  | { readonly kind: "stop" }
  | { readonly kind: "reload"; readonly number: number; readonly config: string | undefined }
  | { readonly kind: "measure"; readonly number: number }
  | { readonly kind: "page"; readonly number: number; readonly page: MetricsPage };

/** A message from a worker to its pool. */
export type ToPool =
  | { readonly kind: "ready"; readonly about: ReadyWorker }
  | { readonly kind: "reloaded"; readonly number: number; readonly problem: string | undefined }
  | { readonly kind: "measured"; readonly number: number; readonly snapshot: readonly MetricSnapshot[] }
  | { readonly kind: "page"; readonly number: number };

/** Description of a server that has started in a worker. */
export interface ReadyWorker {
  readonly url: string;
  /** Ids of its configurations. */
  readonly configs: readonly string[];
  /** True if callers need a key. */
  readonly isClosed: boolean;
}

/** Returns the message if it belongs to this package; undefined for a message of other code in the process. */
export function messageIn<Message extends ToWorker | ToPool>(value: unknown): Message | undefined {
  const { guardrails } = (value ?? {}) as { readonly guardrails?: Message };
  return guardrails;
}

/** Marks a message as belonging to this package. */
export function asMessage(message: ToWorker | ToPool): { readonly guardrails: ToWorker | ToPool } {
  return { guardrails: message };
}
