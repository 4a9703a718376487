/**
 * Receives messages for developers that no caller sees: failed rails, warnings of a configuration. They never contain
 * texts of users or models. Compatible with `console`, pino and winston.
 */
export interface Logger {
  warn(message: string): void;
  error(message: string): void;
  /** Receives reports enabled in the configuration, such as cache hits; without it, they are not written. */
  info?(message: string): void;
}

/** Maximum number of causes remembered per logger; the oldest is dropped first. */
const MAX_CAUSES = 1_000;

let logged = new WeakMap<Logger, Set<string>>();

/** Returns true for a value with the methods of a logger. */
export function isLogger(value: unknown): value is Logger {
  if (value === null || (typeof value !== "object" && typeof value !== "function")) return false;
  const { warn, error } = value as { warn?: unknown; error?: unknown };
  return typeof warn === "function" && typeof error === "function";
}

/** Writes a line, once per logger, process and cause. INVARIANT: a failing logger never affects its caller. */
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
    // A failed log must not change a verdict.
  }
}

/** Forgets what has been logged; for tests. */
export function forgetLogged(): void {
  logged = new WeakMap();
}
