/**
 * Options of the playground.
 *
 * @example
 * ```ts
 * const app = await createGuardrailsApp({ configs: { bakery: "./config" }, playground: { unreviewed: true } });
 * ```
 */
export interface PlaygroundOptions {
  /**
   * Show texts that no rail has passed: blocked messages, completions and arguments in their original form. For developers of a
   * configuration, never for its users. Default: false, which shows only what traces and logs show.
   */
  readonly unreviewed?: boolean;
  /**
   * Serve the page under host names other than those of this machine, to callers whose key has the permission `playground`.
   * Default: false.
   */
  readonly remote?: boolean;
}
