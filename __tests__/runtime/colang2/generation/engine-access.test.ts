import { describe, expect, it } from "@jest/globals";
import { compileAddedFlows } from "../../../../src/colang2/compile.js";
import { EngineConversation } from "../../../../src/colang2/engine/conversation.js";
import { createSourceFile } from "../../../../src/diagnostics/source-file.js";
import { ActionError } from "../../../../src/diagnostics/errors.js";
import type { ActionContext } from "../../../../src/actions/action.js";
import {
  COLANG2_SERVICE,
  conversationOf,
  accessConversation,
} from "../../../../src/runtime/colang2/generation/conversation-access.js";
import { compileProgram } from "./program.js";

function open(text: string, context: Readonly<Record<string, unknown>> = {}) {
  const conversation = new EngineConversation(compileProgram(text), { seed: 1, context });
  const sent = [...conversation.begin().events];
  const access = accessConversation({
    conversation,
    onRound: ({ events }) => sent.push(...events),
    lastTranscript: () => "hello",
  });
  return { conversation, access, sent };
}

describe("flows that are awaited", () => {
  it.each([
    [
      "a flow of the program",
      "flow main\n  user greets\n\nflow user greets\n  match Hi()",
      [{ id: "user greets", marked: false }],
    ],
    [
      "each once, though two await it, and the flow of the bot too",
      "flow main\n  start one and two\n  match Never()\n\nflow one\n  user greets or bot waits\n\nflow two\n  user greets\n\nflow user greets\n  match Hi()\n\nflow bot waits\n  match Ho()",
      [
        { id: "user greets", marked: false },
        { id: "bot waits", marked: false },
        { id: "user greets", marked: false },
      ],
    ],
    [
      "an undefined name, through the reference",
      'flow main\n  start watcher\n  user asks for help\n\n@loop("NEW")\nflow watcher\n  match UnhandledEvent(event="StartFlow") as $e\n  send FlowStarted(flow_id=$e.flow_id, flow_instance_uid=$e.flow_instance_uid)\n  match Never()',
      [{ id: "user asks for help", marked: false }],
    ],
    [
      "a name in a pattern",
      'flow main\n  match FlowFinished(flow_id="user asks for help")',
      [{ id: "user asks for help", marked: false }],
    ],
    [
      "a mark of the instance",
      'flow main\n  user greets\n\nflow user greets\n  $_user_intent = "user greets"\n  match Hi()',
      [{ id: "user greets", marked: true }],
    ],
    ["nothing that is not a flow", "flow main\n  match Hi()", []],
  ])("%s", (_, text, expected) => {
    const { access } = open(text);
    expect(access.awaitedFlows().map(({ id, isMarkedIntent }) => ({ id, marked: isMarkedIntent }))).toEqual(expected);
  });
});

describe("events that are waited for", () => {
  const text = "flow main\n  match Knock(times=2) or Bell()\n";

  it.each([
    ["Knock", { times: 2 }, true],
    ["Knock", { times: 3 }, false],
    ["Bell", {}, true],
    ["Bell", { loud: true }, true],
    ["Door", {}, false],
    ["FlowFinished", { flow_id: "main" }, false],
  ])("%s with %j: %s", (name, given, expected) => {
    expect(open(text).access.awaitsEvent(name, given)).toBe(expected);
  });

  const AWAITING = [
    "flow main\n  start awaits\n  start calls\n  start fails\n  start observes\n  start acts\n  start chooses\n  match Never()\n",
    "flow job $x\n  match Foo(n=$x)\n",
    "flow awaits\n  await job 3\n",
    "flow calls\n  job 4\n",
    "flow other\n  match Other()\n",
    "flow fails\n  start other as $o\n  match $o.Failed()\n",
    "flow observes\n  match other.Started()\n",
    "flow acts\n  await LampAction(level=3)\n",
    "flow one\n  match One()\n",
    "flow late\n  match Late()\n",
    "flow two\n  match Two()\n",
    "flow chooses\n  when one\n    pass\n  or when two and late\n    pass\n",
  ].join("\n");

  it.each([
    ["FlowFinished", { flow_id: "job" }, true],
    ["FlowFinished", { flow_id: "job", x: 3 }, true],
    ["FlowFinished", { flow_id: "job", x: 5 }, false],
    ["FlowFinished", { x: 3 }, true],
    ["FlowFinished", {}, true],
    ["FlowFinished", { flow_id: "job", flow_instance_uid: "another" }, false],
    ["StartFlow", { flow_id: "job" }, false],
    ["FlowFinished", { flow_id: "awaits" }, false],
    ["FlowFinished", { flow_id: "user asked nothing" }, false],
    ["FlowFailed", { flow_id: "other" }, true],
    ["FlowStarted", { flow_id: "other" }, true],
    ["FlowFailed", { flow_id: "fails" }, false],
    ["LampActionFinished", {}, true],
    ["LampActionFinished", { action_uid: "another" }, false],
    ["FlowFinished", { flow_id: "one" }, true],
    ["FlowFinished", { flow_id: "two" }, true],
    ["FlowFinished", { flow_id: "three" }, false],
  ])("%s with %j of a flow that awaits it: %s", (name, given, expected) => {
    expect(open(AWAITING).access.awaitsEvent(name, given)).toBe(expected);
  });

  it("asks without changing anything", () => {
    const { access, conversation } = open(text);
    const { main } = conversation.state.index;
    access.awaitsEvent("Bell", {});
    expect(conversation.process({ type: "Bell" }).events).toEqual([]);
    expect(main?.status).toBe("finished");
  });
});

describe("what a flow sees", () => {
  it("has the docstring of the nearest flow that has one, filled in there", () => {
    const { access } = open(
      'flow main $who="Eve"\n  """Greet {$who} politely."""\n  $n = 3\n  helper\n\nflow helper\n  $own = "x"\n  match Never()',
    );
    expect(access.scopeOf("helper", undefined)).toEqual({
      docstring: "Greet Eve politely.",
      docstringFlow: "main",
      variables: { own: "x" },
    });
    expect(access.scopeOf("main", undefined).variables).toEqual({ who: "Eve", n: 3 });
  });

  it("distinguishes instances of one flow by the action they run", () => {
    const { access, sent } = open(
      "flow main\n  start ask 1 and ask 2\n  match Never()\n\nflow ask $n\n  await LookAction(n=$n)",
    );
    const [first, second] = sent.map((event) => event["action_uid"] as string);
    expect(access.scopeOf("ask", first).variables).toEqual({ n: 1 });
    expect(access.scopeOf("ask", second).variables).toEqual({ n: 2 });
  });

  it("is empty for a flow that does not run", () => {
    expect(open("flow main\n  match Never()").access.scopeOf("other", undefined)).toEqual({ variables: {} });
  });

  it("shows global variables as plain data", () => {
    const { access } = open("flow main\n  global $seen\n  $seen = {1, 2}\n  match Never()", { name: "Eve" });
    expect(access.globals).toEqual({ name: "Eve", seen: [1, 2] });
    expect(access.scopeOf("main", undefined).variables).toEqual({ seen: [1, 2] });
    expect(access.lastTranscript).toBe("hello");
  });
});

describe("flows added and removed", () => {
  it("removes added flows only, and returns the following events", () => {
    const { access, sent, conversation } = open(
      'flow main\n  match Go()\n  await_flow\n\nflow await_flow\n  $f = flow("extra")\n  start $f\n  match FlowFailed(flow_id="extra")\n  send Gone()\n  match Never()',
    );
    const source = createSourceFile("generated", "flow extra\n  match Never()");
    const { flows } = compileAddedFlows(source, access.definitions);
    expect(access.addFlows(flows, source.text)).toEqual(["extra"]);
    expect(access.isAdded("extra")).toBe(true);
    conversation.process({ type: "Go" });
    access.removeFlows(["extra", "main", "nothing"]);
    expect(sent.map(({ type }) => type)).toEqual(["Gone"]);
    expect([...access.definitions.keys()]).not.toContain("extra");
    expect(conversation.state.index.main?.status).toBe("started");
  });
});

describe("the service of an action", () => {
  it("is an error outside of a conversation", () => {
    expect(() => conversationOf({ services: {} } as ActionContext, "AddFlowsAction")).toThrow(ActionError);
  });

  it("is found under its name only", () => {
    const { access } = open("flow main\n  match Never()");
    const context = { services: { [COLANG2_SERVICE]: access } } as unknown as ActionContext;
    expect(conversationOf(context, "AddFlowsAction")).toBe(access);
  });
});
