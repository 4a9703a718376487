import { spawn } from "node:child_process";
import { join } from "node:path";

/** One run of jest in the copy; resolves to its exit code, or to undefined when it took longer than `limitMs`. */
export function runJest(folder, args, { env = {}, limitMs }) {
  const jest = join(folder, "node_modules/jest/bin/jest.js");
  const command = [
    "--experimental-vm-modules",
    "--no-warnings",
    jest,
    "--config",
    "mutate/jest.config.mjs",
    "--silent",
    ...args,
  ];
  return new Promise((done) => {
    const child = spawn(process.execPath, command, {
      cwd: folder,
      env: { ...process.env, ...env, NODE_OPTIONS: "" },
      stdio: "ignore",
      detached: true,
    });
    const stop = () => {
      try {
        process.kill(-child.pid, "SIGKILL");
      } catch {
        // It has ended by itself.
      }
    };
    const timer = setTimeout(() => (stop(), done(undefined)), limitMs);
    process.once("exit", stop);
    child.on("close", (code) => {
      clearTimeout(timer);
      process.off("exit", stop);
      done(code ?? 1);
    });
  });
}
