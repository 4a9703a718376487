import type { RailsConfig } from "../rails-config.js";
import type { ConfigContent, LoadOptions } from "./load-options.js";

/**
 * Loads a configuration folder, a YAML file or a Colang file. Throws one `ConfigError` with every problem found.
 *
 * @example
 * ```ts
 * const config = await loadConfigFromPath("./config");
 * config.settings.rails.input.flows; // ["self check input"]
 * ```
 */
export async function loadConfigFromPath(path: string | URL, options: LoadOptions = {}): Promise<RailsConfig> {
  // INVARIANT: importing this file loads nothing else; all that reading takes comes with the first configuration.
  const { readFromPath } = await import("./load-steps.js");
  return await readFromPath(path, options);
}

/**
 * Loads a configuration that is at hand as text or data; it needs no file system.
 *
 * @example
 * ```ts
 * const config = await loadConfigFromContent({
 *   yaml: "models:\n  - { type: main, engine: openai, model: gpt-4o-mini }",
 *   colang: 'define user express greeting\n  "hello"',
 * });
 * ```
 */
export async function loadConfigFromContent(content: ConfigContent, options: LoadOptions = {}): Promise<RailsConfig> {
  const { readFromContent } = await import("./load-steps.js");
  return await readFromContent(content, options);
}
