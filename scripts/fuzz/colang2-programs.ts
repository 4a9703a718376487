import type { Random } from "./random.js";

const FLOWS = ["fa", "fb", "fc", "fd", "fe"] as const;
const DECORATORS = [
  "@active",
  '@loop("NEW")',
  '@loop("side", priority=2)',
  "@interruptible",
  "@meta(user_intent=True)",
];
const VALUES = ["1", "2", '"a"', "[1, 2]", "{1, 2}", '{"k": [1]}', "None", "True", "$x", "$p", "$self", 'regex("^a")'];
const EVENTS = ["E1()", "E2()", "E3(n=1)", "E3(n=$p)", "E3(n=$x)", "E4(n=less_than(3))", "UnhandledEvent()", "Never()"];
const WAITS = [
  ...EVENTS,
  'FlowFinished(flow_id="fa")',
  "FlowStarted()",
  'FlowFailed(flow_id=regex("f[ab]"))',
  'StartFlow(flow_id="fb")',
  "ColangError()",
  "LampAction.Finished()",
  "LampAction(n=1).Started()",
  "fa.Finished()",
  "(fb 1).Failed()",
  "not E1()",
];
const SENDS = [
  "S1()",
  "S2(n=$x)",
  "S3(list=[$p, $x])",
  "E1()",
  'StopFlow(flow_id="fa")',
  'FinishFlow(flow_id="fb", return_value=[1])',
  'PauseFlow(flow_id="fc")',
  'ResumeFlow(flow_id="fc")',
  'PauseFlow(flow_id=regex("f"))',
  'ResumeFlow(flow_id=regex("f"))',
  'StopFlow(flow_id="fd", deactivate=True)',
  'StartFlow(flow_id="fe", p=3)',
  "$r.Stop()",
  "$r.Start()",
  "LampAction(n=2).Start()",
];
const SIMPLE = [
  "$x = 1",
  "$x = [$x]",
  "$x = $p",
  "$x += 1",
  "$g = $x",
  "global $g",
  "$x = $g",
  "($x.append(1))",
  "$x = rand()",
  "priority 0.5",
  "start_new_flow_instance:",
  "pass",
  "log $x",
  "stop $r",
  "stop fa",
  "stop LampAction()",
  "deactivate fb",
  "return $x",
  "abort",
];

/** A program that usually compiles and does unusual things. */
export function generateProgram(random: Random): string {
  const flows = FLOWS.map((name) => flowText(random, name));
  return `flow main\n${block(random, 2, 4)}\n${flows.join("\n")}`;
}

function flowText(random: Random, name: string): string {
  const decorator = random.below(3) === 0 ? `${random.pick(DECORATORS)}\n` : "";
  return `${decorator}flow ${name} $p=1 -> $r\n${block(random, 2, 5)}\n`;
}

function block(random: Random, indent: number, size: number): string {
  const count = 1 + random.below(size);
  return Array.from({ length: count }, () => statement(random, indent)).join("\n");
}

function statement(random: Random, indent: number): string {
  const pad = " ".repeat(indent);
  const inner = (): string => block(random, indent + 2, 2);
  switch (random.below(indent > 6 ? 8 : 11)) {
    case 0:
    case 1:
      return `${pad}match ${group(random, () => random.pick(WAITS))}${random.below(4) === 0 ? "" : ""}`;
    case 2:
      return `${pad}send ${group(random, () => random.pick(SENDS))}`;
    case 3:
      return `${pad}start ${group(random, () => callee(random))}`;
    case 4:
      return `${pad}await ${group(random, () => callee(random))}`;
    case 5:
      return `${pad}activate ${callee(random, false)}`;
    case 6:
      return `${pad}start ${callee(random)} as $r`;
    case 7:
      return `${pad}${random.pick(SIMPLE)}`;
    case 8: {
      const otherwise = random.below(2) === 0 ? `\n${pad}else\n${inner()}` : "";
      const cases = `${pad}when ${whenCase(random)}\n${inner()}\n${pad}or when ${whenCase(random)}\n${inner()}`;
      return `${cases}${otherwise}`;
    }
    case 9:
      return `${pad}while ${random.pick(["True", "$x", "flow_running('fa')"])}\n${inner()}`;
    default:
      return `${pad}if ${random.pick(["$x == 1", "$p", "flow_running('fb')", "rand() < 0.5"])}\n${inner()}\n${pad}else\n${inner()}`;
  }
}

function whenCase(random: Random): string {
  return group(random, () => (random.below(2) === 0 ? callee(random) : random.pick(EVENTS)));
}

function group(random: Random, atom: () => string): string {
  switch (random.below(6)) {
    case 0:
      return `${atom()} and ${atom()}`;
    case 1:
      return `${atom()} or ${atom()}`;
    case 2:
      return `(${atom()} or ${atom()}) and ${atom()}`;
    default:
      return atom();
  }
}

function callee(random: Random, mayAct = true): string {
  if (mayAct && random.below(3) === 0) return `LampAction(n=${1 + random.below(2)})`;
  return `${random.pick(FLOWS)}${random.below(2) === 0 ? "" : ` ${random.pick(VALUES)}`}`;
}
