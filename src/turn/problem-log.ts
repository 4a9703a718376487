import { formatDiagnostic } from "../diagnostics/code-frame.js";
import { DIAGNOSTIC_CODES, type DiagnosticCode } from "../diagnostics/codes.js";
import { createDiagnostic, type Diagnostic } from "../diagnostics/diagnostic.js";
import { type ErrorFacts, readErrorFacts } from "../diagnostics/error-facts.js";
import { type Logger, logOnce } from "../diagnostics/logger.js";
import type { RailStage } from "./decision.js";
import type { TurnProblem } from "./result.js";
import type { Turn, TurnInit } from "./turn.js";

/** A problem for the log: names from the configuration, never text of the conversation. */
export interface LoggedProblem {
  readonly code: string;
  readonly rail?: string;
  readonly stage?: RailStage;
  /** A configured flow; names of LLM-written flows are not logged. */
  readonly flow?: string | undefined;
  readonly action?: string;
  readonly cause?: unknown;
  /** File, line and column in a flow. Default: where the cause was thrown. */
  readonly place?: string | undefined;
  /** Effect on the message, such as `the message is blocked`. */
  readonly effect?: string;
}

/** A runtime's logger; absent with `logger: false`. */
export interface ProblemSink {
  readonly logger?: Logger | undefined;
}

/** Adds a problem to the log of its turn and writes its cause to the logger. */
export function reportProblem(
  sink: ProblemSink,
  turn: Pick<Turn, "problems">,
  problem: TurnProblem,
  details: Omit<LoggedProblem, "code"> = {},
): void {
  turn.problems.push(problem);
  const { code, cause, action } = problem;
  logProblem(sink, { code, cause, ...(action === undefined ? {} : { action }), ...details });
}

/**
 * Writes the cause of a problem to the logger, once per code, rail and model. INVARIANT: error messages are left out,
 * since they may quote text that a rail checked.
 */
export function logProblem({ logger }: ProblemSink, problem: LoggedProblem): void {
  if (logger === undefined) return;
  const facts = readErrorFacts(problem.cause);
  const { code, rail, flow, action = facts.action } = problem;
  const cause = [code, rail ?? flow ?? action, facts.model, facts.status, facts.name].join("|");
  const known = (Object.hasOwn(DIAGNOSTIC_CODES, code) ? code : "RL-104") as DiagnosticCode;
  const effect = problem.effect === undefined ? "" : `, so ${problem.effect}`;
  const message = `${subjectOf(problem, facts)} failed: ${reasonOf(known, facts)}${effect}`;
  const diagnostic = createDiagnostic(known, message, {
    path: problem.place ?? facts.place,
    hint: hintOf(known, facts),
  });
  logOnce(logger, "error", cause, formatDiagnostic({ ...diagnostic, severity: "error" }));
}

/** Returns a listener of decisions whose failures are logged. */
export function observeDecisions({
  logger,
  onDecision,
}: ProblemSink & Pick<TurnInit, "onDecision">): typeof onDecision {
  if (onDecision === undefined) return undefined;
  return (decision) => {
    try {
      onDecision(decision);
    } catch (cause) {
      logProblem({ logger }, { code: "RL-104", action: "onDecision", cause });
      throw cause;
    }
  };
}

/** Logs the warnings of a configuration. */
export function logWarnings(logger: Logger | undefined, warnings: readonly Diagnostic[]): void {
  if (logger === undefined) return;
  for (const warning of warnings) {
    if (warning.severity === "info") continue;
    const line = formatDiagnostic(warning);
    logOnce(logger, "warn", line, line);
  }
}

function subjectOf({ rail, stage, flow, action }: LoggedProblem, facts: ErrorFacts): string {
  if (rail !== undefined) return stage === undefined ? `rail \`${rail}\`` : `rail \`${rail}\` (${stage})`;
  if (flow !== undefined) return `flow \`${flow}\``;
  const name = action ?? facts.action;
  return name === undefined ? "a turn" : `action \`${name}\``;
}

function reasonOf(code: DiagnosticCode, facts: ErrorFacts): string {
  const { name, status, reason, model, task, timeoutMs, limit } = facts;
  const what =
    timeoutMs !== undefined
      ? `no result within ${timeoutMs} ms`
      : limit !== undefined
        ? `the limit \`${limit.name}\` of ${limit.maximum} was exceeded`
        : DIAGNOSTIC_CODES[code].title;
  const details = [
    ...(model === undefined ? [] : [`model \`${model}\``]),
    ...(task === undefined ? [] : [`task \`${task}\``]),
    ...(status === undefined ? [] : [`HTTP ${status}`]),
    ...(name === undefined ? [] : [name]),
    ...(reason === undefined || reason === name ? [] : [reason]),
  ];
  return details.length === 0 ? what : `${what} (${details.join(", ")})`;
}

const STATUS_HINTS: Readonly<Record<number, string>> = {
  400: "the provider refused the request: check the parameters of the model",
  401: "check the API key of the model",
  402: "check the account and the quota of the provider",
  403: "check that the API key may use the model",
  404: "check the name of the model and the base URL",
  408: "the provider took too long: try again, or use a faster model",
  413: "the prompt is too long for the provider",
  429: "the provider limits requests: wrap the model with `withRetry`, or raise the quota",
};

const SERVICE_HINTS: Readonly<Record<number, string>> = {
  401: "check the key of the service",
  403: "check that the key of the service may be used for this",
  404: "check the address of the service",
  429: "the service limits requests: raise the quota",
};

const SERVICE_HINT = "see the reason of the decision; `on_error` in the rail's settings sets the consequence";

const CONNECTION = /^(?:ECONN\w+|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|UND_ERR_\w+|APIConnection\w*)$/;

/** Every hint names the place of the full message, unless the facts suffice. */
function hintOf(code: DiagnosticCode, { hint, status, reason, name, timeoutMs, limit, model }: ErrorFacts): string {
  if (hint !== undefined) return hint;
  if (code === "RL-202") return SERVICE_HINTS[status ?? 0] ?? SERVICE_HINT;
  if (status !== undefined) {
    const known = STATUS_HINTS[status] ?? (status >= 500 ? "the provider failed: try again later" : undefined);
    if (known !== undefined) return known;
  }
  if (CONNECTION.test(reason ?? "") || CONNECTION.test(name ?? "")) {
    return "the provider cannot be reached: check the base URL and the network";
  }
  if (timeoutMs !== undefined && code === "RL-103") return "raise `timeoutMs`, or give the rail a faster model";
  if (timeoutMs !== undefined) return "raise `actions.timeout_ms`, or make the action faster";
  if (limit !== undefined && code === "PR-107") return `raise \`${limit.name}\` of the prompt under \`prompts\``;
  if (limit !== undefined) return "the limits are set under `limits` of the configuration";
  if (model !== undefined && code === "RL-302") return "use a model that keeps to the format of the prompt";
  return "error messages may quote the conversation and are not logged: see `onDecision` and `log.errors`";
}
