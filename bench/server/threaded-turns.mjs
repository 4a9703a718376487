// Turns of many threads on a server whose workers may be killed, and the proof that each acknowledged one is stored once.
// Used by workers.mjs and by the tests.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { Agent, request } from "undici";

/** An OpenAI-compatible server that repeats the last message, and keeps the messages of the last request of each text. */
export async function openEcho() {
  const asked = new Map();
  const server = createServer({ noDelay: true }, (incoming, response) => {
    let text = "";
    incoming.setEncoding("utf8").on("data", (part) => (text += part));
    incoming.on("end", () => {
      const { messages, stream } = JSON.parse(text);
      const content = messages.at(-1).content;
      asked.set(content, messages);
      const head = { id: "chatcmpl-1", created: 1_700_000_000, model: "echo" };
      if (stream !== true) {
        const choices = [
          { index: 0, message: { role: "assistant", content: `got ${content}` }, finish_reason: "stop" },
        ];
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify({ ...head, object: "chat.completion", choices }));
        return;
      }
      response.writeHead(200, { "content-type": "text/event-stream" });
      const event = (delta, finish_reason = null) =>
        `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
      response.write(event({ role: "assistant", content: "" }));
      for (const part of ["got", ...content.split(" ").map((word) => ` ${word}`)])
        response.write(event({ content: part }));
      response.end(`${event({}, "stop")}data: [DONE]\n\n`);
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    /** User texts that the model received together with this one. */
    historyOf: (text) => asked.get(text)?.flatMap(({ role, content }) => (role === "user" ? [content] : [])),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Writes a configuration with a rail on each side and a main model at this address. */
export function writeConfig(upstream, model = "echo") {
  const folder = mkdtempSync(join(tmpdir(), "workers-"));
  const patterns = { patterns: ["\\bforbidden\\b"] };
  const config = {
    models: [{ type: "main", engine: "openai", model, parameters: { base_url: upstream } }],
    rails: {
      input: { flows: ["regex check input"] },
      output: { flows: ["regex check output"], streaming: { enabled: true, chunk_size: 8, context_size: 4 } },
      config: { regex_detection: { input: patterns, output: patterns } },
    },
  };
  // JSON is YAML.
  writeFileSync(join(folder, "config.yml"), JSON.stringify(config));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts the program `langchain-guardrails serve` with these arguments, on any port. */
export async function startServe(program, args, env = {}) {
  const child = spawn(process.execPath, [program, "serve", ...args, "--port", "0"], {
    env: { PATH: process.env.PATH, OPENAI_API_KEY: "sk-bench", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const waiting = new Set();
  const take = (chunk) => {
    output += String(chunk);
    for (const check of waiting) check();
  };
  child.stdout.on("data", take);
  child.stderr.on("data", take);
  const exited = once(child, "exit");
  const seen = (pattern) =>
    new Promise((resolve, reject) => {
      const check = () => {
        const found = pattern.exec(output);
        if (found === null) return;
        waiting.delete(check);
        resolve(found);
      };
      waiting.add(check);
      exited.then(() => reject(new Error(`the server has ended: ${output}`)));
      check();
    });
  const [, url] = await seen(/listening on (\S+)\/v1/);
  const processes = args.includes("--workers")
    ? (await seen(/workers: processes ([\d, ]+)/))[1].split(", ").map(Number)
    : [];
  return {
    url,
    pid: child.pid,
    processes: processes.length > 0 ? processes : [child.pid],
    seen,
    output: () => output,
    stop: async (signal = "SIGTERM") => {
      child.kill(signal);
      const [code] = await exited;
      return code;
    },
  };
}

const RETRIED = new Set([408, 409, 429, 500, 502, 503, 504]);
const ATTEMPTS = 400;

/** Clients that send turns, and repeat one under the same key until it is acknowledged. */
export class ThreadedClients {
  /** Acknowledged turns: { thread, text, at, sentAt, attempts }. */
  acknowledged = [];
  /** Texts of turns without a key that failed: they may be stored or not. */
  unknown = [];
  failures = {};
  #url;
  #agent = new Agent({ connections: 64, pipelining: 1, headersTimeout: 5000, bodyTimeout: 5000 });
  #onTurn;

  constructor(url, onTurn = () => undefined) {
    this.#url = url;
    this.#onTurn = onTurn;
  }

  /** Sends turns one after the other. */
  async sequential(thread, count, { stream = false, keyed = true } = {}) {
    for (let number = 1; number <= count; number += 1) {
      await this.turn({ thread, text: `${thread} turn ${number}`, stream, keyed });
    }
  }

  /** Sends turns in rounds of many at once. */
  async atOnce(thread, count, rounds) {
    for (let round = 1; round <= rounds; round += 1) {
      const texts = Array.from({ length: count }, (_, index) => `${thread} round ${round} turn ${index + 1}`);
      await Promise.all(texts.map((text) => this.turn({ thread, text })));
    }
  }

  async turn({ thread, text, stream = false, keyed = true }) {
    const body = JSON.stringify({
      model: "echo",
      messages: [{ role: "user", content: text }],
      guardrails: { thread_id: thread },
      ...(stream ? { stream: true } : {}),
    });
    const headers = { "content-type": "application/json", ...(keyed ? { "idempotency-key": text } : {}) };
    const began = performance.now();
    for (let attempts = 1; attempts <= ATTEMPTS; attempts += 1) {
      const sentAt = performance.now();
      const { reply, failure } = await this.#send(body, headers, stream);
      if (reply !== undefined) {
        if (!reply.includes(`got ${text}`)) throw new Error(`another reply to ${text}: ${reply}`);
        this.acknowledged.push({ thread, text, began, sentAt, at: performance.now(), attempts });
        this.#onTurn(this.acknowledged.length);
        return;
      }
      this.failures[failure] = (this.failures[failure] ?? 0) + 1;
      // A conflict means that the turn is not stored; for other failures this is unknown without a key.
      if (!keyed && failure !== "thread_conflict") {
        this.unknown.push(text);
        return;
      }
      await pause(Math.min(2 * attempts, 40) * (0.5 + Math.random()));
    }
    throw new Error(`no reply to ${text}: ${JSON.stringify(this.failures)}`);
  }

  async #send(body, headers, stream) {
    try {
      const url = `${this.#url}/v1/chat/completions`;
      const { statusCode, body: answer } = await request(url, {
        method: "POST",
        body,
        headers,
        dispatcher: this.#agent,
      });
      const text = await answer.text();
      if (statusCode === 200 && (!stream || text.endsWith("data: [DONE]\n\n")))
        return { reply: stream ? textOf(text) : text };
      if (statusCode !== 200 && !RETRIED.has(statusCode)) throw new Error(`status ${statusCode}: ${text}`);
      return { failure: /"code":"(\w+)"/.exec(text)?.[1] ?? `status ${statusCode}` };
    } catch (error) {
      if (error.code === undefined) throw error;
      return { failure: error.code };
    }
  }

  /**
   * Sends one more turn in each thread, and determines the stored turns from what the model received.
   *
   * @returns the texts of acknowledged turns that are lost, and of turns that are stored more than once
   */
  async audit(historyOf) {
    const lost = [];
    const doubled = [];
    const acknowledged = this.acknowledged.slice();
    for (const thread of new Set(acknowledged.map((turn) => turn.thread))) {
      const last = `${thread} audit`;
      await this.turn({ thread, text: last });
      const stored = historyOf(last);
      const own = acknowledged.filter((turn) => turn.thread === thread).map(({ text }) => text);
      lost.push(...own.filter((text) => !stored.includes(text)));
      doubled.push(...stored.filter((text, index) => stored.indexOf(text) !== index));
    }
    return { lost, doubled };
  }

  async close() {
    await this.#agent.destroy();
  }
}

function textOf(events) {
  const parts = Array.from(events.matchAll(/^data: (\{.*\})$/gm), ([, json]) => JSON.parse(json));
  return parts.map(({ choices }) => choices?.[0]?.delta?.content ?? "").join("");
}

/** Waits until a server of a database is ready: a line of its output that matches. */
export async function readyLine(child, pattern) {
  for await (const line of createInterface({ input: child.stdout })) if (pattern.test(line)) break;
  child.stdout.resume();
}
