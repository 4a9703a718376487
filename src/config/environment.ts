export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment variables of this process, if the platform has any. */
export function processEnvironment(): Environment {
  return (globalThis as { process?: { env?: Environment } }).process?.env ?? {};
}

/** Returns the value of a variable that is set and not empty. */
export function variable(env: Environment, name: string): string | undefined {
  return Object.hasOwn(env, name) ? env[name] || undefined : undefined;
}
