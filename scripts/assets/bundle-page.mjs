// Bundles the page of the playground: one script and one style sheet, which the server embeds.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";

/** Text that would end an inline element of the page that is saved as one file. */
const ENDS_ELEMENT = /<\/(?:script|style)|<!--|<script/i;

/** Returns the script and the style sheet of the page in this folder. */
export async function bundlePage(folder) {
  const bundle = await rolldown({
    input: join(folder, "main.tsx"),
    platform: "browser",
    transform: { define: { "process.env.NODE_ENV": '"production"' } },
  });
  const { output } = await bundle.generate({ format: "esm", minify: true, comments: false });
  await bundle.close();
  const [{ code: script }] = output;
  const style = minifyStyle(readFileSync(join(folder, "style.css"), "utf8"));
  for (const text of [script, style]) {
    if (ENDS_ELEMENT.test(text)) throw new Error("the page cannot stand inside of an HTML element");
  }
  return { script, style };
}

function minifyStyle(text) {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/\s+/g, " ")
    .replace(/ ?([{};,]) ?/g, "$1")
    .replaceAll(";}", "}")
    .trim();
}
