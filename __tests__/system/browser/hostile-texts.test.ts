import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { Browser, Page, Route } from "playwright-core";
import { type RunningServer, serve } from "../../../src/server/index.js";
import { sharedPage } from "../../../src/server/playground/shared-page.js";
import { BAKERY, runCli } from "../../cli/run-cli.js";
import { type OpenedPlayground, openPlayground } from "../../server/playground/open-playground.js";
import { describeWith } from "../../support/servers/database-server.js";
import { hostileConversation, hostileStart, hostileTurn, HOSTILE_TEXTS } from "./hostile-texts.js";
import { expectAccessible, hasChromium, launchChromium, openPage, screenshot, send } from "./open-browser.js";

/** Elements that no text may become. */
const FORBIDDEN =
  "img, svg, iframe, object, embed, template, a[href^='javascript'], [onerror], [onload], [onfocus], [onmouseover]";

async function expectHarmless(page: Page): Promise<void> {
  const found = await page.evaluate((forbidden) => {
    const { pwned } = globalThis as unknown as { pwned?: unknown };
    const scripts = [...document.querySelectorAll("script:not([src])")].filter(
      (script) => script.id !== "shared" && !script.textContent?.includes("createElement"),
    );
    const styles = [...document.querySelectorAll("body style")];
    return [pwned ?? null, document.querySelectorAll(forbidden).length, scripts.length, styles.length];
  }, FORBIDDEN);
  expect(found).toEqual([null, 0, 0, 0]);
}

describeWith("Chromium", hasChromium, () => {
  let browser: Browser;
  let opened: OpenedPlayground;
  let running: RunningServer;
  let folder = "";
  beforeAll(async () => {
    browser = await launchChromium();
    opened = await openPlayground(BAKERY, { playground: { unreviewed: true } });
    running = await serve(opened.app, { port: 0, graceMs: 100 });
    folder = mkdtempSync(join(tmpdir(), "shared-"));
  });
  afterAll(async () => {
    await browser?.close();
    await running?.close();
    await opened?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  describe("hostile texts in every field", () => {
    it("stay texts in the page", async () => {
      const { page, problems } = await openPage(browser);
      let text = "";
      const json = (value: () => unknown) => (route: Route) =>
        route.fulfill({ contentType: "application/json", body: JSON.stringify(value()) });
      await page.route(
        "**/playground/configs",
        json(() => hostileStart(text)),
      );
      await page.route(
        "**/playground/drafts",
        json(() => ({
          draft: "0",
          problems: [{ severity: text, code: text, message: text, hint: text, file: `${text}.co`, line: 1, column: 1 }],
        })),
      );
      await page.route("**/playground/turns", (route) =>
        route.fulfill({
          contentType: "text/event-stream",
          body: [
            { type: "work-start", kind: text, name: text },
            { type: "text-delta", text },
            { type: "turn", turn: hostileTurn(text, [`${text}.co`]) },
          ]
            .map((event) => `data: ${JSON.stringify(event)}\n\n`)
            .join(""),
        }),
      );
      for (text of [...HOSTILE_TEXTS.slice(0, 4), HOSTILE_TEXTS.join("\n")]) {
        await page.goto(running.url);
        await send(page, text);
        expect(await page.getByRole("article").locator("p").first().textContent()).toBe(text);
        await page.evaluate(() => document.querySelectorAll("details").forEach((each) => (each.open = true)));
        await expectHarmless(page);
        await page.getByRole("tab", { name: "Flows" }).click();
        await expectHarmless(page);
        await page.getByRole("tab", { name: "Configuration" }).click();
        await page.getByRole("textbox").last().fill(text);
        await page.getByRole("region", { name: "Problems" }).getByRole("button").waitFor();
        await expectHarmless(page);
        await page.getByRole("button", { name: "Replay conversation" }).click();
        await page.getByText(/\d of 1 turn differ/).waitFor();
        await expectHarmless(page);
      }
      expect(problems).toEqual([]);
      await page.close();
    });

    it("stay texts in a conversation that is saved as one file", async () => {
      const { page, problems, requests } = await openPage(browser);
      const file = join(folder, "hostile.html");
      for (const text of HOSTILE_TEXTS) {
        writeFileSync(file, sharedPage(hostileConversation(text)));
        await page.goto(pathToFileURL(file).href);
        expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe(text);
        await page.evaluate(() => document.querySelectorAll("details").forEach((each) => (each.open = true)));
        await expectHarmless(page);
        await page.getByRole("tab", { name: "Flows" }).click();
        await expectHarmless(page);
      }
      expect(problems).toEqual([]);
      expect(new Set(requests)).toEqual(new Set([pathToFileURL(file).href]));
      await page.close();
    });

    it("stay texts of a real turn", async () => {
      const { page, problems } = await openPage(browser);
      await page.goto(running.url);
      for (const text of HOSTILE_TEXTS.slice(0, 6)) await send(page, `${text} cake`);
      await page.evaluate(() => document.querySelectorAll("details").forEach((each) => (each.open = true)));
      await expectHarmless(page);
      expect(problems).toEqual([]);
      await page.close();
    });
  });

  describe("a conversation that is saved as one file", () => {
    it("opens from disk, is accessible, sends no requests, and runs no other script", async () => {
      const { page, problems, requests } = await openPage(browser);
      await page.goto(running.url);
      await send(page, "hello");
      await send(page, "a cake");
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "Share as HTML" }).click(),
      ]);
      const file = join(folder, "shared.html");
      await download.saveAs(file);
      expect(problems).toEqual([]);
      requests.length = 0;
      await page.goto(pathToFileURL(file).href);
      await page.getByRole("button", { name: "Details of turn 2" }).click();
      expect(await page.getByRole("tabpanel").textContent()).toContain("check words");
      await page.getByRole("tab", { name: "Flows" }).click();
      expect(await page.locator(".line.marked").first().textContent()).toContain("bot refuse to respond");
      await expectAccessible(page);
      await screenshot(page, "shared");
      expect(requests).toEqual([pathToFileURL(file).href]);
      expect(problems).toEqual([]);
      const ran = await page.evaluate(() => {
        const script = document.createElement("script");
        script.textContent = "globalThis.pwned = 1";
        document.body.append(script);
        return (globalThis as unknown as { pwned?: unknown }).pwned ?? "refused";
      });
      expect(ran).toBe("refused");
      await page.close();
    });

    it("is created from stored traces, too", async () => {
      const traces = join(folder, "traces.jsonl");
      const times = { start_time: 1, end_time: 2, duration: 1 };
      const spans = [
        {
          name: "guardrails.request",
          span_id: "a",
          ...times,
          kind: "turn",
          status: "ok",
          attributes: {},
          content: { input: "hi <b>", output: "Hello" },
        },
        {
          name: "guardrails.rail",
          span_id: "b",
          parent_id: "a",
          ...times,
          kind: "rail",
          status: "passed",
          attributes: { "rail.name": "check words", "rail.type": "input" },
        },
      ];
      writeFileSync(traces, `${JSON.stringify({ trace_id: "one", blocked: false, spans })}\n`);
      const file = join(folder, "traces.html");
      expect((await runCli(["trace", traces, "--html", file])).code).toBe(0);
      const { page, problems } = await openPage(browser);
      await page.goto(pathToFileURL(file).href);
      expect(await page.getByRole("article").textContent()).toContain("hi <b>");
      expect(await page.getByRole("tabpanel").textContent()).toContain("input railcheck wordspassed");
      expect(problems).toEqual([]);
      await page.close();
    });
  });
});
