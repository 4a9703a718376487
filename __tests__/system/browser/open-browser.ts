import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "@jest/globals";
import axe from "axe-core";
import { type Browser, chromium, type Page } from "playwright-core";

const PATHS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const executablePath = PATHS.find((path) => existsSync(path));

/** True if the machine has Chromium. */
export const hasChromium = executablePath !== undefined;

/** Folder of the screenshots, which git ignores. */
const SCREENSHOTS = join(process.cwd(), "coverage", "screenshots");

export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: executablePath ?? PATHS[0] ?? "", args: ["--no-sandbox"] });
}

/** A page with its problems: errors, messages of the console, breaches of the policy, requests to other origins. */
export interface WatchedPage {
  readonly page: Page;
  readonly requests: string[];
  readonly problems: string[];
}

export async function openPage(
  browser: Browser,
  options: Parameters<Browser["newPage"]>[0] = {},
): Promise<WatchedPage> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, ...options });
  // Long enough for a machine with other work.
  page.setDefaultTimeout(15_000);
  const requests: string[] = [];
  const problems: string[] = [];
  page.on("request", (request) => requests.push(request.url()));
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("dialog", (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") problems.push(message.text());
  });
  return { page, requests, problems };
}

/** Sends a message and waits for the end of its turn. */
export async function send(page: Page, text: string): Promise<void> {
  const turns = page.getByRole("article");
  const before = await turns.count();
  await page.getByLabel("Message", { exact: true }).fill(text);
  await page.getByRole("button", { name: "Send" }).click();
  await turns
    .nth(before)
    .getByRole("button", { name: /^Details/ })
    .waitFor();
}

export async function screenshot(page: Page, name: string): Promise<void> {
  mkdirSync(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });
}

interface AxeResult {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}

/** Expects that axe finds nothing. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: { run(): Promise<AxeResult> } }).axe.run(),
  );
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
}
