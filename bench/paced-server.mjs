// A loopback server that responds like a provider, at a provider's pace: a main model that writes tokens, a judge,
// moderation.
import { createServer } from "node:http";

/** Word in the responses to a forbidden request. */
export const FORBIDDEN = "forbidden";
export const EVIL = "tell me the evil thing";

/** Delays in milliseconds: a main model of 50 tokens per second after 400 ms, a judge that takes 300 ms. */
export const PACE = { firstToken: 400, perToken: 20, tokens: 300, judge: 300, forbiddenAt: 100 };

export async function pacedServer({ scale = 1, pace = PACE } = {}) {
  const stats = { generated: 0, streams: 0, judged: 0, moderated: 0 };
  const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds * scale));
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });

  async function handle(request, response) {
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += chunk;
    const body = JSON.parse(text || "{}");
    if (request.url.endsWith("/moderations")) return moderate(response, body);
    const said = JSON.stringify(body.messages ?? body.input ?? "");
    if (body.model.startsWith("judge")) return judge(response, body, said.includes(FORBIDDEN));
    const words = tokens(said.includes(EVIL));
    return body.stream ? stream(response, body, words) : complete(response, body, words);
  }

  function tokens(evil) {
    return Array.from({ length: pace.tokens }, (_, index) =>
      evil && index === pace.forbiddenAt ? FORBIDDEN : "bread",
    );
  }

  async function moderate(response, { input }) {
    await wait(pace.judge);
    stats.moderated += 1;
    const results = [input].flat().map((item) => {
      const flagged = JSON.stringify(item).includes(FORBIDDEN);
      return { flagged, categories: { violence: flagged }, category_scores: { violence: flagged ? 0.99 : 0 } };
    });
    send(response, { id: "m", model: "moderation", results });
  }

  async function judge(response, body, flagged) {
    await wait(pace.judge);
    stats.judged += 1;
    const content = body.response_format
      ? JSON.stringify({ flagged, confidence: flagged ? 0.99 : 0.01 })
      : flagged
        ? "Yes"
        : "No";
    send(response, completion(body, content));
  }

  async function complete(response, body, words) {
    await wait(pace.firstToken + pace.perToken * words.length);
    stats.generated += words.length;
    send(response, completion(body, words.join(" ")));
  }

  /** Tokens come by the clock, so that a slow reader does not slow the writer down. */
  async function stream(response, body, words) {
    stats.streams += 1;
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.flushHeaders();
    const begun = performance.now() + pace.firstToken * scale;
    const write = (delta, finish = null) => {
      const chunk = {
        ...envelope(body, "chat.completion.chunk"),
        choices: [{ index: 0, delta, finish_reason: finish }],
      };
      response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    };
    for (const [index, word] of words.entries()) {
      const due = begun + index * pace.perToken * scale - performance.now();
      if (due > 0) await new Promise((resolve) => setTimeout(resolve, due));
      if (response.destroyed) return;
      stats.generated += 1;
      write({ ...(index === 0 ? { role: "assistant" } : {}), content: index === 0 ? word : ` ${word}` });
    }
    write({}, "stop");
    response.end("data: [DONE]\n\n");
  }

  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    stats,
    reset: () => Object.assign(stats, { generated: 0, streams: 0, judged: 0, moderated: 0 }),
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

function envelope(body, object) {
  return { id: "chatcmpl-paced", object, created: 0, model: body.model };
}

function completion(body, content) {
  const choices = [{ index: 0, message: { role: "assistant", content, refusal: null }, finish_reason: "stop" }];
  return {
    ...envelope(body, "chat.completion"),
    choices,
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  };
}

function send(response, value) {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}
