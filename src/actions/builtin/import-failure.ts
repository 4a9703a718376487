const MISSING: ReadonlySet<unknown> = new Set(["ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND"]);

/** Matches the name of a package with its scope. */
const PACKAGE = /^(?:@[\w.-]+\/)?[\w.-]+(?=\/|$)/;

/**
 * Returns the reason why a module of an optional package could not be imported, with the command that helps. INVARIANT: the reason
 * contains names of packages and of errors alone, since the message of an error may contain a path or a key.
 *
 * @param module - such as `@langchain/community/tools/serper`
 *
 * @example
 * ```ts
 * describeImportFailure(error, "@langchain/community/tools/serper"); // "the package `@langchain/community` is not installed: run …"
 * ```
 */
export function describeImportFailure(error: unknown, module: string): string {
  const packageName = PACKAGE.exec(module)?.[0] ?? module;
  const { code, message, name } = (typeof error === "object" && error !== null ? error : {}) as Partial<
    Record<"code" | "message" | "name", unknown>
  >;
  if (code === "ERR_PACKAGE_PATH_NOT_EXPORTED") return noModule(module, packageName);
  if (!MISSING.has(code)) {
    const kind = typeof name === "string" && /^\w{1,40}$/.test(name) ? name : typeof error;
    return `\`${module}\` cannot be loaded (${kind})`;
  }
  const wanted = /cannot find (?:package|module) '([^']{1,200})'/i.exec(String(message))?.[1] ?? packageName;
  const missing = PACKAGE.exec(wanted)?.[0];
  // A path belongs to a package that is installed.
  if (missing === undefined || wanted.startsWith(".") || wanted.startsWith("file:"))
    return noModule(module, packageName);
  if (missing === packageName)
    return `the package \`${packageName}\` is not installed: run \`npm install ${packageName}\``;
  return `\`${module}\` needs the package \`${missing}\`, which is not installed: run \`npm install ${missing}\``;
}

function noModule(module: string, packageName: string): string {
  return `the installed version of \`${packageName}\` has no module \`${module}\`: install another one`;
}
