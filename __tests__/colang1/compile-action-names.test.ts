import { describe, expect, it } from "@jest/globals";

import { resolveActionName } from "../../src/colang1/action-names.js";

describe("resolveActionName", () => {
  const known = new Set(["check_stock", "fetch order", "HTTPGet", "both ways", "both_ways", "run action"]);
  it.each<[string, string | undefined, boolean]>([
    ["check_stock", "check_stock", false],
    ["CheckStock", "check_stock", false],
    ["CheckStockAction", "check_stock", false],
    ["check_stockAction", "check_stock", false],
    ["check stock", "check_stock", true],
    ["fetch order", "fetch order", false],
    ["fetch_order", "fetch order", true],
    ["HTTPGet", "HTTPGet", false],
    ["both ways", "both ways", false],
    ["run_action", "run action", true],
    ["checkstock", undefined, false],
    ["", undefined, false],
  ])("finds `%s`", (written, name, loose) => {
    const found = resolveActionName(written, { has: (one) => known.has(one) });
    expect(found).toEqual(name === undefined ? undefined : { name, loose });
  });
});
