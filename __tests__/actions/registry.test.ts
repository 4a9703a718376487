import { describe, expect, it } from "@jest/globals";
import { defineAction } from "../../src/actions/define-action.js";
import { ActionRegistryBuilder } from "../../src/actions/registry.js";

function registryOf(...names: string[]) {
  const builder = new ActionRegistryBuilder();
  for (const name of names) builder.register(() => name, name);
  return builder.build();
}

describe("looking up an action", () => {
  it.each<[string, string[], string, string | undefined]>([
    ["CheckStockAction", ["check_stock"], "check_stock", undefined],
    ["CheckStock", ["check_stock"], "check_stock", undefined],
    ["HTTPServerAction", ["http_server"], "http_server", undefined],
    ["check_stock", ["check_stock", "check stock"], "check_stock", undefined],
    ["check stock", ["check_stock"], "check_stock", "`check stock` was taken as the action `check_stock`"],
    ["check_stock", ["check stock"], "check stock", "`check_stock` was taken as the action `check stock`"],
    ["CheckStock", ["check stock"], "check stock", "`CheckStock` was taken as the action `check stock`"],
    ["Action", ["Action"], "Action", undefined],
  ])("%s among %j", (name, names, expected, note) => {
    const resolution = registryOf(...names).resolve(name);
    expect(resolution).toMatchObject({ found: true, definition: { name: expected } });
    expect(resolution.found && resolution.note?.message).toBe(note);
  });

  it.each<[string, string[], string[]]>([
    ["fetch ordr", ["fetch order", "add"], ["fetch order"]],
    ["teleport", ["add"], []],
    ["a b_c", ["a_b c", "a_b_c"], ["a_b c", "a_b_c"]],
    ["chck_text", ["add", "CheckTextAction"], ["CheckTextAction"]],
    ["ChckTextAction", ["add", "check text"], ["check text"]],
    ["check_text", ["add", "CheckTextAction"], ["CheckTextAction"]],
    ["__proto__", ["add"], []],
    ["constructor", ["add"], []],
  ])("%s is not found among %j", (name, names, suggestions) => {
    expect(registryOf(...names).resolve(name)).toEqual({ found: false, suggestions });
  });
});

describe("registering", () => {
  it("replaces earlier actions by default", async () => {
    const builder = new ActionRegistryBuilder();
    builder
      .register(() => "first", "x")
      .register(() => "second", "x")
      .register(() => "third", "x", { override: false });
    expect(
      builder
        .build()
        .get("x")
        ?.run({}, {} as never),
    ).toBe("second");
  });

  it("never changes a registry that is already built", () => {
    const registry = registryOf("a");
    const extended = registry
      .extend()
      .register(() => 1, "b")
      .build();
    expect([registry.names, extended.names]).toEqual([["a"], ["a", "b"]]);
  });

  it("lets an action server replace functions, but not system actions and runnables", () => {
    const remote = ["plain", "system", "tool", "far"].map((name) => defineAction({ name }, () => "remote"));
    const registry = new ActionRegistryBuilder()
      .register(() => "here", "plain")
      .register(defineAction({ name: "system", system: true }, () => "here"))
      .register({ invoke: () => "here" }, "tool")
      .registerRemote(remote)
      .build();
    const answers = registry.names.map((name) => [
      name,
      registry.get(name) === remote.find((each) => each.name === name),
    ]);
    expect(Object.fromEntries(answers)).toEqual({ plain: true, system: false, tool: false, far: true });
  });

  it("reports names, parameters and completeness to the compiler", () => {
    const add = defineAction({ name: "add", parameters: ["a", "b"] }, () => 0);
    const catalog = new ActionRegistryBuilder().register(add).build().catalog();
    expect([catalog.has("add"), catalog.has("AddAction"), catalog.parametersOf("AddAction"), catalog.complete]).toEqual(
      [true, false, ["a", "b"], true],
    );
    expect(catalog.names).toEqual(["add"]);
  });
});
