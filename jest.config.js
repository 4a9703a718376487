/** @type {import("jest").Config} */
export default {
  rootDir: ".",
  roots: ["<rootDir>/__tests__"],
  testMatch: ["**/*.test.ts"],
  testEnvironment: "node",
  // A limit for what hangs, and not for what is slow: machines that test are often busy.
  testTimeout: 60_000,
  // One worker for all files grows to gigabytes, and most of its time is collecting them.
  maxWorkers: "100%",
  workerIdleMemoryLimit: "1500MB",
  extensionsToTreatAsEsm: [".ts"],
  transform: {
    "^.+\\.ts$": [
      "@swc/jest",
      { jsc: { parser: { syntax: "typescript" }, target: "es2022" }, module: { type: "es6" }, sourceMaps: "inline" },
    ],
  },
  moduleNameMapper: {
    "^langchain-guardrails$": "<rootDir>/src/index.ts",
    "^langchain-guardrails/rails$": "<rootDir>/src/langchain/rails.ts",
    "^langchain-guardrails/threads$": "<rootDir>/src/langchain/threads.ts",
    "^langchain-guardrails/matcher$": "<rootDir>/src/langchain/matcher.ts",
    "^langchain-guardrails/testing$": "<rootDir>/src/testing/index.ts",
    "^langchain-guardrails/middleware$": "<rootDir>/src/langchain/middleware.ts",
    "^langchain-guardrails/langgraph$": "<rootDir>/src/langchain/langgraph.ts",
    "^langchain-guardrails/eval$": "<rootDir>/src/eval/index.ts",
    "^(\\.{1,2}/.*)\\.js$": "$1",
  },
};
