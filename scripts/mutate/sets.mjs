// Sources that are mutated, by what they protect, and the tests that may judge them.

/** Folders and name patterns; files that move between them stay in their set. Generated sources belong to none. */
export const SETS = {
  rails: [
    /^src\/rails\/(?!review\/)/,
    /^src\/library\/(?!assets\.ts$).*\.ts$/,
    /^src\/langchain\/(blocked|verdict|violation-error)/,
  ],
  verdicts: [/^src\/llm\/parsers\//, /^src\/actions\/dispatcher\.ts$/, /^src\/(turn|rails)\/.*decision/],
  streaming: [/^src\/rails\/review\//, /^src\/langchain\/streaming\//],
  redaction: [/^src\/langchain\/redaction\//, /^src\/turn\/(redact|removed-parts)/],
};

/**
 * Mutants that change no observable behaviour, each rule with its reason: `before` is the mutated text, `what` its
 * change, `around` the text of the node around it. A rule without a match is an error.
 */
export const EQUIVALENT = [
  {
    path: /^src\/rails\/run-rail\.ts$/,
    before: /^return \{ config: request\.config,/,
    reason: "only spares work: no handler observes the run of a rail",
  },
  {
    path: /^src\/turn\/redactor\.ts$/,
    before: /^(2_000_000|length \* (this\.#text\.length|size) < MAX_SCAN)$/,
    reason: "above and below the limit the same parts are found, by an index or by a search",
  },
  {
    path: /^src\/turn\/redactor\.ts$/,
    before: /^break;$/,
    reason: "only spares work: more quotes than the one that is asked for",
  },
  {
    path: /^src\/turn\/redactor\.ts$/,
    before: /^return text;$/,
    what: /^removed/,
    reason: "only spares work: without quotes the text is put together as it was",
  },
  {
    path: /^src\/langchain\/streaming\/stream-output\.ts$/,
    before: /^("chunk"|"held"|true)$/,
    reason: "a review that the type asks for: nothing of such an answer is reviewed before its end",
  },
  {
    path: /^src\/turn\/removed-parts\.ts$/,
    before: /^0$/,
    around: /^lengths\[row\]/,
    reason: "lengths are compared with each other only, and all of them grow alike",
  },
  {
    path: /^src\/turn\/redactor\.ts$/,
    before: /^(ends\[end - 1\] \?\? text\.length|text\[at\] \?\? "")$/,
    reason: "a default for the type alone: the place is inside of the text",
  },
  {
    path: /^src\/turn\/redactor\.ts$/,
    before: /^return \{ text: text\.toLowerCase\(\)/,
    reason: "only spares work: plain texts fold to the same characters at the same places",
  },
];

/** Tests that start processes, servers or builds, or take long: a mutant is judged by the others. */
export const SKIPPED_TESTS = [
  /__tests__\/(system|types|eval|conformance)\//,
  /__tests__\/(colang1|colang2|expressions|syntax|config|diagnostics|retrieval)\//,
  /(-http|server|fuzz|integration|heap|memory|import)/,
];

/** Files of a copy of the project; `node_modules` is linked. */
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
