import { worstEvents } from "../worst-event.mjs";

const PAIRS = Array.from({ length: 20 }, (_, at) => `(A${at}() or B${at}())`).join(" and ");
const GROUPS = `flow main\n  match ${PAIRS}\n`;

const LISTENERS = `flow listen $id
  match E(id=$id)
  send Received(id=$id)

flow main
  $id = 0
  while $id < 1000
    activate listen $id
    $id += 1
  match Never()
`;

/** The compiler of Colang 2.x, from a text to a program with what it imports. */
async function compilerOf(library) {
  const { compileColang2 } = await library.internal("colang2/compile.js");
  const { resolveImports, standardModuleNames } = await library.internal("colang2/imports/imports.js");
  const { createSourceFile } = await library.internal("diagnostics/source-file.js");
  const everything = `${standardModuleNames()
    .map((name) => `import ${name}\n`)
    .join("")}flow main\n  pass\n`;
  return {
    everything,
    compile(text) {
      const sources = [createSourceFile("main.co", text)];
      const { program, diagnostics } = compileColang2(resolveImports({ sources }));
      if (program === undefined) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
      return program;
    },
  };
}

async function listeners(library) {
  const { compile } = await compilerOf(library);
  const { EngineConversation } = await library.internal("colang2/engine/conversation.js");
  const program = compile(LISTENERS);
  const begin = () => {
    const conversation = new EngineConversation(program);
    conversation.begin();
    return conversation;
  };
  return { begin, conversation: begin() };
}

/** The engine of Colang 2.x without the runtime around it. */
export const engineRows = [
  {
    name: "engine-event",
    title: "Colang 2 engine: event for 1 of 1,000 waiting flows",
    conditions: "engine alone",
    unit: "µs",
    value: ({ event }) => event * 1000,
    async open(library) {
      const { conversation } = await listeners(library);
      let count = 0;
      return { event: () => conversation.process({ type: "E", id: ((count += 1) * 7) % 1000 }) };
    },
  },
  {
    name: "engine-begin",
    title: "Colang 2 engine: begin with 1,000 flows",
    conditions: "engine alone",
    unit: "ms",
    value: ({ begin }) => begin,
    open: async (library) => ({ begin: (await listeners(library)).begin }),
  },
  {
    name: "engine-groups",
    title: "Colang 2: compile 20 alternatives of two",
    conditions: "warm",
    unit: "ms",
    value: ({ compile }) => compile,
    async open(library) {
      const { compile } = await compilerOf(library);
      return { compile: () => compile(GROUPS) };
    },
  },
  {
    name: "engine-library",
    title: "Colang 2: load the standard library",
    conditions: "warm",
    unit: "ms",
    value: ({ load }) => load,
    async open(library) {
      const { compile, everything } = await compilerOf(library);
      return { load: () => compile(everything) };
    },
  },
  {
    name: "engine-first-library",
    title: "Colang 2: load the standard library for the first time",
    conditions: "fresh process, modules imported",
    unit: "ms",
    value: ({ load }) => load,
    async once(library) {
      const { compile, everything } = await compilerOf(library);
      const start = process.cpuUsage();
      compile(everything);
      const { user, system } = process.cpuUsage(start);
      return { load: [(user + system) / 1000] };
    },
  },
  {
    name: "engine-worst-event",
    title: "Colang 2: the dearest event that the limits allow",
    conditions: "engine alone, every function and method of the language in a loop",
    unit: "ms",
    value: ({ dearest }) => dearest,
    processes: 1,
    once: async (library) => ({ dearest: [await worstEvents(library)] }),
  },
];
