// npm run docs: writes the pages of docs/ that are made from the source.
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { printOptionsPage } from "./docs/print-options.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
writeFileSync(join(ROOT, "docs", "options.md"), printOptionsPage(ROOT));
