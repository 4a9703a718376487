import { register } from "node:module";

import { ModernFakeTimers } from "@jest/fake-timers";
import { ModuleMocker } from "jest-mock";

register("./loader.mjs", import.meta.url);

/** Restores the variables of the process: those of a test must not reach the next one. */
function restoreVariables(before) {
  for (const name of Object.keys(process.env)) if (!Object.hasOwn(before, name)) delete process.env[name];
  for (const [name, value] of Object.entries(before)) if (process.env[name] !== value) process.env[name] = value;
}

/** Jest's environment for tests in the process's own context: see `runtime.cjs`. */
export default class OneContextEnvironment {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  /** Environment variables before the file, and before the test that runs. */
  #ofFile = { ...process.env };
  #ofTest = this.#ofFile;

  constructor({ projectConfig }) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  async setup() {
    // Every matcher takes a stack trace; Jest asks for 100 frames.
    Error.stackTraceLimit = 20;
  }

  handleTestEvent({ name }) {
    if (name === "test_start") this.#ofTest = { ...process.env };
    else if (name === "test_done") restoreVariables(this.#ofTest);
  }

  async teardown() {
    restoreVariables(this.#ofFile);
    this.fakeTimersModern.dispose();
  }

  exportConditions() {
    return ["node", "node-addons"];
  }

  /** Jest asks for this method of every environment and calls it only to load modules itself. */
  getVmContext() {
    return null;
  }
}
