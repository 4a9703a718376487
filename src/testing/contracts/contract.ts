/** One requirement of a contract. `run` throws an error that names the expected result. */
export interface ContractCase {
  readonly name: string;
  run(): Promise<void>;
}

/** @throws Error if the two differ as JSON */
export function requireSame(found: unknown, expected: unknown, what: string): void {
  const [left, right] = [JSON.stringify(found), JSON.stringify(expected)];
  if (left !== right) throw new Error(`${what}: expected ${right ?? "nothing"}, but found ${left ?? "nothing"}`);
}
