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
   * Show texts that no rail has passed: messages, completions and arguments that rails blocked, as they were. For the developer
   * of a configuration, never for its users. Default: false, which shows what traces and logs show.
   */
  readonly unreviewed?: boolean;
  /**
   * Serve the page under names other than those of this machine, to callers whose key has the permission `playground`.
   * Default: false.
   */
  readonly remote?: boolean;
}
