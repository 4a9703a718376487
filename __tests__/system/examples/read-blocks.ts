import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A block of code in a page of documentation. */
export interface Block {
  readonly language: string;
  readonly text: string;
  readonly section: string;
  /** The comment right above the block: `excerpt` is not run, `broken` shows a mistake. */
  readonly mark: string | undefined;
  readonly title: string;
}

export function readBlocks(markdown: string): Block[] {
  const blocks: Block[] = [];
  let section = "";
  const pattern = /^#{1,3} (.+)$|^(?:<!-- (\w+) -->\n+)?```(\w+)\n([\s\S]*?)^```$/gm;
  for (const [, heading, mark, language = "", text = ""] of markdown.matchAll(pattern)) {
    if (heading !== undefined) section = heading;
    else blocks.push({ language, text, section, mark, title: `${section}: ${text.split("\n", 1)[0] ?? ""}` });
  }
  return blocks;
}

/** The texts between `// #region` and `// #endregion` in the examples of a folder, which examples.test.ts runs. */
export function readRegions(folder: string): Set<string> {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const sources = files.filter((name) => name.endsWith(".ts")).map((name) => join(folder, name));
  return new Set(
    sources.flatMap((path) =>
      [...readFileSync(path, "utf8").matchAll(/^ *\/\/ #region .*\n([\s\S]*?)^ *\/\/ #endregion$/gm)].map(
        ([, text = ""]) => dedent(text),
      ),
    ),
  );
}

function dedent(text: string): string {
  const lines = text.split("\n");
  const depths = lines.filter((line) => line.trim() !== "").map((line) => line.length - line.trimStart().length);
  const depth = Math.min(...depths);
  return lines.map((line) => line.slice(depth)).join("\n");
}
