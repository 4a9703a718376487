import type { StreamPlan } from "../turn/stream-plan.js";
import { InputShapeError } from "../diagnostics/errors.js";
import type { CallTracer } from "../engine/span.js";
import type { Logger } from "../diagnostics/logger.js";
import type { HistoryMode } from "../runtime/rails-of-call.js";
import type { Runtime } from "../runtime/runtime.js";
import type { TurnResult } from "../turn/result.js";
import type { OnBlocked } from "./blocked.js";
import type { RawTokens } from "./callbacks.js";
import type { UnseenPolicy } from "./values/unseen.js";

/** State shared by all runnables of one guardrails object. INVARIANT: nothing in it changes after construction. */
export interface Host {
  readonly runtime: Runtime;
  readonly onBlocked?: OnBlocked | undefined;
  readonly rawTokens: RawTokens;
  /** True if traces get no texts. */
  readonly redactTraces?: boolean | undefined;
  readonly logger?: Logger | undefined;
  /** Treatment of user messages that were answered before. */
  readonly history: HistoryMode;
  /** True if messages of the role `context` may set variables in `invoke`. Default: false. */
  readonly allowContextMessages?: boolean | undefined;
  /** True if messages of the role `event` may send events to the engine in `invoke`. Default: false. */
  readonly allowEventMessages?: boolean | undefined;
  /** Policy for parts that no rail can read. */
  readonly unseen?: UnseenPolicy | undefined;
  /** Keys of an input object that the application fills itself; no rail reads them. */
  readonly trustedKeys?: readonly string[] | undefined;
  /** Release of streams. */
  readonly streaming: StreamPlan;
  /** Receives each turn with its log, when the turn ends. */
  readonly onTurn?: ((result: TurnResult) => unknown) | undefined;
  /** Traces calls in place of the traces of the configuration. */
  readonly tracer?: CallTracer | undefined;
  /** Longest pause of an answer, in milliseconds: that of an action. */
  readonly stallMs: number;
}

/** The host with another policy for parts that no rail can read, where a call site has one. */
export function withUnseen(host: Host, unseen: UnseenPolicy | undefined): Host {
  return unseen === undefined ? host : { ...host, unseen };
}

const hosts = new WeakMap<object, Host>();

/** Lets the other entry points of the package find what a guardrails object is made of. */
export function rememberHost(guardrails: object, host: Host): void {
  hosts.set(guardrails, host);
}

/**
 * @throws InputShapeError for any other value
 */
export function hostOf(guardrails: object): Host {
  const host = hosts.get(guardrails);
  if (host === undefined) {
    throw new InputShapeError("expected a guardrails object; pass what `Guardrails.fromPath` or `fromConfig` returned");
  }
  return host;
}

/** A host at hand, or one that is made at the first call (free moderation steps), of which this much is known before. */
export type HostSource = Host | ((() => Promise<Host>) & Pick<Host, "redactTraces">);

/** The host of one rail, which may be a rail of the library that the configuration does not import. */
export function withRail(host: Host, reference: string): HostSource {
  const open = async (): Promise<Host> => ({ ...host, runtime: await host.runtime.withRail(reference) });
  return Object.assign(open, { redactTraces: host.redactTraces });
}

export function resolveHost(source: HostSource): Host | Promise<Host> {
  return typeof source === "function" ? source() : source;
}
