import type { Environment } from "../config/environment.js";

/** Signals that stop the program: Ctrl+C, a supervisor, and a closed terminal. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Milliseconds in which a second signal counts as the same: the terminal and npm both pass Ctrl+C to this process. */
const SAME_MS = 500;

/** Milliseconds between checks of the parent process. */
const PARENT_MS = 500;

/** An `&` that is not part of `&&`: the script does not wait for its background commands. */
const IN_BACKGROUND = /(?<!&)&(?!&)/;

/**
 * Returns a signal that aborts when this process receives a stop signal. A further signal ends the process immediately.
 *
 * npm runs a program in a shell, and sends signals only to the shell. If they end the shell, this process would continue, so the
 * end of the shell counts as a signal.
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
