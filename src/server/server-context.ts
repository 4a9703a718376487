import type { Cancellation } from "../engine/async.js";
import type { Clock, IdSource } from "../engine/events.js";
import { GuardrailsError, InputShapeError, LimitError, ModelError } from "../diagnostics/errors.js";
import type { Logger } from "../diagnostics/logger.js";
import { ThreadStoreError } from "../threads/thread-store.js";
import type { Gate } from "./access.js";
import type { Admission } from "./admission.js";
import { ClientGone } from "./body.js";
import { ApiError, badRequest, serverError, storeUnavailable, threadConflict, threadUnreadable } from "./errors.js";
import type { ServerObserver } from "./observer.js";
import type { VerdictDetails } from "./openai-format/verdict.js";
import type { ServerLimits } from "./options.js";
import type { ChoiceSettings } from "./resolve.js";
import type { CallerLimits } from "./rate-limits/caller-limits.js";
import { observe, type RequestScope } from "./scope.js";
import type { ConversationThreads } from "./threads/conversation-threads.js";
import { toApiError, upstreamErrorIn } from "./upstream/errors.js";

/** State shared by all routes of a server. */
export interface ServerContext {
  readonly limits: ServerLimits;
  readonly history: "check" | "refuse" | "trust";
  readonly verdicts: VerdictDetails;
  readonly choice: ChoiceSettings;
  readonly threads: ConversationThreads;
  readonly gate: Gate;
  readonly admission: Admission;
  readonly callerLimits: CallerLimits;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly observer: ServerObserver | undefined;
  readonly logger: Logger | undefined;
  /** Aborts when the grace period for active requests is over. */
  readonly shutdown: Cancellation;
  /** True once the server accepts no more requests. */
  isDraining: boolean;
}

/** Status of a request whose caller disconnected; never sent. */
export const CLIENT_GONE = 499;

/** Returns the error of a request as its caller may see it. Causes are logged without texts. */
export function describeError(error: unknown, scope: RequestScope, logger: Logger | undefined): ApiError {
  const { reason } = scope.cancellation;
  const described = reason instanceof ApiError ? reason : known(error);
  const shown = described ?? serverError(error);
  scope.facts.errorCode = shown.object.code ?? shown.object.type;
  // INVARIANT: refusals for lack of capacity are not logged: most of them occur when there is least time for logging.
  if (shown.status >= 500 && shown.object.code !== "server_overloaded") report(error, shown, scope, logger);
  return shown;
}

/** Error code of a `state` that this version cannot read. */
const UNREADABLE_STATE = "RL-402";

function known(error: unknown): ApiError | undefined {
  if (error instanceof ApiError) return error;
  if (error instanceof ClientGone)
    return new ApiError(CLIENT_GONE, "The client closed the connection", { code: "client_gone" });
  const upstream = upstreamErrorIn(error);
  if (upstream !== undefined) return toApiError(upstream);
  if (ThreadStoreError.isInstance(error)) {
    if (error.code === "RL-403") return threadConflict();
    // Before a turn, nothing has changed; a turn that cannot be stored has its own error.
    return error.code === "RL-404" ? storeUnavailable(true, error) : threadUnreadable(error);
  }
  if (LimitError.isInstance(error))
    return badRequest(`The request is over the limit \`${error.limit}\`.`, undefined, error.code);
  if (InputShapeError.isInstance(error)) return badRequest("These messages cannot be guarded.", "messages", error.code);
  if (GuardrailsError.isInstance(error) && error.code === UNREADABLE_STATE)
    return badRequest("This 'state' cannot be read. Start a new conversation with '{}'.", "state", error.code);
  if (ModelError.isInstance(error)) return new ApiError(502, "The model failed", { code: error.code, cause: error });
  return undefined;
}

/** Creates a function that logs a warning when a server refuses requests for lack of capacity. */
export function warningOfRefusals(logger: Logger | undefined): () => void {
  return () =>
    observe(() =>
      logger?.warn("the server is at its limit of concurrent requests; it refuses further ones with status 503"),
    );
}

/** INVARIANT: error messages may quote texts, so only names, codes and locations are logged. */
function report(
  error: unknown,
  { status, object }: ApiError,
  { requestId, route }: RequestScope,
  logger: Logger | undefined,
): void {
  const code = GuardrailsError.isInstance(error) ? ` ${error.code}` : "";
  const place = error instanceof Error ? (/^ {4}at .{1,300}$/m.exec(error.stack ?? "")?.[0].trim() ?? "") : "";
  const name = error instanceof Error ? error.name : typeof error;
  const line = `${route} ${status} ${object.code ?? object.type} (request ${requestId}): ${name}${code} ${place}`;
  try {
    logger?.error(line.trimEnd());
  } catch {
    // A failing logger must not change a response.
  }
}
