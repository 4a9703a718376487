// Requests at a fixed rate, however fast the responses arrive: a slow server gets no fewer of them. Times
// count from the moment at which a request was due, so that a delay of this process counts too.
import { connect } from "node:net";

const TICK_MS = 2;

/** Sends `rate` requests a second and reports what came back, for at most `connections` requests at a time. */
export async function openLoop({ url, body, rate, seconds, connections, path = "/v1/chat/completions" }) {
  const { hostname, port } = new URL(url);
  const head = `POST ${path} HTTP/1.1\r\nhost: ${hostname}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`;
  const request = head + body;
  const idle = [];
  const all = new Set();
  const accepted = [];
  const rejected = [];
  const finishedAt = [];
  const late = [];
  const statuses = {};
  let [sent, dropped, active] = [0, 0, 0];
  const began = performance.now();

  const open = () => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    all.add(socket);
    let text = "";
    socket.setEncoding("latin1").on("data", (part) => {
      text += part;
      const end = text.indexOf("\r\n\r\n");
      if (end < 0) return;
      const [, length = "0"] = /\r\ncontent-length: (\d+)/i.exec(text) ?? [];
      if (text.length < end + 4 + Number(length)) return;
      const [status, hasRetry] = [text.slice(9, 12), /\r\nretry-after: [1-5]\r\n/i.test(text.slice(0, end + 2))];
      text = "";
      finish(socket, status === "503" && !hasRetry ? "503 without Retry-After" : status);
    });
    socket
      .on("error", () => undefined)
      .on("close", () => {
        all.delete(socket);
        const at = idle.indexOf(socket);
        if (at >= 0) idle.splice(at, 1);
        if (socket.due !== undefined) finish(socket, "broken");
      });
    return socket;
  };
  const finish = (socket, status) => {
    const took = performance.now() - socket.due;
    socket.due = undefined;
    active -= 1;
    statuses[status] = (statuses[status] ?? 0) + 1;
    (status === "200" ? accepted : rejected).push(took);
    if (status === "200") finishedAt.push(performance.now() - began);
    if (!socket.destroyed) idle.push(socket);
  };
  const send = (due) => {
    if (active >= connections) return void (dropped += 1);
    const socket = idle.pop() ?? open();
    socket.due = due;
    active += 1;
    socket.write(request);
    late.push(performance.now() - due);
  };

  await new Promise((resolve) => {
    const timer = setInterval(() => {
      const now = performance.now() - began;
      const target = Math.floor((Math.min(now, seconds * 1000) / 1000) * rate);
      while (sent < target) {
        sent += 1;
        send(began + (sent / rate) * 1000);
      }
      if (now < seconds * 1000) return;
      clearInterval(timer);
      resolve();
    }, TICK_MS);
  });
  const until = performance.now() + 10_000;
  const isWaiting = () => [...all].some(({ due }) => due !== undefined);
  while (isWaiting() && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 10));
  for (const socket of all) socket.destroy();
  return { sent, dropped, unanswered: active, statuses, accepted, rejected, finishedAt, late };
}
