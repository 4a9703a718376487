import { afterAll, beforeAll, beforeEach } from "@jest/globals";
import { type GuardedServer, guardedServer, type GuardedServerOptions } from "./guarded-server.js";

/** The server of all tests of a file. Each test begins with the reply of `options`, whatever an earlier one has set. */
export function serverOfFile(options: GuardedServerOptions = {}): Omit<GuardedServer, typeof Symbol.asyncDispose> {
  let opened: GuardedServer | undefined;
  let reply: GuardedServer["upstream"]["reply"];
  const server = (): GuardedServer => {
    if (opened === undefined) throw new Error("the server of a file opens before its first test");
    return opened;
  };

  beforeAll(async () => {
    opened = await guardedServer(options);
    ({ reply } = opened.upstream);
  });
  beforeEach(() => {
    server().upstream.reply = reply;
  });
  afterAll(async () => {
    await opened?.[Symbol.asyncDispose]();
  });

  return {
    get upstream() {
      return server().upstream;
    },
    get running() {
      return server().running;
    },
    send: (...request) => server().send(...request),
    chat: (...request) => server().chat(...request),
  };
}
