import { type Arbitrary, array, constantFrom, letrec, option, record, tuple } from "fast-check";

/** Small random programs over everything that waits, starts, ends and decides; they compile and shrink well. */

const FLOWS = ["fa", "fb", "fc"] as const;

const flow = constantFrom(...FLOWS);
const value = constantFrom("1", "2", "$p", "$x", "None");
const callee = tuple(flow, option(value)).map(([name, given]) => (given === null ? name : `${name} ${given}`));
const event = constantFrom("A()", "B()", "A(n=1)", "A(n=$p)", "B(n=less_than(2))");
const watched = constantFrom(
  'FlowFinished(flow_id="fa")',
  'FlowFailed(flow_id=regex("f[bc]"))',
  "FlowStarted()",
  "UnhandledEvent()",
  "ColangError()",
  "fa.Finished()",
  "(fb 1).Failed()",
  "LampAction.Finished()",
);
const action = constantFrom("LampAction(n=1)", "LampAction(n=2)", "DoorAction()");

function group(atom: Arbitrary<string>): Arbitrary<string> {
  const two = tuple(atom, constantFrom("and", "or"), atom).map((parts) => parts.join(" "));
  const three = tuple(atom, atom, atom, constantFrom(["or", "and"], ["and", "or"])).map(
    ([a, b, c, [inner, outer]]) => `(${a} ${inner} ${b}) ${outer} ${c}`,
  );
  return constantFrom(0, 0, 0, 1, 1, 2).chain((kind) => (kind === 0 ? atom : kind === 1 ? two : three));
}

const waitAtom = constantFrom(0, 0, 0, 1, 2).chain((kind) =>
  kind === 0 ? event : kind === 1 ? watched : event.map((one) => `not ${one}`),
);
const startAtom = constantFrom(0, 0, 1).chain((kind) => (kind === 0 ? callee : action));
const caseAtom = constantFrom(0, 0, 1, 2).chain((kind) => (kind === 0 ? event : kind === 1 ? callee : action));

const simple = constantFrom(
  "pass",
  "return $p",
  "abort",
  "$x = 1",
  "$x = [$x, $p]",
  "global $g",
  "$g = $p",
  "send Out(n=$p)",
  "send A(n=1)",
  'send StopFlow(flow_id="fa")',
  'send FinishFlow(flow_id="fb", return_value=1)',
  'send PauseFlow(flow_id=regex("f"))',
  'send ResumeFlow(flow_id=regex("f"))',
  "stop fb",
  "deactivate fa",
  "stop LampAction()",
  "start_new_flow_instance:",
  "priority 0.5",
  "$x = $nothing.member",
);

const indent = (text: string): string => text.replace(/^/gm, "  ");

const { block } = letrec<{ block: string; statement: string }>((tie) => ({
  block: array(tie("statement"), { minLength: 1, maxLength: 4 }).map((lines) => lines.join("\n")),
  statement: constantFrom(0, 0, 1, 1, 2, 2, 3, 4, 4, 5, 6, 7).chain((kind) => {
    switch (kind) {
      case 0:
        return group(waitAtom).map((one) => `match ${one}`);
      case 1:
        return group(startAtom).map((one) => `start ${one}`);
      case 2:
        return group(startAtom).map((one) => `await ${one}`);
      case 3:
        return callee.map((one) => `activate ${one}`);
      case 5:
        return tie("block").map((body) => `while True\n${indent(body)}`);
      case 6:
        return record({
          first: group(caseAtom),
          second: group(caseAtom),
          body: tie("block"),
          other: option(tie("block")),
        }).map(
          ({ first, second, body, other }) =>
            `when ${first}\n${indent(body)}\nor when ${second}\n  pass${other === null ? "" : `\nelse\n${indent(other)}`}`,
        );
      case 7:
        return tuple(constantFrom("$x", "$p", "$g"), tie("block")).map(([test, body]) => `if ${test}\n${indent(body)}`);
      default:
        return simple;
    }
  }),
}));

const decorator = constantFrom("", "", "", "@active\n", '@loop("NEW")\n', '@loop("side", 2)\n', "@interruptible\n");

/** The source of a program. */
export const program: Arbitrary<string> = tuple(block, ...FLOWS.map(() => tuple(decorator, block))).map(
  ([main, ...flows]) => {
    const texts = flows.map(([tag, body], at) => `${tag}flow ${FLOWS[at]} $p=0 -> $r\n${indent(body)}\n`);
    return `flow main\n${indent(main)}\n\n${texts.join("\n")}`;
  },
);

/** Events from outside; `action` events refer to started actions, counted from the first. */
export type Happening =
  | { readonly kind: "event"; readonly type: string; readonly n: number }
  | { readonly kind: "action"; readonly member: string; readonly at: number }
  | { readonly kind: "begin" };

export const happenings: Arbitrary<readonly Happening[]> = array(
  constantFrom(0, 0, 0, 0, 1, 1, 2).chain<Happening>((kind) =>
    kind === 0
      ? tuple(constantFrom("A", "B", "Other"), constantFrom(0, 1, 2)).map(([type, n]) => ({ kind: "event", type, n }))
      : kind === 1
        ? tuple(constantFrom("Started", "Finished", "LevelUpdated"), constantFrom(0, 1, 2)).map(([member, at]) => ({
            kind: "action",
            member,
            at,
          }))
        : constantFrom<Happening>({ kind: "begin" }),
  ),
  { minLength: 1, maxLength: 8 },
);
