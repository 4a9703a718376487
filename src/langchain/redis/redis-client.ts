/** The methods of an `ioredis` client that run scripts. */
export interface IoRedisClient {
  eval(script: string, keys: number, ...keysAndArguments: string[]): Promise<unknown>;
  defineCommand: unknown;
}

/** The methods of a `redis` (node-redis) client that run scripts. */
export interface NodeRedisClient {
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
}

/** Runs a script on one key. */
export type RunScript = (script: string, key: string, ...values: string[]) => Promise<unknown>;

/** Returns a function that runs scripts with either client. */
export function scriptsOf(client: IoRedisClient | NodeRedisClient): RunScript {
  return "defineCommand" in client
    ? (script, key, ...values) => client.eval(script, 1, key, ...values)
    : (script, key, ...values) => client.eval(script, { keys: [key], arguments: values });
}
