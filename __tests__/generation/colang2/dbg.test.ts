import { it } from "@jest/globals";
import { TestHost } from "./host.js";
it("x", async () => {
    const host = await TestHost.open('import core\nflow main\n  match Go()\n  await_flow_by_name "job"\n  send After()\n  match Never()\nflow job\n  bot say "Knock"\n');
    const p = host.conversation.process.bind(host.conversation);
    host.conversation.process = (e) => { const r = p(e); console.log(e.type, r.trace.map(t=>JSON.stringify(t).slice(0,260)).join("\n")); return r; };
    console.log(await host.send({type:"Go"} as never));
});
