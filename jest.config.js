/** @type {import("@jest/types").Config.InitialProjectOptions} */
const shared = {
  rootDir: import.meta.dirname,
  testEnvironment: "<rootDir>/__tests__/support/jest/environment.mjs",
  runtime: "<rootDir>/__tests__/support/jest/runtime.cjs",
  transform: {},
};

/** @type {import("jest").Config} */
export default {
  // A limit for tests that hang, not for slow ones: machines that run tests are often busy.
  testTimeout: 60_000,
  // Jest's default leaves one core to the parent process, which has little to do.
  maxWorkers: "100%",
  // A worker keeps the modules it loaded; one that has grown beyond this is replaced.
  workerIdleMemoryLimit: "1500MB",
  globalSetup: "<rootDir>/__tests__/support/jest/temporary-files.mjs",
  projects: [
    {
      ...shared,
      displayName: "unit",
      testMatch: ["<rootDir>/__tests__/**/*.test.ts"],
      testPathIgnorePatterns: ["<rootDir>/__tests__/system/"],
    },
    // The matrix of surfaces and shapes, the examples, the built package, and whatever starts processes or servers.
    { ...shared, displayName: "system", testMatch: ["<rootDir>/__tests__/system/**/*.test.ts"] },
  ],
};
