import vm from "node:vm";

import NodeEnvironment from "jest-environment-node";

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
