/**
 * Receives messages for the developer that no caller sees: rails that failed, warnings of a configuration. They never hold
 * texts of users or models. `console`, pino and winston fit.
 */
export interface Logger {
  warn(message: string): void;
  error(message: string): void;
  /** Receives reports that the configuration asks for, such as the hits of a cache; without it they are not written. */
  info?(message: string): void;
}

/** Most causes that are remembered for one logger; the oldest is forgotten first. */
const MAX_CAUSES = 1_000;

let logged = new WeakMap<Logger, Set<string>>();

/** Returns true for a value with the methods of a logger. */
export function isLogger(value: unknown): value is Logger {
  if (value === null || (typeof value !== "object" && typeof value !== "function")) return false;
  const { warn, error } = value as { warn?: unknown; error?: unknown };
  return typeof warn === "function" && typeof error === "function";
}

/**
 * Writes a line, once for each logger, process and cause.
 * INVARIANT: a logger that fails changes nothing for its caller.
 */
export function logOnce(logger: Logger | undefined, level: "warn" | "error", cause: string, message: string): void {
  if (logger === undefined) return;
  const causes = logged.get(logger) ?? new Set();
  logged.set(logger, causes);
  const key = `${level} ${cause}`;
  if (causes.has(key)) return;
  if (causes.size >= MAX_CAUSES) for (const oldest of causes) if (causes.delete(oldest)) break;
  causes.add(key);
  write(() => logger[level](message));
}

/** Writes a report, each time. */
export function writeInfo(logger: Logger | undefined, message: string): void {
  write(() => logger?.info?.(message));
}

function write(line: () => unknown): void {
  try {
    const written = line();
    if (written instanceof Promise) written.catch(() => undefined);
  } catch {
    // A log that cannot be written must not change a verdict.
  }
}

/** Forgets what has been logged; for tests. */
export function forgetLogged(): void {
  logged = new WeakMap();
}
