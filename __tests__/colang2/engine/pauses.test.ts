import { describe, expect, it } from "@jest/globals";
import { Driver } from "../engine-driver.js";

interface Case {
  readonly title: string;
  readonly source: string;
  readonly events: readonly string[];
  /** Names of what is sent, for the beginning and for each event. */
  readonly sent: readonly (readonly string[])[];
}

const CASES: readonly Case[] = [
  {
    title: "a flow paused while it stands on an act does it after it was resumed",
    source: `flow worker
  match Go()
  send Done()
  match Never()

flow warden
  match Go()
  send PauseFlow(flow_id="worker")

flow main
  activate warden
  start worker
  match Resume()
  send ResumeFlow(flow_id="worker")
  match Never()
`,
    events: ["Go", "Other", "Resume"],
    sent: [[], [], [], ["Done"]],
  },
  {
    title: "a flow paused while it stands on a merge goes on after it was resumed",
    source: `flow worker
  match Go() or Never()
  send Done()
  match Never()

flow warden
  match Go()
  send PauseFlow(flow_id="worker")

flow main
  activate warden
  start worker
  match Resume()
  send ResumeFlow(flow_id="worker")
  match Never()
`,
    events: ["Go", "Other", "Resume"],
    sent: [[], [], [], ["Done"]],
  },
  {
    title: "what was about to be stopped and has ended meanwhile is not stopped again",
    source: `flow worker
  match Go()
  global $lamp
  send $lamp.Stop()
  match Never()

flow warden
  match Go()
  send PauseFlow(flow_id="worker")

flow main
  global $lamp
  start LampAction() as $lamp
  activate warden
  start worker
  match Resume()
  send ResumeFlow(flow_id="worker")
  match Never()
`,
    events: ["Go", "LampActionFinished", "Resume"],
    sent: [["StartLampAction"], [], [], []],
  },
  {
    title: "events of bound waits are kept, all others are missed",
    source: `flow child
  match End()

flow worker
  global $child
  match $child.Finished()
  send ChildDone()
  match Plain()
  send PlainDone()
  match Never()

flow main
  global $child
  start child as $child
  start worker
  match Pause()
  send PauseFlow(flow_id="worker")
  match Resume()
  send ResumeFlow(flow_id="worker")
  match Never()
`,
    events: ["Pause", "End", "Plain", "Resume", "Plain"],
    sent: [[], [], [], [], ["ChildDone"], ["PlainDone"]],
  },
  {
    title: "flows that activate each other can be paused and resumed",
    source: `flow ping
  activate pong
  match Ping()
  send Pinged()

flow pong
  activate ping
  match Pong()
  send Ponged()

flow main
  activate ping
  match Pause()
  send PauseFlow(flow_id="ping")
  match Resume()
  send ResumeFlow(flow_id="ping")
  match Never()
`,
    events: ["Ping", "Pause", "Ping", "Resume", "Ping", "Pong"],
    sent: [[], ["Pinged"], [], [], [], ["Pinged"], ["Ponged"]],
  },
  {
    title: "a pattern that reads a global follows it while its flow is paused",
    source: `flow child $n
  match End(n=$n)

flow worker
  global $child
  match $child.Finished()
  send Done()
  match Never()

flow main
  global $child
  start child 1 as $child
  start worker
  match Pause()
  send PauseFlow(flow_id="worker")
  match Swap()
  start child 2 as $child
  match Resume()
  send ResumeFlow(flow_id="worker")
  match Never()
`,
    events: ["Pause", "Swap", "End", "Resume"],
    sent: [[], [], [], [], ["Done"]],
  },
  {
    title: "main is not paused",
    source: `flow main
  match Pause()
  send PauseFlow(flow_id="main")
  match Go()
  send Done()
  match Never()
`,
    events: ["Pause", "Go"],
    sent: [[], [], ["Done"]],
  },
  {
    title: "a resumed flow leaves paused what was paused on its own",
    source: `flow inner
  match Go()
  send Inner()

flow outer
  activate inner
  match Go()
  send Outer()

@loop("warden")
flow warden
  match PauseInner()
  send PauseFlow(flow_id="inner")
  match PauseOuter()
  send PauseFlow(flow_id="outer")
  match Resume()
  send ResumeFlow(flow_id="outer")
  match Never()

flow main
  activate warden
  activate outer
  match Never()
`,
    events: ["PauseInner", "PauseOuter", "Go", "Resume", "Go"],
    sent: [[], [], [], [], [], ["Outer"]],
  },
];

describe.each([
  ["in one go", false],
  ["stored and read again at every step", true],
])("pauses, %s", (_, roundTrips) => {
  it.each(CASES.map((one) => [one.title, one] as const))("%s", (_title, { source, events, sent }) => {
    const driver = new Driver(source, { roundTrips });
    const names = [driver.batch().map(({ type }) => type)];
    const uids = new Map<string, unknown>();
    for (const type of events) {
      const uid = driver.conversation.state.index.actions.keys().next().value;
      if (uid !== undefined) uids.set("action", uid);
      const event = type.endsWith("ActionFinished")
        ? { type, action_uid: uids.get("action"), is_success: true }
        : type === "End"
          ? { type, n: 2 }
          : { type };
      names.push(driver.batch(event).map((draft) => draft.type));
    }
    expect(names).toEqual(sent);
  });
});
