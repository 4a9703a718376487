import type { VerdictStore } from "../../langchain/verdicts.js";
import { type ContractCase, requireSame } from "./contract.js";

const HOUR = 3_600_000;

/** Demands by name. */
const DEMANDS: Readonly<Record<string, (store: VerdictStore) => Promise<void>>> = {
  "knows nothing at first": async (store) => requireNothing(await store.get("new")),
  "gives back what was set": async (store) => {
    const value = 'AQ+/==\u0000 "naïve" 😀\n';
    await store.set("a", value, HOUR);
    requireSame(await store.get("a"), value, "the value");
  },
  "replaces a value": async (store) => {
    await store.set("a", "first", HOUR);
    await store.set("a", "second", HOUR);
    requireSame(await store.get("a"), "second", "the second value");
  },
  "keeps keys apart": async (store) => {
    const keys = ["a", "A", "a ", "__proto__", "constructor", "a/b", "a:b", "é", "x".repeat(500)];
    for (const key of keys) requireNothing(await store.get(key));
    for (const [index, key] of keys.entries()) await store.set(key, String(index), HOUR);
    for (const [index, key] of keys.entries()) requireSame(await store.get(key), String(index), `the key \`${key}\``);
  },
  "keeps a long value": async (store) => {
    const value = "long ".repeat(8_000);
    await store.set("a", value, HOUR);
    requireSame(await store.get("a"), value, "the value");
  },
  "takes a time with a fraction": async (store) => {
    await store.set("a", "value", 1_000_000.25);
    requireSame(await store.get("a"), "value", "the value");
  },
};

/**
 * The contract of every verdict store; each case gets its own store. Expiry is not covered.
 *
 * @example
 * ```ts
 * it.each(verdictStoreContract(() => new MyVerdictStore()))("$name", ({ run }) => run());
 * ```
 */
export function verdictStoreContract(open: () => VerdictStore | Promise<VerdictStore>): readonly ContractCase[] {
  return Object.entries(DEMANDS).map(([name, demand]) => ({ name, run: async () => demand(await open()) }));
}

function requireNothing(found: unknown): void {
  requireSame(found, undefined, "a key without a value");
}
