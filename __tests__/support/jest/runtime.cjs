"use strict";
const asyncHooks = require("node:async_hooks");
const { existsSync, mkdtempSync, readFileSync, writeFileSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { join } = require("node:path");
const { pathToFileURL } = require("node:url");
const { default: Runtime } = require("jest-runtime");
const transform = require("./transform.cjs");

const { AsyncLocalStorage } = asyncHooks;

/** The source maps of modules that a stack trace mentions, made when it does. */
class SourceMaps extends Map {
  static #folder;

  static #openFolder() {
    SourceMaps.#folder ??= mkdtempSync(join(tmpdir(), "maps-"));
    return SourceMaps.#folder;
  }

  get(url) {
    if (!this.has(url) && /^file:.*\.ts$/.test(url) && existsSync(new URL(url))) {
      const path = join(SourceMaps.#openFolder(), url.replaceAll(/[^\w.]/g, "_"));
      writeFileSync(path, transform(url, readFileSync(new URL(url), "utf8")).map);
      this.set(url, path);
    }
    return super.get(url);
  }
}

const storages = [];

/**
 * Jest's runtime for tests in the process's own context. Node loads the sources and their dependencies, and V8 compiles
 * them, once per process. Jest's own runtime does both again for each test file, which takes half of the suite's time.
 */
module.exports = class OneContextRuntime extends Runtime {
  #globals;
  #sourceMaps = new SourceMaps();

  /**
   * Loads Jest's test framework again for each test file, because it keeps the tests of a file in module variables. Its
   * storage of the current test is disabled with the file: Node copies every enabled storage to every promise.
   */
  requireInternalModule(path) {
    delete globalThis[Symbol.for("EVENT_HANDLERS")];
    delete require.cache[path];
    for (const storage of storages.splice(0)) storage.disable();
    // A getter from Node 24 on.
    const original = Object.getOwnPropertyDescriptor(asyncHooks, "AsyncLocalStorage");
    const RecordedStorage = class extends AsyncLocalStorage {
      constructor(...options) {
        super(...options);
        storages.push(this);
      }
    };
    Object.defineProperty(asyncHooks, "AsyncLocalStorage", { value: RecordedStorage, configurable: true });
    try {
      return require(path);
    } finally {
      Object.defineProperty(asyncHooks, "AsyncLocalStorage", original);
    }
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  setGlobalsForRuntime(globals) {
    this.#globals = globals;
  }

  async unstable_importModule(path) {
    const { bindGlobals } = await import("./globals.mjs");
    bindGlobals({ ...this.#globals, jest: this.jestGlobals.jestObjectFor(path) });
    await import(pathToFileURL(path).href);
  }

  getSourceMaps() {
    return this.#sourceMaps;
  }
};
