// Sources that are mutated, by what they protect, and the tests that may judge them.

/** Folders and name patterns; files that move between them stay in their set. */
export const SETS = {
  rails: [/^src\/rails\/(?!review\/)/, /^src\/library\/.*\.ts$/, /^src\/langchain\/(blocked|verdict|violation-error)/],
  verdicts: [
    /^src\/llm\/output-parsers\//,
    /^src\/actions\/(check-result|action-result)/,
    /^src\/(turn|rails)\/.*decision/,
  ],
  streaming: [/^src\/rails\/review\//, /^src\/langchain\/streaming\//],
  redaction: [/^src\/langchain\/redaction\//, /^src\/turn\/(redact|removed-parts|fold-text)/, /^src\/langchain\/scrub/],
};

/** Tests that start processes, servers or builds, or take long: a mutant is judged by the others. */
export const SKIPPED_TESTS = [
  /__tests__\/(examples|types|eval|conformance|package)/,
  /__tests__\/(colang1|colang2|expressions|syntax|config|diagnostics|retrieval)\//,
  /(-http|two-processes|server|fuzz|integration|heap|memory|import)/,
];

/** What a copy of the project needs; `node_modules` is linked. */
export const COPIED = [
  "src",
  "__tests__",
  "scripts",
  "examples",
  "package.json",
  "jest.config.js",
  "tsconfig.json",
  "README.md",
  "docs",
];
