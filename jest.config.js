import { readFileSync } from "node:fs";

const { name, exports } = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8"));

/** The package's entries by the name users import them by, each mapped to its source. */
const entries = Object.entries(exports).flatMap(([path, { types }]) =>
  types === undefined
    ? []
    : [[`^${name}${path.slice(1)}$`, types.replace("./dist/", "<rootDir>/src/").replace(/\.d\.ts$/, ".ts")]],
);

/** @type {import("@jest/types").Config.InitialProjectOptions} */
const shared = {
  rootDir: import.meta.dirname,
  testEnvironment: "<rootDir>/__tests__/support/plain-global-environment.mjs",
  extensionsToTreatAsEsm: [".ts"],
  transform: {
    "^.+\\.ts$": [
      "@swc/jest",
      { jsc: { parser: { syntax: "typescript" }, target: "es2022" }, module: { type: "es6" }, sourceMaps: "inline" },
    ],
  },
  moduleNameMapper: { ...Object.fromEntries(entries), "^(\\.{1,2}/.*)\\.js$": "$1" },
};

/** @type {import("jest").Config} */
export default {
  // A limit for tests that hang, not for slow ones: machines that run tests are often busy.
  testTimeout: 60_000,
  // One worker for all files grows to gigabytes and spends most of its time collecting them.
  maxWorkers: "100%",
  workerIdleMemoryLimit: "1500MB",
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
