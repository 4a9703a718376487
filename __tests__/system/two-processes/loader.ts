// A process that loads one configuration with a cache on disk, several times at once: `loader.ts FOLDER`. Prints what a guarded
// function said.
import { Guardrails } from "../../../src/index.js";

const [cacheDir = ""] = process.argv.slice(2);

const CONFIG = {
  colang: `
define bot refuse
  "No."

define subflow check words
  $allowed = execute check_words(text=$user_message)
  if not $allowed
    bot refuse
    stop
`,
  config: { rails: { input: { flows: ["check words"] } } },
};

const actions = { check_words: ({ text }: { readonly text?: string }) => text !== "bad" };

const loaded = await Promise.all(Array.from({ length: 5 }, () => Guardrails.fromConfig(CONFIG, { actions, cacheDir })));
const said: unknown[] = [];
for (const guardrails of loaded) {
  const echo = guardrails.wrap((text: string) => `You said: ${text}`);
  said.push(await echo.invoke("good"), await echo.invoke("bad"));
}
process.stdout.write(JSON.stringify(said));
