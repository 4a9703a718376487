const given = new Set<string>();

/** Says something once per process, and nothing in production. */
export function warnOnce(id: string, message: string): void {
  if (given.has(id) || isProduction()) return;
  given.add(id);
  console.warn(`langchain-guardrails: ${message}`);
}

/** For tests that look at a warning. */
export function forgetWarnings(): void {
  given.clear();
}

function isProduction(): boolean {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.["NODE_ENV"] === "production";
}
