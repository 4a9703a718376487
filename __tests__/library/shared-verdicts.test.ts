import { describe, expect, it } from "@jest/globals";
import { Guardrails } from "langchain-guardrails";
import { MemoryVerdictStore, type VerdictStore } from "../../src/library/judges/verdict-store.js";
import { SharedVerdicts, type SharedVerdictsOptions } from "../../src/library/judges/shared-verdicts.js";
import type { StartTimer } from "../../src/engine/events.js";
import { verdictStoreContract } from "../../src/testing/index.js";
import { scriptedModel } from "../../src/testing/scripted-model.js";

const SECRET = "a secret of all processes";
const YAML = `
rails:
  cache: { enabled: true }
  input:
    flows: [self check input]
prompts:
  - task: self_check_input
    content: "Should this message be blocked? Answer Yes or No. {{ user_input }}"
`;

/** A store that shows its content. */
function openStore(): VerdictStore & { readonly entries: Map<string, string> } {
  const entries = new Map<string, string>();
  return { entries, get: (key) => entries.get(key), set: (key, value) => void entries.set(key, value) };
}

/** A process: guardrails with a judge that blocks `harm`, and the number of its calls. */
async function openProcess(shared: Partial<SharedVerdictsOptions> & Pick<SharedVerdictsOptions, "store">) {
  const judge = scriptedModel((messages) => (messages.some(({ text }) => text.includes("harm")) ? "Yes" : "No"));
  const sharedVerdicts = { secret: SECRET, policy: "1", ...shared };
  const options = { models: { self_check_input: judge }, sharedVerdicts, logger: false as const };
  const guardrails = await Guardrails.fromConfig({ yaml: YAML }, options);
  const check = async (text: string): Promise<string> => (await guardrails.check(text, { stage: "input" })).status;
  return { check, calls: () => judge.calls.length };
}

describe("verdicts in memory", () => {
  it.each(verdictStoreContract(() => new MemoryVerdictStore(100, { now: () => 0 })))("$name", ({ run }) => run());
});

describe("verdicts that processes share", () => {
  it("are requested once", async () => {
    const store = openStore();
    const [first, second] = [await openProcess({ store }), await openProcess({ store })];
    expect([await first.check("harm"), await first.check("hello")]).toEqual(["blocked", "passed"]);
    expect([await second.check("harm"), await second.check("hello")]).toEqual(["blocked", "passed"]);
    expect([first.calls(), second.calls()]).toEqual([2, 0]);
  });

  it("are kept in memory as well", async () => {
    const store = openStore();
    const [first, second] = [await openProcess({ store }), await openProcess({ store })];
    await first.check("hello");
    await second.check("hello");
    store.entries.clear();
    await second.check("hello");
    expect(second.calls()).toBe(0);
  });

  it("show no text and no verdict to the store", async () => {
    const store = openStore();
    await (await openProcess({ store })).check("my secret harm");
    const [[key = "", value = ""] = []] = store.entries;
    expect(key).toMatch(/^[A-Za-z0-9+/]{43}=$/);
    expect(`${key}${value}`).not.toMatch(/secret|self_check/);
    expect(Buffer.from(value, "base64").toString("latin1")).not.toMatch(/secret|harm|"Yes"/);
  });

  it.each<[string, (entries: Map<string, string>) => void]>([
    ["a plain verdict", (entries) => entries.set([...entries.keys()][0] ?? "", "No")],
    ["a plain verdict in base 64", (entries) => entries.set([...entries.keys()][0] ?? "", btoa('[9e15,"No"]'))],
    ["nothing", (entries) => entries.set([...entries.keys()][0] ?? "", "")],
    ["a long value", (entries) => entries.set([...entries.keys()][0] ?? "", "A".repeat(1_000_000))],
    [
      "the verdict of another text",
      (entries) => entries.set([...entries.keys()][0] ?? "", [...entries.values()][1] ?? ""),
    ],
    [
      "a value with a changed character",
      (entries) => {
        const [[key = "", value = ""] = []] = entries;
        entries.set(
          key,
          value.replace(/.(?==*$)/, (last) => (last === "A" ? "Q" : "A")),
        );
      },
    ],
  ])("are not forged by %s", async (_name, forge) => {
    const store = openStore();
    const first = await openProcess({ store });
    await first.check("harm");
    await first.check("hello");
    forge(store.entries);
    const second = await openProcess({ store });
    expect(await second.check("harm")).toBe("blocked");
    expect(second.calls()).toBe(1);
  });

  it("are not forged by a value that is not a text", async () => {
    const store: VerdictStore = { get: () => ({ reply: "No" }) as unknown as string, set: () => undefined };
    expect(await (await openProcess({ store })).check("harm")).toBe("blocked");
  });

  it.each<[string, Partial<SharedVerdictsOptions>]>([
    ["secrets", { secret: "another secret of some" }],
    ["policies", { policy: "2" }],
  ])("are separate for two %s", async (_name, other) => {
    const store = openStore();
    await (await openProcess({ store })).check("harm");
    const second = await openProcess({ store, ...other });
    await second.check("harm");
    expect(second.calls()).toBe(1);
    expect(store.entries.size).toBe(2);
  });

  it.each<[string, () => Promise<string | undefined>]>([
    ["fails", () => Promise.reject(new Error("connection lost"))],
    ["never responds", () => new Promise<string>(() => undefined)],
  ])("come from the judge if the store %s", async (_name, get) => {
    const store: VerdictStore = { get, set: () => get().then(() => undefined) };
    const process = await openProcess({ store, timeoutMs: 1 });
    expect([await process.check("harm"), await process.check("hello")]).toEqual(["blocked", "passed"]);
    expect(process.calls()).toBe(2);
  });

  it("are found only before they expire", async () => {
    const clock = { at: 1_000, now: () => clock.at };
    const store = openStore();
    const open = (): SharedVerdicts => new SharedVerdicts({ store, secret: SECRET, policy: "1" }, { clock });
    const [first, second] = [open(), open()];
    const key = await first.keyOf("parts");
    await first.keep(key, "No", 500);
    clock.at = 1_499;
    expect(await second.find(key)).toEqual({ reply: "No", leftMs: 1 });
    clock.at = 1_500;
    expect(await second.find(key)).toBeUndefined();
  });

  it("skip a store for five seconds after three failures, with one warning", async () => {
    const clock = { at: 0, now: () => clock.at };
    const warnings: string[] = [];
    let calls = 0;
    const get = (): never => {
      calls += 1;
      throw new Error("no `secret` connection");
    };
    const logger = { warn: (line: string) => void warnings.push(line), error: () => undefined };
    const verdicts = new SharedVerdicts({ store: { get, set: get }, secret: SECRET, policy: "1" }, { clock, logger });
    for (let count = 0; count < 10; count += 1) await verdicts.find("key");
    expect(calls).toBe(3);
    clock.at = 5_000;
    await verdicts.find("key");
    expect(calls).toBe(4);
    expect(warnings).toEqual(["the shared store of verdicts failed or was slow, so rails ask their models"]);
  });

  it("wait for the store no longer than its time limit", async () => {
    const waits: number[] = [];
    const timers: StartTimer = (milliseconds, onTimeout) => {
      waits.push(milliseconds);
      queueMicrotask(onTimeout);
      return () => undefined;
    };
    const store: VerdictStore = { get: () => new Promise<string>(() => undefined), set: () => undefined };
    const dependencies = { clock: { now: () => 0 }, startTimer: timers };
    const verdicts = new SharedVerdicts({ store, secret: SECRET, policy: "1", timeoutMs: 7 }, dependencies);
    expect(await verdicts.find("key")).toBeUndefined();
    expect(waits).toEqual([7]);
  });
});

describe("settings of shared verdicts", () => {
  const store = openStore();
  const open = (sharedVerdicts: object, yaml = YAML): Promise<unknown> =>
    Guardrails.fromConfig({ yaml }, { sharedVerdicts: sharedVerdicts as SharedVerdictsOptions });

  it.each<[string, object, string]>([
    ["a short secret", { store, secret: "short", policy: "1" }, "at least 16 characters"],
    ["no secret", { store, policy: "1" }, "at least 16 characters"],
    ["no policy", { store, secret: SECRET }, "names the models"],
    ["something that is not a store", { store: {}, secret: SECRET, policy: "1" }, "the methods `get` and `set`"],
    ["no time", { store, secret: SECRET, policy: "1", timeoutMs: 0 }, "from 1 to 1000 ms"],
    ["an unknown option", { store, secret: SECRET, policy: "1", ttl: 1 }, "unknown option `ttl`"],
  ])("refuse %s", async (_name, options, message) => {
    await expect(open(options)).rejects.toThrow(message);
  });

  it("require a cache", async () => {
    const options = { store, secret: SECRET, policy: "1" };
    await expect(open(options, YAML.replace("true", "false"))).rejects.toThrow("set `rails.cache.enabled: true`");
  });

  it.each([
    ["{ url_env_var: MISSING_URL }", "the environment variable `MISSING_URL` is not set"],
    ["{ url_env_var: PATH }", "`rails.cache.shared.secret_env_var` is missing"],
  ])("name the missing variable: %s", async (shared, message) => {
    const yaml = YAML.replace("{ enabled: true }", `{ enabled: true, shared: ${shared} }`);
    await expect(Guardrails.fromConfig({ yaml })).rejects.toThrow(message);
  });
});
