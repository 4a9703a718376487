import { describe, expect, it } from "@jest/globals";
import { Driver } from "../engine-driver.js";

const LAMP = `flow lamp $n=1
  match On(n=$n)
  send Lit(n=$n)
`;

/** Names of events (`start` for the empty batch) and of the events sent in response. */
const CASES: readonly (readonly [
  rule: string,
  title: string,
  source: string,
  steps: readonly (readonly [string, readonly string[]])[],
])[] = [
  [
    "1",
    "equal arguments, defaults included, start nothing",
    `${LAMP}\nflow main\n  activate lamp\n  activate lamp 1\n  activate lamp n=1\n  match Never()\n`.replace(
      "lamp n=1",
      "lamp(n=1)",
    ),
    [
      ["start", []],
      ["On", ["Lit"]],
      ["On", ["Lit"]],
    ],
  ],
  [
    "1",
    "lists are compared by what is in them",
    `flow lamp $l\n  match On()\n  send Lit()\n\nflow main\n  activate lamp [1, {"a": 2}]\n  activate lamp [1, {"a": 2}]\n  match Never()\n`,
    [
      ["start", []],
      ["On", ["Lit"]],
    ],
  ],
  [
    "2",
    "the activator goes on when the first instance fails",
    `flow broken\n  abort\n\nflow main\n  activate broken\n  send Went()\n  match Never()\n`,
    [["start", ["Went"]]],
  ],
  [
    "3",
    "an instance that ends is followed by the next",
    `${LAMP}\nflow main\n  activate lamp\n  match Never()\n`,
    [
      ["start", []],
      ["On", ["Lit"]],
      ["On", ["Lit"]],
      ["On", ["Lit"]],
    ],
  ],
  [
    "4",
    "an instance that never waits stays, with what it started (guard A)",
    `flow base\n  start LampAction()\n\nflow main\n  activate base\n  match Stop()\n  deactivate base\n  match Never()\n`,
    [
      ["start", ["StartLampAction"]],
      ["Other", []],
      ["Stop", ["StopLampAction"]],
    ],
  ],
  [
    "5",
    "an instance that fails at once gets one attempt with each event (guard B)",
    `flow needy\n  global $ready, $tries\n  $tries = 1 if $tries is None else $tries + 1\n  if not $ready\n    abort\n  match Use()\n  send Used(n=$tries)\n\n@loop("x")\nflow set\n  global $ready\n  match Ready()\n  $ready = True\n\nflow main\n  activate needy\n  activate set\n  match Never()\n`,
    [
      ["start", []],
      ["Use", []],
      ["Ready", []],
      ["Use", ["Used"]],
    ],
  ],
  [
    "6",
    "an instance that ends again and again rests until the next event (guard C)",
    `flow spin\n  match StartFlow(flow_id="spin") or Go()\n\n@loop("x")\nflow report\n  match ColangError(type="ActivationLoop")\n  send Report()\n\nflow main\n  activate spin\n  activate report\n  start spin\n  match Never()\n`,
    [
      ["start", []],
      ["Go", []],
      ["Other", []],
    ],
  ],
  [
    "8",
    "one deactivation takes one ownership",
    `${LAMP}\nflow one\n  activate lamp\n  match A()\n  deactivate lamp\n  match Never()\n\nflow two\n  activate lamp\n  match B()\n  deactivate lamp\n  match Never()\n\nflow main\n  start one\n  start two\n  match Never()\n`,
    [
      ["start", []],
      ["A", []],
      ["On", ["Lit"]],
      ["B", []],
      ["On", []],
    ],
  ],
  [
    "8",
    "a filter names some of the activations",
    `${LAMP}\nflow main\n  activate lamp 1\n  activate lamp 2\n  match A()\n  deactivate lamp 2\n  match B()\n  deactivate lamp\n  match Never()\n`,
    [
      ["start", []],
      ["A", []],
      ["On", ["Lit"]],
      ["B", []],
      ["On", []],
    ],
  ],
  ...[
    "deactivate job 1",
    'send StopFlow(flow_id="job", p=1, deactivate=True)',
    'send FinishFlow(flow_id="job", p=1, deactivate=True)',
  ].map((request): (typeof CASES)[number] => [
    "8",
    `\`${request}\` ends instances that were started, too`,
    `@loop("NEW")\nflow job $p\n  match On()\n  send Lit(p=$p)\n\nflow main\n  start job 1\n  start job 2\n  activate job 1\n  match A()\n  ${request}\n  match B()\n  deactivate job\n  match Never()\n`,
    [
      ["start", []],
      ["A", []],
      ["On", ["Lit"]],
      ["B", []],
      ["On", []],
    ],
  ]),
  ...[
    ["awaits a flow that ends at once", "await job", "flow job\n  send Made()\n"],
    ["awaits flows that end at once", "await outer", "flow outer\n  await job\n\nflow job\n  send Made()\n"],
    ["awaits one of two such flows", "await job or job", "flow job\n  send Made()\n"],
    ["takes a case at once", "when job\n    pass\n  or when Other()\n    pass", "flow job\n  send Made()\n"],
    ["sends one of two events", "send Made() or Made(n=1)", ""],
  ].map(([title = "", body = "", flows = ""]): (typeof CASES)[number] => [
    "4",
    `a flow that ${title} is not begun again for the same event`,
    `${flows}\n@loop("watch")\nflow watch\n  ${body}\n\nflow main\n  activate watch\n  match Go()\n  send Gone()\n  match Never()\n`,
    [
      ["start", ["Made"]],
      ["Go", ["Gone"]],
    ],
  ]),
  [
    "3",
    "a flow that an internal event of another flow moves is begun again for the same event",
    `${LAMP}\n@loop("watch")\nflow watch\n  match FlowStarted(flow_id="lamp")\n  global $seen\n  $seen = $seen + 1\n\nflow main\n  global $seen\n  $seen = 0\n  activate watch\n  match Go()\n  start lamp 1\n  start lamp 2\n  match End()\n  if $seen == 2\n    send Both()\n  match Never()\n`,
    [
      ["start", []],
      ["Go", []],
      ["End", ["Both"]],
    ],
  ],
  [
    "9",
    "the end of the owner ends what it activated",
    `${LAMP}\nflow owner\n  activate lamp\n  match A()\n\nflow main\n  start owner\n  match Never()\n`,
    [
      ["start", []],
      ["On", ["Lit"]],
      ["A", []],
      ["On", []],
    ],
  ],
  [
    "10",
    "stopping by name restarts, stopping the instance ends the activation",
    `${LAMP}\nflow watcher\n  match FlowStarted(flow_id="lamp") as $s\n  match B()\n  send StopFlow(flow_instance_uid=$s.flow.uid)\n\nflow main\n  start watcher\n  activate lamp\n  match Never()\n`,
    [
      ["start", []],
      ["B", []],
      ["On", []],
    ],
  ],
  [
    "10",
    "stopping by name restarts",
    `${LAMP}\nflow main\n  activate lamp\n  match A()\n  send StopFlow(flow_id="lamp")\n  match Never()\n`,
    [
      ["start", []],
      ["A", []],
      ["On", ["Lit"]],
    ],
  ],
  [
    "11",
    "an activation outlives its first owner",
    `${LAMP}\nflow one\n  activate lamp\n  match A()\n\nflow two\n  activate lamp\n  match Never()\n\nflow main\n  start one\n  start two\n  match Never()\n`,
    [
      ["start", []],
      ["A", []],
      ["On", ["Lit"]],
      ["On", ["Lit"]],
    ],
  ],
  [
    "9",
    "a flow that activates itself ends with its other activators",
    `flow echo\n  activate echo\n  match On()\n  send Lit()\n\nflow session\n  activate echo\n  match Bye()\n\nflow main\n  start session\n  match Never()\n`,
    [
      ["start", []],
      ["On", ["Lit"]],
      ["On", ["Lit"]],
      ["Bye", []],
      ["On", []],
    ],
  ],
  [
    "9",
    "flows that activate each other end with their other activators",
    `flow one\n  activate two\n  match On()\n  send One()\n  match Never()\n\nflow two\n  activate one\n  match Off()\n  send Two()\n\nflow session\n  activate one\n  match Bye()\n\nflow main\n  start session\n  match Never()\n`,
    [
      ["start", []],
      ["On", ["One"]],
      ["Off", ["Two"]],
      ["Bye", []],
      ["On", []],
      ["Off", []],
    ],
  ],
  [
    "11",
    "an activation outlives the one who asked first while another needs it",
    `flow echo\n  activate echo\n  match On()\n  send Lit()\n\nflow session $n\n  activate echo\n  match Bye(n=$n)\n\nflow main\n  start session 1\n  start session 2\n  match Never()\n`,
    [
      ["start", []],
      ["Bye", []],
      ["On", ["Lit"]],
    ],
  ],
  [
    "engine",
    "active flows survive main",
    `@active\n${LAMP}\nflow main\n  match A()\n`,
    [
      ["start", []],
      ["A", []],
      ["On", ["Lit"]],
      ["On", ["Lit"]],
    ],
  ],
];

describe.each([
  ["in one go", false],
  ["stored and read again at every step", true],
])("activations, %s", (_, roundTrips) => {
  it.each(CASES)("rule %s: %s", (_rule, _title, source, steps) => {
    const driver = new Driver(source, { roundTrips });
    for (const [type, expected] of steps) {
      const sent = type === "start" ? driver.batch() : driver.batch({ type, n: 1 });
      expect([type, ...sent.map((event) => event.type)]).toEqual([type, ...expected]);
    }
  });
});

describe("variables that a request writes when it ends a flow", () => {
  it.each([
    ["StopFlow of an instance", "start", "StopFlow(flow_instance_uid=$s.flow.uid"],
    ["StopFlow of an instance of an activated flow", "activate", "StopFlow(flow_instance_uid=$s.flow.uid"],
    ["StopFlow by name", "start", 'StopFlow(flow_id="lamp"'],
    ["StopFlow of an activated flow by name", "activate", 'StopFlow(flow_id="lamp"'],
    ["StopFlow that deactivates", "activate", 'StopFlow(flow_id="lamp", deactivate=True'],
    ["StopFlow that deactivates what was started", "start", 'StopFlow(flow_id="lamp", deactivate=True'],
    ["FinishFlow that deactivates what was started", "start", 'FinishFlow(flow_id="lamp", deactivate=True'],
    ["FinishFlow of an instance", "start", "FinishFlow(flow_instance_uid=$s.flow.uid"],
    ["FinishFlow that deactivates", "activate", 'FinishFlow(flow_id="lamp", deactivate=True'],
  ])("%s", (_, operator, request) => {
    const driver = new Driver(`flow lamp
  $note = "old"
  match On()

flow watch
  global $s
  match FlowStarted(flow_id="lamp") as $s
  match Never()

flow main
  global $s
  start watch
  ${operator} lamp
  match A()
  send ${request}, context_update={"note": "new"})
  match FlowFailed(flow_id="lamp") or FlowFinished(flow_id="lamp")
  send Saw(note=$s.flow.note)
  match Never()
`);
    driver.batch();
    expect(driver.batch({ type: "A" })).toMatchObject([{ type: "Saw", note: "new" }]);
  });
});

describe("pauses", () => {
  interface Case {
    readonly title: string;
    readonly source: string;
    readonly events: readonly string[];
    /** Names of sent events, at the start and for each event. */
    readonly sent: readonly (readonly string[])[];
  }

  /** Pauses the worker at `Go` and resumes it at `Resume`. */
  const WARDEN = `
flow warden
  match Go()
  send PauseFlow(flow_id="worker")

flow main
  activate warden
  start worker
  match Resume()
  send ResumeFlow(flow_id="worker")
  match Never()
`;

  const CASES: readonly Case[] = [
    {
      title: "a flow paused at an action performs it after it was resumed",
      source: `flow worker
  match Go()
  send Done()
  match Never()
${WARDEN}`,
      events: ["Go", "Other", "Resume"],
      sent: [[], [], [], ["Done"]],
    },
    {
      title: "a flow paused at a merge continues after it was resumed",
      source: `flow worker
  match Go() or Never()
  send Done()
  match Never()
${WARDEN}`,
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
      title: "a resumed flow keeps separately paused flows paused",
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
});
