import vm from "node:vm";

import NodeEnvironment from "jest-environment-node";

const { SourceTextModule, compileFunction } = vm;

/** Compiled code by file name, for all test files of a worker. */
const compiled = new Map();
const DYNAMIC_IMPORT = /\bimport\s*\(/;

/** Compiled code of a file; undefined for another source, and for code whose dynamic imports a cache would lose. */
function codeCacheOf(filename, code) {
  const known = compiled.get(filename);
  if (known?.code === code) return known;
  const created = { code, data: undefined, isCacheable: !DYNAMIC_IMPORT.test(code) };
  compiled.set(filename, created);
  return created;
}

// Each test file loads about 500 modules into a context of its own. Compiling them once per worker instead of once per
// file halves that time.
vm.SourceTextModule = class extends SourceTextModule {
  constructor(code, options) {
    const cache = codeCacheOf(options.identifier, code);
    super(code, { ...options, cachedData: cache.data });
    if (cache.isCacheable) cache.data ??= this.createCachedData();
  }
};
vm.compileFunction = (code, parameters, options) => {
  const cache = codeCacheOf(options.filename, code);
  const produceCachedData = cache.isCacheable && cache.data === undefined;
  const compiledFunction = compileFunction(code, parameters, { ...options, cachedData: cache.data, produceCachedData });
  if (produceCachedData) cache.data = compiledFunction.cachedData;
  return compiledFunction;
};

/**
 * Jest's Node environment with a plain global object. Jest's own global is a proxy behind interceptors, so that each
 * use of `Math` or `Object` in a test costs a microsecond: half of the suite's time.
 */
export default class PlainGlobalEnvironment extends NodeEnvironment {
  constructor(config, context) {
    const { createContext } = vm;
    vm.createContext = () => createContext(vm.constants.DONT_CONTEXTIFY);
    try {
      super(config, context);
    } finally {
      vm.createContext = createContext;
    }
    // Every matcher takes a stack trace; Jest asks for 100 frames.
    this.global.Error.stackTraceLimit = 20;
  }
}
