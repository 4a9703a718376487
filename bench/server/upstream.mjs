// An OpenAI-compatible server that responds at once, streams at a pace, or takes its time: fork(…), which sends { url }.
// The messages of a request choose: `pace:<ms>` streams 20 chunks with that pause, `wait:<ms>` responds after a while.
import { createServer } from "node:http";

const COMPLETION = JSON.stringify({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1_700_000_000,
  model: "instant",
  choices: [{ index: 0, message: { role: "assistant", content: "The rye is fresh." }, finish_reason: "stop" }],
  usage: { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 },
});
const chunk = (delta, finish_reason = null) =>
  `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1_700_000_000, model: "instant", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
const CHUNKS = 200;
let cancelled = 0;

const server = createServer({ noDelay: true }, (request, response) => {
  let body = "";
  request.setEncoding("utf8").on("data", (part) => (body += part));
  response.on("close", () => {
    if (response.writableFinished) return;
    cancelled += 1;
    process.send({ cancelledAt: performance.timeOrigin + performance.now() });
  });
  request.on("end", () => {
    const [, kind, ms] = /"(pace|wait):(\d+)/.exec(body) ?? [];
    if (kind === "pace") return stream(response, Number(ms));
    const respond = () => response.writeHead(200, { "content-type": "application/json" }).end(COMPLETION);
    if (kind === "wait") return setTimeout(respond, Number(ms));
    return respond();
  });
});

function stream(response, ms) {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(chunk({ role: "assistant", content: "" }));
  let sent = 0;
  const timer = setInterval(() => {
    sent += 1;
    if (response.destroyed) return clearInterval(timer);
    // A chunk contains the time of its sending, so that a reader on this machine sees the delay.
    if (sent <= CHUNKS) return response.write(chunk({ content: ` t${performance.timeOrigin + performance.now()}` }));
    clearInterval(timer);
    response.write(chunk({}, "stop"));
    return response.end("data: [DONE]\n\n");
  }, ms);
}

server.listen({ port: 0, host: "127.0.0.1", backlog: 4096 }, () =>
  process.send({ url: `http://127.0.0.1:${server.address().port}/v1` }),
);
process.on("message", () => process.send({ cancelled }));
