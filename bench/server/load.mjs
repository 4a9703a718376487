// Load on a server, in a separate process: fork(…), then send { url, connections, seconds | requests, text, stream }, and
// with `rate` requests a second instead of one after another.
import { Pool } from "undici";
import { openLoop } from "./open-loop.mjs";

process.on("message", async (job) => {
  try {
    process.send(await (job.stream ? streams(job) : job.rate ? offered(job) : requests(job)));
  } catch (error) {
    process.send({ failure: String(error?.stack ?? error) });
  }
});

const bodyOf = (text, more = {}) =>
  JSON.stringify({ model: "instant", messages: [{ role: "user", content: text }], ...more });
const HEADERS = { "content-type": "application/json" };

async function requests({
  url,
  path = "/v1/chat/completions",
  connections,
  seconds,
  total = Infinity,
  text = "Is the rye fresh?",
  headers = {},
}) {
  const pool = new Pool(url, { connections, pipelining: 1 });
  const body = bodyOf(text);
  const sent = { ...HEADERS, ...headers };
  const times = [];
  const statuses = {};
  const rejections = [];
  // The ids of completions begin with one of their process.
  const processes = {};
  const end = performance.now() + (seconds ?? 3600) * 1000;
  let left = total;
  const began = performance.now();
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (left > 0 && performance.now() < end) {
        left -= 1;
        const start = performance.now();
        const { statusCode, body: answer } = await pool.request({ path, method: "POST", headers: sent, body });
        const [, own] = /"chatcmpl-(\w{16})/.exec(await answer.text()) ?? [];
        processes[own] = (processes[own] ?? 0) + 1;
        const took = performance.now() - start;
        statuses[statusCode] = (statuses[statusCode] ?? 0) + 1;
        (statusCode === 200 ? times : rejections).push(took);
      }
    }),
  );
  const ms = performance.now() - began;
  await pool.close();
  return {
    count: times.length,
    perSecond: times.length / (ms / 1000),
    statuses,
    processes,
    ...spread(times),
    rejectedP99: spread(rejections).p99,
  };
}

/** Requests at a rate; requests finished in the first second, in which the server fills, do not count. */
async function offered({ text, ...job }) {
  const { sent, dropped, unanswered, statuses, accepted, rejected, finishedAt, late } = await openLoop({
    ...job,
    body: bodyOf(text),
  });
  const counted = finishedAt.filter((at) => at >= 1000 && at < job.seconds * 1000).length;
  const perSecond = counted / (job.seconds - 1);
  const [answered, refused] = [spread(accepted), spread(rejected)];
  return { sent, dropped, unanswered, statuses, perSecond, accepted: answered, rejected: refused, late: spread(late) };
}

function spread(times) {
  const sorted = times.toSorted((left, right) => left - right);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}

async function streams({ url, path = "/v1/chat/completions", connections, paceMs }) {
  const pool = new Pool(url, { connections });
  const body = bodyOf(`pace:${paceMs}`, { stream: true });
  const lags = [];
  const gaps = [];
  let chunks = 0;
  await Promise.all(
    Array.from({ length: connections }, async (_, index) => {
      // Streams begin spread over one pause, like those of people.
      await new Promise((resolve) => setTimeout(resolve, (index / connections) * paceMs));
      const { body: answer } = await pool.request({ path, method: "POST", headers: HEADERS, body });
      let rest = "";
      let last;
      for await (const part of answer.setEncoding("utf8")) {
        const now = performance.timeOrigin + performance.now();
        rest += part;
        const events = rest.split("\n\n");
        rest = events.pop();
        const sent = events.flatMap((event) => [...event.matchAll(/ t(\d+\.\d+)/g)].map(([, time]) => Number(time)));
        if (sent.length === 0) continue;
        chunks += sent.length;
        // The window buffers text that may still be part of a finding: only the newest text shows the delay of the
        // server.
        lags.push(now - sent.at(-1));
        if (last !== undefined) gaps.push(now - last);
        last = now;
      }
    }),
  );
  await pool.close();
  return { chunks, lag: spread(lags), gap: spread(gaps) };
}
