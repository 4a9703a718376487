/** The names that tests import from `@jest/globals`, bound again for each test file. */
export let afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest, test;

export function bindGlobals(globals) {
  ({ afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest, test } = globals);
}
