import type { StreamPlan } from "../turn/stream-plan.js";
import type { CallTracer } from "../engine/span.js";
import type { Logger } from "../diagnostics/logger.js";
import type { HistoryMode } from "../runtime/rails-of-call.js";
import type { Runtime } from "../runtime/runtime.js";
import type { TurnResult } from "../turn/result.js";
import type { OnBlocked } from "./blocked.js";
import type { RawTokens } from "./callbacks.js";
import { shapeError } from "./shape-error.js";
import type { UnseenPolicy } from "./values/unseen.js";

/** State shared by all runnables of one guardrails object. INVARIANT: nothing in it changes after construction. */
export interface Host {
  readonly runtime: Runtime;
  readonly onBlocked?: OnBlocked | undefined;
  readonly rawTokens: RawTokens;
  /** True to omit texts from traces. */
  readonly redactTraces?: boolean | undefined;
  readonly logger?: Logger | undefined;
  /** Treatment of user messages that were already answered. */
  readonly history: HistoryMode;
  /** True if messages of the role `context` may set variables in `invoke`. Default: false. */
  readonly allowContextMessages?: boolean | undefined;
  /** True if messages of the role `event` may send events to the engine in `invoke`. Default: false. */
  readonly allowEventMessages?: boolean | undefined;
  /** Policy for parts that no rail can read. */
  readonly unseen?: UnseenPolicy | undefined;
  /** Keys of an input object that the application fills itself; rails do not read them. */
  readonly trustedKeys?: readonly string[] | undefined;
  /** Release of streams. */
  readonly streaming: StreamPlan;
  /** Receives each turn with its log when the turn ends. */
  readonly onTurn?: ((result: TurnResult) => unknown) | undefined;
  /** Traces calls instead of the configured traces. */
  readonly tracer?: CallTracer | undefined;
  /** Longest pause of a streamed response in milliseconds, equal to the limit of an action. */
  readonly stallMs: number;
}

/** Returns the host with the unseen-parts policy of a call site, if it has one. */
export function withUnseen(host: Host, unseen: UnseenPolicy | undefined): Host {
  return unseen === undefined ? host : { ...host, unseen };
}

const hosts = new WeakMap<object, Host>();

/** Registers the host of a guardrails object for the package's other entry points. */
export function rememberHost(guardrails: object, host: Host): void {
  hosts.set(guardrails, host);
}

/**
 * @throws InputShapeError for any other value
 */
export function hostOf(guardrails: object): Host {
  const host = hosts.get(guardrails);
  if (host === undefined) {
    throw shapeError("expected a guardrails object", guardrails, "create one with `await Guardrails.fromPath(…)`");
  }
  return host;
}

/**
 * A host, or a function that creates it at the first call (free moderation steps) together with what is known before.
 */
export type HostSource = Host | ((() => Promise<Host>) & Pick<Host, "redactTraces">);

/** Returns a host for one rail, which may be a library rail that the configuration does not import. */
export function withRail(host: Host, reference: string): HostSource {
  const open = async (): Promise<Host> => ({ ...host, runtime: await host.runtime.withRail(reference) });
  return Object.assign(open, { redactTraces: host.redactTraces });
}

export function resolveHost(source: HostSource): Host | Promise<Host> {
  return typeof source === "function" ? source() : source;
}
