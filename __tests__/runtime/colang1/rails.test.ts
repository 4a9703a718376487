import { describe, expect, it } from "@jest/globals";
import type { RailStart } from "../../../src/rails/rail-dialect.js";
import { colang1Rails } from "../../../src/runtime/colang1/rails.js";
import type { RuntimeServices } from "../../../src/runtime/colang1/run.js";

describe("rails in Colang 1.0", () => {
  it("fail if the program has no flow for them, instead of letting a text pass", () => {
    const services = { flows: new Map() } as unknown as RuntimeServices;
    const start = { flow: "no such rail", parameters: [] } as unknown as RailStart;
    expect(() => colang1Rails(() => services).run(start)).toThrow("the rail `no such rail` has no flow");
  });
});
