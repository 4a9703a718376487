// The files of examples/deploy, as far as a machine without containers can run them: the same command lines as processes.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { load, loadAll } from "js-yaml";
import { Guardrails } from "langchain-guardrails";
import { scriptedModel } from "../../../src/testing/scripted-model.js";
import { describeWith, type DatabaseServer } from "../../support/servers/database-server.js";
import { freePort } from "../../support/servers/free-port.js";
import { hasRedis, startRedis } from "../../support/servers/redis.js";
import { createProject } from "../install-package.js";

const FOLDER = join(process.cwd(), "examples", "deploy");
const read = (name: string): string => readFileSync(join(FOLDER, name), "utf8");

interface Service {
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly stop_grace_period?: string;
  readonly deploy?: { readonly replicas: number };
  readonly volumes?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
}

const compose = load(read("compose.yml")) as { readonly services: Readonly<Record<string, Service>> };
const { guardrails, redis } = compose.services as { readonly guardrails: Service; readonly redis: Service };

interface Resource {
  readonly kind: string;
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: unknown;
}

const resources = loadAll(read("kubernetes.yml")) as readonly Resource[];
interface Pod {
  readonly terminationGracePeriodSeconds: number;
  readonly containers: readonly {
    readonly args: readonly string[];
    readonly env: readonly { readonly name: string; readonly valueFrom?: unknown }[];
  }[];
}

const deployment = resources.find(({ kind }) => kind === "Deployment") as {
  readonly spec: { template: { spec: Pod } };
};
const pod = deployment.spec.template.spec;

describe("the files for containers", () => {
  it("give requests in progress the time that the server gives them", () => {
    expect(Number.parseInt(guardrails.stop_grace_period ?? "", 10)).toBeGreaterThan(12);
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(5 + 12);
  });

  it("keep secrets out of arguments", () => {
    const [{ args, env } = { args: [], env: [] }] = pod.containers;
    expect([...args, ...(guardrails.command ?? [])].join(" ")).not.toMatch(/redis:|postgres:|sk-|key/);
    expect(env.every(({ valueFrom }) => valueFrom !== undefined)).toBe(true);
    const names = ["OPENAI_API_KEY", "LANGCHAIN_GUARDRAILS_API_KEY", "LANGCHAIN_GUARDRAILS_STORE"];
    expect(env.map(({ name }) => name)).toEqual(names);
    expect(Object.keys(guardrails.environment ?? {})).toEqual(names);
  });

  it("contain the same configuration", () => {
    const inline = resources.find(({ kind }) => kind === "ConfigMap")?.data?.["config.yml"] ?? "";
    expect(load(inline)).toEqual(load(read("config/config.yml")));
  });

  it("configure rails that look for something", async () => {
    const { warnings } = await Guardrails.fromConfig({ yaml: read("config/config.yml") }, { llm: scriptedModel([]) });
    expect(warnings).toEqual([]);
  });

  it("write each conversation to the disk before it is acknowledged", () => {
    expect(redis.command?.join(" ")).toContain("--appendonly yes --appendfsync always");
  });
});

const hasNginx = spawnSync("nginx", ["-v"]).status === 0;
const KEY = "a-key-of-20-characters";

describeWith("two replicas behind nginx", hasRedis && hasNginx, () => {
  let project = "";
  let database: DatabaseServer;
  let stopAll: (() => void)[] = [];
  let replicas: { readonly port: number; kill(): void }[] = [];
  let url = "";

  /** Starts a process, and resolves when a condition holds. */
  const start = async (
    command: string,
    args: readonly string[],
    env: NodeJS.ProcessEnv,
    ready: () => Promise<boolean>,
  ) => {
    const child = spawn(command, args, { env: { PATH: process.env["PATH"], ...env }, stdio: "ignore" });
    const kill = (): void => void child.kill("SIGKILL");
    stopAll.push(kill);
    while (!(await ready().catch(() => false))) {
      if (child.exitCode !== null) throw new Error(`${command} ${args.join(" ")} has ended`);
      await new Promise(setImmediate);
    }
    return kill;
  };

  beforeAll(async () => {
    project = createProject("deploy");
    database = await startRedis();
    const program = join(project, "node_modules", "langchain-guardrails", "dist", "cli", "main.js");
    const count = guardrails.deploy?.replicas ?? 0;
    const ports = await Promise.all(Array.from({ length: count }, freePort));
    const env = { OPENAI_API_KEY: "sk", LANGCHAIN_GUARDRAILS_API_KEY: KEY, LANGCHAIN_GUARDRAILS_STORE: database.url };
    replicas = await Promise.all(
      ports.map(async (port) => {
        const args = (guardrails.command ?? []).map((each) =>
          each.replace("/config", join(FOLDER, "config")).replace("8000", String(port)).replace("0.0.0.0", "127.0.0.1"),
        );
        const ready = async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok;
        const kill = await start(process.execPath, [program, ...args, "--offline", "--reply", "Hello!"], env, ready);
        return { port, kill };
      }),
    );
    const folder = mkdtempSync(join(tmpdir(), "nginx-"));
    stopAll.push(() => rmSync(folder, { recursive: true, force: true }));
    const port = await freePort();
    // The replicas have addresses instead of a name, and nginx writes into the folder of the test alone.
    const servers = ports.map((each) => `server 127.0.0.1:${each} max_fails=1 fail_timeout=2s;`).join("\n");
    const places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
      (each) => `${each}_temp_path ${folder}/${each};`,
    );
    const config = read("nginx.conf")
      .replace(/^.*server guardrails:8000.*$/m, servers)
      .replace(/^\s*resolver .*$/m, `access_log off; ${places.join(" ")}`)
      .replace("listen 8080", `listen 127.0.0.1:${port}`);
    expect(config).not.toContain("guardrails:8000");
    writeFileSync(join(folder, "nginx.conf"), config);
    const options = ["-p", folder, "-c", join(folder, "nginx.conf"), "-e", join(folder, "error.log")];
    const pid = ["-g", `pid ${folder}/nginx.pid; daemon off; master_process off;`];
    const tested = spawnSync("nginx", ["-t", ...options, ...pid], { encoding: "utf8" });
    expect(tested.stderr).toContain("test is successful");
    url = `http://127.0.0.1:${port}`;
    await start("nginx", [...options, ...pid], {}, async () => (await fetch(`${url}/readyz`)).ok);
  });

  afterAll(async () => {
    for (const stop of stopAll.toReversed()) stop();
    stopAll = [];
    await database.stop();
    rmSync(project, { recursive: true, force: true });
  });

  const ask = async (content: string, more: object = {}): Promise<Response> =>
    fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json", "idempotency-key": content },
      body: JSON.stringify({
        model: "shop",
        messages: [{ role: "user", content }],
        guardrails: { thread_id: "thread-behind-nginx" },
        ...more,
      }),
    });

  it("responds, streams, and hides the metrics", async () => {
    expect((await ask("hello")).status).toBe(200);
    expect(await (await ask("stream", { stream: true })).text()).toContain("data: [DONE]");
    expect((await fetch(`${url}/metrics`)).status).toBe(404);
    const headers = { authorization: `Bearer ${KEY}` };
    expect((await fetch(`http://127.0.0.1:${replicas[0]?.port}/metrics`, { headers })).status).toBe(200);
  });

  it("continues with a conversation after a replica was killed", async () => {
    const before = await (await ask("before")).text();
    replicas[0]?.kill();
    // Retries like clients: nginx repeats no request that a replica may have received.
    let again = await ask("before");
    for (let tries = 1; again.status === 502 && tries < 10; tries += 1) again = await ask("before");
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(await again.text()).toBe(before);
    expect((await ask("after")).status).toBe(200);
  });
});
