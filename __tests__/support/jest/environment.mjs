import { register } from "node:module";

import { ModernFakeTimers } from "@jest/fake-timers";
import { ModuleMocker } from "jest-mock";

register("./loader.mjs", import.meta.url);

/** Jest's environment for tests in the process's own context: see `runtime.cjs`. */
export default class OneContextEnvironment {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);

  constructor({ projectConfig }) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  async setup() {
    // Every matcher takes a stack trace; Jest asks for 100 frames.
    Error.stackTraceLimit = 20;
  }

  async teardown() {
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
