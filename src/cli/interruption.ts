import type { Environment } from "../config/environment.js";

/** Signals that ask the program to end: Ctrl+C, a supervisor, and a terminal that was closed. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Milliseconds in which a second signal is the same one: a terminal sends Ctrl+C to npm and to this process, and npm passes it on. */
const SAME_MS = 500;

/** Milliseconds between looks at the parent process. */
const PARENT_MS = 500;

/** An `&` that is not a part of `&&`: the script leaves its commands behind when it ends. */
const IN_BACKGROUND = /(?<!&)&(?!&)/;

/**
 * Returns a signal that aborts when this process is asked to end. After that, another signal ends it at once.
 *
 * npm runs a program below a shell, and passes signals to the shell alone. If they end the shell, this process would go on
 * without them, so the end of the shell counts as a signal.
 */
export function interruptionOf(program: Pick<NodeJS.Process, "on" | "off" | "ppid">, env: Environment): AbortSignal {
  const controller = new AbortController();
  const interrupt = (): void => {
    if (controller.signal.aborted) return;
    controller.abort(new Error("interrupted"));
    setTimeout(() => {
      for (const name of SIGNALS) program.off(name, interrupt);
    }, SAME_MS).unref();
  };
  for (const name of SIGNALS) program.on(name, interrupt);
  const script = env["npm_lifecycle_script"];
  if (script !== undefined && !IN_BACKGROUND.test(script)) {
    const { ppid } = program;
    setInterval(() => {
      if (program.ppid !== ppid) interrupt();
    }, PARENT_MS).unref();
  }
  return controller.signal;
}
