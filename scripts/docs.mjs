// npm run docs: writes the pages of docs/ that are made from the source.
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { formatConfigurationPage } from "./docs/configuration-page.mjs";
import { printOptionsPage } from "./docs/print-options.mjs";

await import("./typescript-loader.mjs");
const { configJsonSchema } = await import("../src/config/schema/json-schema.ts");
const ROOT = fileURLToPath(new URL("..", import.meta.url));
writeFileSync(join(ROOT, "docs", "options.md"), printOptionsPage(ROOT));
writeFileSync(join(ROOT, "docs", "configuration.md"), formatConfigurationPage(configJsonSchema()));
