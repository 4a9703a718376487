export type Environment = Readonly<Record<string, string | undefined>>;

/** The variables of this process, where there is one. */
export function processEnvironment(): Environment {
  return (globalThis as { process?: { env?: Environment } }).process?.env ?? {};
}

/** The value of a variable that is set and not empty. */
export function variable(env: Environment, name: string): string | undefined {
  return Object.hasOwn(env, name) ? env[name] || undefined : undefined;
}
