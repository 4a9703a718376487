"use strict";
const { fileURLToPath } = require("node:url");
const { transformSync } = require("@swc/core");

/** The JavaScript and the source map of a TypeScript module. */
module.exports = function transform(url, source) {
  return transformSync(source, {
    filename: fileURLToPath(url),
    configFile: false,
    jsc: { parser: { syntax: "typescript" }, target: "es2022" },
    module: { type: "es6" },
    sourceMaps: true,
  });
};
