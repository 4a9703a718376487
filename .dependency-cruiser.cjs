const rooms = require("./rooms.json");

const keys = Object.keys(rooms);

/**
 * Returns a pattern for the files of a key of rooms.json: a folder or a file of `src`, without what has a longer key of
 * its own. `runtime` is all of `src/runtime` but `runtime/colang1` and the other keys below it.
 */
function filesOf(key) {
  const below = keys
    .filter((other) => other.startsWith(`${key}/`))
    .map((other) => `${other.slice(key.length)}(?:/|\\.ts$)`);
  return `^src/${key}${below.length === 0 ? "" : `(?!${below.join("|")})`}(?:/|\\.ts$)`;
}

/** Rules made from rooms.json: a room may import itself and what is listed there, nothing else. */
const walls = Object.entries(rooms).map(([room, allowed]) => ({
  name: `wall-of-${room}`,
  severity: "error",
  comment: `src/${room} may import: ${[room, ...allowed].join(", ")}`,
  from: { path: filesOf(room) },
  to: { path: "^src/", pathNot: [room, ...allowed].map(filesOf) },
}));

module.exports = {
  forbidden: [
    ...walls,
    {
      name: "langchain-at-the-edge",
      severity: "error",
      comment: "only these rooms load LangChain at run time; `import type` is free everywhere",
      from: { path: "^src/", pathNot: "^src/(langchain|testing|cli|server|index\\.ts)" },
      to: { path: "node_modules/(@langchain|langchain)/", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "no-cycles",
      severity: "error",
      comment: "a cycle of imports, those of types included",
      from: { path: "^src/" },
      to: { circular: true },
    },
    {
      name: "no-tests-in-the-product",
      severity: "error",
      from: { path: "^src/" },
      to: { path: "^(__tests__|bench|examples|scripts)/" },
    },
    {
      name: "no-undeclared-package",
      severity: "error",
      comment: "the page of the playground is bundled with its packages",
      from: { path: "^src/", pathNot: "^src/server/playground/page/" },
      to: { dependencyTypes: ["npm-dev", "npm-no-pkg", "npm-unknown"], dependencyTypesNot: ["type-only", "npm-peer"] },
    },
    {
      name: "resolvable",
      severity: "error",
      from: { path: "^src/" },
      to: { couldNotResolve: true, pathNot: "^(@langchain/|langchain)" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default", "types"],
      extensions: [".ts", ".tsx", ".js", ".json"],
    },
    moduleSystems: ["es6", "cjs"],
  },
};
