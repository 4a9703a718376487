import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, expect, it } from "@jest/globals";
import type { Browser, Page } from "playwright-core";
import { type RunningServer, serve } from "../../../src/server/index.js";
import { PAGE_SCRIPT, PAGE_STYLE } from "../../../src/server/playground/page-assets.js";
import { BAKERY, createFolder, runCli } from "../../cli/run-cli.js";
import { type OpenedPlayground, openPlayground } from "../../server/playground/open-playground.js";
import { chunk, openUpstream } from "../../support/server/guarded-server.js";
import { describeWith } from "../../support/servers/database-server.js";
import {
  expectAccessible,
  hasChromium,
  launchChromium,
  openPage,
  screenshot,
  send,
  type WatchedPage,
} from "./open-browser.js";

const MAX_BUNDLE_BYTES = 150_000;

/** A configuration whose model is this server. */
const forwardedTo = (url: string): string =>
  `models:\n  - type: main\n    engine: vllm_openai\n    model: gpt-test\n    parameters: { base_url: ${url}, api_key: none }\n`;

describeWith("Chromium", hasChromium, () => {
  let browser: Browser;
  let opened: OpenedPlayground;
  let running: RunningServer;
  let watched: WatchedPage;
  let page: Page;

  beforeAll(async () => {
    browser = await launchChromium();
    opened = await openPlayground(BAKERY, { playground: { unreviewed: true } });
    running = await serve(opened.app, { port: 0, graceMs: 100 });
  });
  afterAll(async () => {
    await browser?.close();
    await running?.close();
    await opened?.[Symbol.asyncDispose]();
  });
  afterEach(async () => {
    expect(watched.problems).toEqual([]);
    await page.close();
  });

  const visit = async (options: Parameters<Browser["newPage"]>[0] = {}, url = running.url): Promise<void> => {
    watched = await openPage(browser, options);
    ({ page } = watched);
    await page.goto(url);
    await page.getByText("Write a message").waitFor();
  };
  /** Sends a message to the server without waiting for its turn. */
  const beginTurn = async (url: string): Promise<void> => {
    await visit({}, url);
    await page.getByLabel("Message", { exact: true }).fill("go");
    await page.keyboard.press("Enter");
  };
  const tab = (name: string) => page.getByRole("tab", { name });
  const panel = () => page.getByRole("tabpanel");

  it("opens with four requests of its own and little to load", async () => {
    await visit();
    const paths = watched.requests
      .filter((url) => !url.startsWith("data:"))
      .map((url) => url.slice(running.url.length));
    expect(paths.sort()).toEqual(["/", "/playground/configs", "/playground/page.css", "/playground/page.js"]);
    expect(gzipSync(PAGE_SCRIPT).length + gzipSync(PAGE_STYLE).length).toBeLessThan(MAX_BUNDLE_BYTES);
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Guardrails playground");
  });

  it("shows the rails of a turn and the blocked text", async () => {
    await visit();
    await send(page, "a cake, please");
    expect(await page.getByRole("article").textContent()).toContain("I only talk about bread.");
    expect(await page.getByRole("region", { name: "Chat" }).getByRole("status").textContent()).toContain(
      "Blocked by check words",
    );
    expect(await panel().getByRole("region", { name: "Blocked text" }).textContent()).toContain("a cake, please");
    const rail = panel().locator("summary", { hasText: "check words" });
    expect(await rail.textContent()).toMatch(/^input rail.*blocked.*ms$/);
    await rail.click();
    expect(await panel().getByText("Began after").isVisible()).toBe(true);
    await screenshot(page, "time-line");
  });

  it("explains why each flow acted, with its lines", async () => {
    await visit();
    await send(page, "hello");
    await tab("Flows").click();
    const greeting = panel().getByRole("listitem").filter({ hasText: "it took the step" }).first();
    expect(await greeting.textContent()).toMatch(/^greeting ?won/);
    expect(await panel().locator(".line.marked").first().textContent()).toContain("bot express greeting");
    expect(await panel().getByText("Not concerned").isVisible()).toBe(true);
  });

  it("streams a reply while it is generated", async () => {
    let finish = (): void => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    await using upstream = await openUpstream(async (_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`data: ${JSON.stringify(chunk({ role: "assistant", content: "First part, " }))}\n\n`);
      await finished;
      response.write(`data: ${JSON.stringify(chunk({ content: "second part." }))}\n\n`);
      response.end(`data: ${JSON.stringify(chunk({}, "stop"))}\n\ndata: [DONE]\n\n`);
    });
    await using streaming = await openPlayground({ "config.yml": forwardedTo(upstream.url) });
    await using server = await serve(streaming.app, { port: 0, graceMs: 100 });
    await beginTurn(server.url);
    await page.getByRole("article").getByText("First part,", { exact: true }).waitFor();
    expect(await page.getByRole("button", { name: "Stop" }).isVisible()).toBe(true);
    finish();
    await page.getByRole("article").getByText("First part, second part.").waitFor();
  });

  it("stops a turn", async () => {
    await using upstream = await openUpstream(() => new Promise(() => undefined));
    await using streaming = await openPlayground({ "config.yml": forwardedTo(upstream.url) });
    await using server = await serve(streaming.app, { port: 0, graceMs: 100 });
    await beginTurn(server.url);
    await page.getByRole("button", { name: "Stop" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByText("The turn was stopped.").waitFor();
    await upstream.aborted();
    await page.getByLabel("Message", { exact: true }).fill("again");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Stop" }).waitFor();
    await page.getByRole("button", { name: "New conversation" }).click();
    await page.getByText("Write a message").waitFor();
    await upstream.aborted();
    expect(await page.getByRole("article").count()).toBe(0);
  });

  it("checks edits, replays the conversation and shows the differences", async () => {
    await visit();
    await send(page, "hello");
    await send(page, "a cake");
    await tab("Configuration").click();
    const editor = page.getByRole("textbox", { name: "rails.co" });
    const text = await editor.inputValue();
    await editor.fill(`${text}\ndefine flow\n`);
    await panel().getByText("The changes have mistakes.").waitFor();
    const problem = panel()
      .getByRole("button", { name: /^error rails\.co:\d+/ })
      .first();
    await problem.click();
    expect(await editor.evaluate((field) => field === document.activeElement)).toBe(true);
    expect(await page.getByRole("button", { name: "Replay conversation" }).isDisabled()).toBe(true);
    await screenshot(page, "configuration");
    await editor.fill(text.replace("Hello! I bake bread.", "Hello! I bake cake.").replace('"cake" in', '"pie" in'));
    await panel().getByText("The changes are valid.").waitFor();
    await page.getByRole("button", { name: "Replay conversation" }).click();
    await panel().getByText("2 of 2 turns differ").waitFor();
    expect(await panel().locator("del").first().textContent()).toBe(" bread");
    expect(await panel().locator("ins").first().textContent()).toBe(" cake");
    expect(await panel().textContent()).toContain("blocked by check words → passed");
    await screenshot(page, "replay");
    await page.getByRole("button", { name: "Go on from here" }).click();
    expect(await page.getByRole("article").first().textContent()).toContain("I bake cake.");
    expect(await page.getByText("changed", { exact: true }).isVisible()).toBe(true);
    expect(readFileSync(join(opened.folder.path, "rails.co"), "utf8")).toBe(BAKERY["rails.co"]);
  });

  it("saves turns as a test case for the test command", async () => {
    await visit();
    await send(page, "hello");
    await send(page, 'a "cake": #1');
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Save as test case" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("turn-2.yml");
    const saved = readFileSync(await download.path(), "utf8");
    const tests = createFolder({ "saved.yml": saved });
    const { code, out } = await runCli(["test", opened.folder.path, tests.path]);
    tests.remove();
    expect([code, out]).toEqual([0, expect.stringContaining("1 conversation: 1 passed, 0 failed")]);
  });

  it("works with only the keyboard", async () => {
    await visit();
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Skip to the message");
    await page.keyboard.press("Enter");
    await page.keyboard.type("hello");
    await page.keyboard.press("Enter");
    const details = page.getByRole("button", { name: "Details of turn 1" });
    await details.waitFor();
    await page.keyboard.press("Shift+Tab");
    expect(await details.evaluate((button) => button === document.activeElement)).toBe(true);
    await page.keyboard.press("Enter");
    expect(await details.getAttribute("aria-pressed")).toBe("true");
    await tab("Time line").focus();
    await page.keyboard.press("ArrowRight");
    expect(await tab("Flows").getAttribute("aria-selected")).toBe("true");
    await page.keyboard.press("End");
    expect(await tab("Replay").getAttribute("aria-selected")).toBe("true");
    await page.keyboard.press("Home");
    await page.keyboard.press("Tab");
    expect(await panel().evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    expect(await panel().locator("details").first().getAttribute("open")).not.toBeNull();
  });

  it.each([
    ["in light colours", { colorScheme: "light" }],
    ["in dark colours", { colorScheme: "dark" }],
    ["on a phone", { colorScheme: "light", viewport: { width: 360, height: 740 } }],
    ["on a phone in dark colours", { colorScheme: "dark", viewport: { width: 360, height: 740 } }],
  ] as const)("is accessible %s", async (name, options) => {
    await visit(options);
    const isPhone = "viewport" in options;
    if (isPhone) await tab("Chat").click();
    await send(page, "hello");
    if (isPhone) await tab("Chat").click();
    await send(page, "a cake");
    await expectAccessible(page);
    if (isPhone) {
      await page.getByRole("button", { name: "Details of turn 1" }).click();
      await page.waitForFunction(() => document.activeElement?.id === "panel");
    }
    for (const shown of ["Time line", "Flows", "Configuration"]) {
      await tab(shown).click();
      await expectAccessible(page);
    }
    await screenshot(page, `configuration ${name}`.replaceAll(" ", "-"));
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  });

  it("keeps the colours that were chosen", async () => {
    await visit({ colorScheme: "light" });
    await page.getByLabel("Colours").selectOption("dark");
    await page.waitForFunction('getComputedStyle(document.documentElement).colorScheme === "dark"');
    await page.reload();
    expect(await page.getByLabel("Colours").inputValue()).toBe("dark");
  });

  it("asks for a key if the server has keys", async () => {
    const key = "key-of-a-developer-01";
    await using closed = await openPlayground(BAKERY, {
      keys: [{ id: "developer", key, permissions: ["playground"] }],
    });
    await using server = await serve(closed.app, { port: 0, graceMs: 100 });
    watched = await openPage(browser);
    ({ page } = watched);
    await page.goto(server.url);
    const field = page.getByLabel("Key with the permission playground");
    await field.waitFor();
    await expectAccessible(page);
    await field.fill(key);
    await page.keyboard.press("Enter");
    await page.getByText("Write a message").waitFor();
    // The refused request is logged by the browser.
    watched.problems.length = 0;
  });
});
