// Programs of Colang 2.x whose events cost as much as the limits allow.
/** A loop that repeats one operation until the limit of the event. */
const loop = (statement) => `flow main\n  match Go() as $e\n  $i = 0\n  while True\n    ${statement}\n    $i += 1\n`;

const many = (count, body) =>
  `${body}\nflow main\n  $n = 0\n  while $n < ${count}\n    activate one $n\n    $n += 1\n  match Never()\n`;

/** Programs that do as much as one event allows, each in another way. */
const PROGRAMS = {
  instructions: loop("pass"),
  assignments: loop('$x = "a" + str($i)'),
  "texts that grow": loop("$x = $e.text + str($i)"),
  "a dictionary that grows": `flow main\n  match Go()\n  $d = {}\n  $i = 0\n  while True\n    $d[str($i)] = [$i]\n    $i += 1\n`,
  "copies in events": `flow main\n  match Go() as $e\n  while True\n    send Out(list=$e.list)\n`,
  "patterns that are made": loop('$x = regex("(a|b){1,50}{$i}x")'),
  searches: loop('$x = search("(a?){{0,40}}a{{20}}$", $e.text)'),
  "many matches": loop('$x = find_all("a", $e.text)'),
  "texts of values": loop("$x = str($e.list)"),
  "flows that start flows": "flow a\n  b\n\nflow b\n  a\n\nflow main\n  match Go()\n  a\n",
  "events in a circle": many(
    50,
    'flow one $n\n  match Go()\n  while True\n    send FinishFlow(flow_id=regex("x{$n}"))\n    match FlowFailed()\n',
  ),
  "many flows that hear an event": many(3000, "flow one $n\n  match Go(list=[$n, 1])\n  send Out(n=$n)\n"),
  "many flows that hear a global": many(
    3000,
    "flow one $n\n  global $g\n  match Go(n=$g)\n\nflow two\n  global $g\n  match Go()\n  while True\n    $g = $n\n",
  ),
  "many flows that end": many(3000, "flow one $n\n  match Go()\n\nflow two $n\n  match FlowFinished(n=$n)\n"),
  "flows that are looked at": many(2000, "flow one $n\n  match Go()\n  while True\n    $x = flows_info()\n"),
  "activations that are compared": many(
    1,
    "flow one $n\n  match Go() as $e\n  $i = 0\n  while True\n    activate two [$e.list, $i]\n    $i += 1\n\nflow two $x\n  match Never()\n",
  ),
};

/** Every method of the language in a loop, on values as large as one event may contain. */
function methodPrograms({ methods }) {
  const subjects = { string: "$e.text", list: "$e.list", map: "$e.map", set: "set($e.list)" };
  const rows = Object.entries(subjects).flatMap(([type, subject]) =>
    [...methods[type].values()].map(({ name, minimum }) => {
      const given = ["$e.text", "$e.list", "$e.map", "1"].map((value) => Array.from({ length: minimum }, () => value));
      return given
        .slice(0, minimum === 0 ? 1 : 4)
        .map((values, at) => [
          `${type}.${name}${at === 0 ? "" : ` ${at + 1}`}`,
          loop(`$x = $s.${name}(${values.join(", ")})`).replace("$i = 0", `$s = ${subject}\n  $i = 0`),
        ]);
    }),
  );
  return Object.fromEntries(rows.flat());
}

function functionPrograms({ functions }) {
  const rows = [...functions.values()].flatMap(({ name, minimum }) =>
    ["$e.text", "$e.list", "$e.map"].map((value, at) => [
      `${name}() ${at + 1}`,
      loop(`$x = ${name}(${Array.from({ length: Math.max(1, minimum) }, () => value).join(", ")})`),
    ]),
  );
  return Object.fromEntries(rows);
}

const EVENT = {
  type: "Go",
  n: 1,
  text: "ab A1 ".repeat(10_000),
  list: Array.from({ length: 20_000 }, (_, at) => (at % 3 === 0 ? `t${at}` : at)),
  map: Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`k${at}`, at])),
};

/** Processor time of the event, in milliseconds: the minimum of three, because other work only makes it slower. */
function costOf({ compileColang2, resolveImports, createSourceFile, EngineConversation }, text) {
  const { program, diagnostics } = compileColang2(resolveImports({ sources: [createSourceFile("main.co", text)] }));
  if (program === undefined) throw new Error(`${diagnostics.map(({ message }) => message).join("\n")}\n${text}`);
  let least = Number.POSITIVE_INFINITY;
  for (let sample = 0; sample < 3; sample += 1) {
    const conversation = new EngineConversation(program);
    conversation.begin();
    const start = process.cpuUsage();
    conversation.process(EVENT);
    const { user, system } = process.cpuUsage(start);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

/** Processor time of the most expensive event that the limits of Colang 2.x allow. */
export async function worstEvents(library) {
  const { COLANG_2_DIALECT } = await library.internal("colang2/expression-dialect.js");
  const engine = {
    ...(await library.internal("colang2/compile.js")),
    ...(await library.internal("colang2/imports/imports.js")),
    ...(await library.internal("diagnostics/source-file.js")),
    ...(await library.internal("colang2/engine/conversation.js")),
  };
  const programs = { ...PROGRAMS, ...methodPrograms(COLANG_2_DIALECT), ...functionPrograms(COLANG_2_DIALECT) };
  const costs = Object.entries(programs).map(([name, text]) => ({ name, cost: costOf(engine, text) }));
  costs.sort((left, right) => right.cost - left.cost);
  for (const { name, cost } of costs.slice(0, 3)) console.error(`  ${name}: ${cost.toFixed(0)} ms`);
  return costs[0].cost;
}
