import { describe, expect, it } from "@jest/globals";
import { Admission } from "../../src/server/admission.js";
import { ApiError } from "../../src/server/errors.js";

const LIMITS = { concurrent: 1, queued: 1, queueMs: 60_000 };

describe("a server with one place, and one to wait", () => {
  it("is full while two requests have arrived that ask for a place later", () => {
    const admission = new Admission(LIMITS);
    const [first, second] = [admission.arrive(), admission.arrive()];
    const isFull = [admission.isFull];
    second();
    isFull.push(admission.isFull);
    first();
    expect(isFull).toEqual([true, false]);
  });

  it("keeps the place of a request that arrived in time, whatever arrives behind it", async () => {
    const admission = new Admission(LIMITS);
    const begin = admission.arrive();
    const others = [admission.arrive(), admission.arrive()];
    begin();
    const release = await admission.enter();
    expect([admission.active, admission.isFull]).toEqual([1, true]);
    release();
    for (const end of others) end();
    expect(admission.isFull).toBe(false);
  });

  it("reports that it is full once, as long as requests wait to begin", async () => {
    let reports = 0;
    const admission = new Admission(LIMITS, () => (reports += 1));
    const end = admission.arrive();
    for (let round = 0; round < 3; round += 1) {
      const release = await admission.enter();
      admission.refuse();
      release();
    }
    end();
    (await admission.enter())();
    admission.refuse();
    expect(reports).toBe(2);
  });

  it("refuses a request that asks while another one waits", async () => {
    const admission = new Admission(LIMITS);
    const release = await admission.enter();
    const waiting = admission.enter();
    expect(() => admission.enter()).toThrow(ApiError);
    release();
    (await waiting)();
    expect([admission.active, admission.queued]).toEqual([0, 0]);
  });
});
