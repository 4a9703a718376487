import { createDiagnostic, type Diagnostic, report } from "../../diagnostics/diagnostic.js";
import type { CodeFile, FileStore } from "./file-store.js";
import type { LoadOptions } from "./load-options.js";
import type { ConfigCode } from "../rails-config.js";
import type { Unit } from "./unit.js";

interface CodeOptions {
  readonly allowCode: boolean;
  /** Folders whose code may be imported; the text of a configuration cannot extend them. */
  readonly folders: readonly string[];
  /** `actions.ignore_errors`: skip a failing action module. */
  readonly ignoreErrors: boolean;
  readonly importModule: NonNullable<LoadOptions["importModule"]>;
}

/** Names under which module systems export the module itself. */
const RESERVED_EXPORTS = new Set(["default", "module.exports", "__esModule"]);

type Action = ConfigCode["actions"][number];

/**
 * Imports the code of a configuration. `init` functions run later, imported paths first; among actions with one name,
 * the last wins.
 */
export async function loadCode(
  units: readonly Unit[],
  options: CodeOptions,
): Promise<{
  readonly code: ConfigCode;
  readonly diagnostics: readonly Diagnostic[];
  /** Error of the first module that failed. */
  readonly cause?: unknown;
}> {
  if (!options.allowCode) {
    const files = units.flatMap(({ code }) => [...(code.config ? [code.config] : []), ...code.actions]);
    // A warning per module: the configuration may depend on it, and missing actions only show later.
    const diagnostics = files.map(({ name: path }): Diagnostic => {
      const hint = "pass `allowCode: true` (`serve --allow-code`) to load it, or register its actions in your program";
      const message = `\`${path}\` is not loaded, because code is turned off`;
      return { ...createDiagnostic("CF-115", message, { path, hint }), severity: "warning" };
    });
    return { code: { inits: [], actions: [] }, diagnostics };
  }
  const loader = new CodeLoader(options);
  const inits: ConfigCode["inits"][number][] = [];
  const actions: Action[] = [];
  for (const unit of units) {
    for (const file of unit.code.actions) actions.push(...(await loader.actions(unit, file)));
  }
  for (const unit of [...units.slice(1), ...units.slice(0, 1)]) {
    const init = unit.code.config && (await loader.init(unit, unit.code.config));
    if (init) inits.push(init);
  }
  return { code: { inits, actions }, diagnostics: loader.diagnostics, cause: loader.cause };
}

class CodeLoader {
  readonly diagnostics: Diagnostic[] = [];
  cause: unknown;
  readonly #options: CodeOptions;

  constructor(options: CodeOptions) {
    this.#options = options;
  }

  async init(unit: Unit, file: CodeFile): Promise<ConfigCode["inits"][number] | undefined> {
    const module = await this.#import(unit, file, false);
    if (!module) return undefined;
    const init = own(module, "init") ?? own(own(module, "default"), "init");
    if (init === undefined) return undefined;
    if (typeof init === "function") return { path: file.name, init: init as (app: unknown) => unknown };
    this.#report(file, false, `\`init\` in \`${file.name}\` is not a function`);
    return undefined;
  }

  async actions(unit: Unit, file: CodeFile): Promise<Action[]> {
    const module = await this.#import(unit, file, true);
    if (!module) return [];
    const exported = new Map<string, unknown>();
    const fallback = own(module, "default");
    // CommonJS exports arrive in `default`, whether or not their names were recognised.
    if (isExportsObject(fallback)) for (const [name, value] of Object.entries(fallback)) exported.set(name, value);
    else if (fallback !== undefined) exported.set(nameOfDefault(fallback, file), fallback);
    for (const [name, value] of Object.entries(module)) if (!RESERVED_EXPORTS.has(name)) exported.set(name, value);
    return [...exported]
      .filter(([, value]) => typeof value === "function" || (typeof value === "object" && value !== null))
      .map(([name, value]) => ({ path: file.name, name, value }));
  }

  async #import(unit: Unit, file: CodeFile, isActions: boolean): Promise<object | undefined> {
    const url = unit.store.moduleUrl(file.path);
    if (url === undefined) {
      const hint = "pass its functions as options of your program";
      this.#report(file, isActions, `\`${file.name}\` is code given as text, which is never run`, hint);
      return undefined;
    }
    if (!(await isInside(unit.store, file.path, this.#options.folders))) {
      const hint = `pass its folder as the option \`codeFolders\`: \`${unit.folder}\``;
      const message = `\`${file.name}\` lies in a folder whose code may not be loaded`;
      report(this.diagnostics, "CF-115", message, { path: file.name, hint });
      return undefined;
    }
    try {
      return await this.#options.importModule(url);
    } catch (error) {
      this.#reportFailure(file, isActions, error);
      return undefined;
    }
  }

  #reportFailure(file: CodeFile, isActions: boolean, error: unknown): void {
    this.cause ??= error;
    const code = (error as { code?: unknown } | null)?.code;
    const isUnsupported = error instanceof SyntaxError || (typeof code === "string" && UNSUPPORTED.test(code));
    if (isUnsupported && /\.m?ts$/.test(file.name)) {
      const compiled = `compile it to \`${file.name.replace(/\.(m?)ts$/, ".$1js")}\``;
      const isStripped = typeof code === "string" && SYNTAX.test(code);
      const message = isStripped
        ? `\`${file.name}\` has TypeScript that Node.js cannot remove`
        : `\`${file.name}\` is TypeScript, which this platform does not load`;
      const hint = isStripped
        ? `use only types, no enums, namespaces or parameter properties, or ${compiled}`
        : `use Node.js 22.18 or newer, which loads TypeScript, or ${compiled}`;
      report(this.diagnostics, "CF-116", message, { path: file.name, hint });
      return;
    }
    const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    this.#report(file, isActions, `\`${file.name}\` failed to load: ${reason.split("\n", 1)[0] ?? ""}`);
  }

  #report(file: CodeFile, isActions: boolean, message: string, hint?: string): void {
    const problem = createDiagnostic(isActions ? "CO-501" : "CF-116", message, { path: file.name, hint });
    this.diagnostics.push(isActions && this.#options.ignoreErrors ? { ...problem, severity: "warning" } : problem);
  }
}

async function isInside(store: FileStore, path: string, folders: readonly string[]): Promise<boolean> {
  for (const folder of folders) if (await store.contains(store.resolve("", folder), path)) return true;
  return false;
}

/** Error codes of platforms that load TypeScript by stripping types. */
const SYNTAX = /^ERR_(?:UNSUPPORTED_TYPESCRIPT_SYNTAX|INVALID_TYPESCRIPT)/;

/** Error codes of platforms that do not load TypeScript. */
const UNSUPPORTED = /^ERR_(?:UNKNOWN_FILE_EXTENSION|UNSUPPORTED_|INVALID_TYPESCRIPT)/;

function own(value: unknown, key: string): unknown {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return undefined;
  return Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;
}

/** Returns true for the `module.exports` of a CommonJS module, as opposed to a default-exported action. */
function isExportsObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null || Object.hasOwn(value, "kind")) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function nameOfDefault(value: unknown, file: CodeFile): string {
  const name = typeof value === "function" ? value.name : "";
  if (name !== "" && name !== "default") return name;
  const last = file.name.slice(file.name.lastIndexOf("/") + 1);
  return last.slice(0, last.indexOf("."));
}
