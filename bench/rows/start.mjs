import { dialog, tenRails } from "../configs.mjs";
import { InstantChatModel } from "../instant-model.mjs";

/** Loading in a warm process. */
async function warmLoad(library) {
  const { Guardrails } = await library.entry();
  const config = dialog(100);
  return { load: () => Guardrails.fromConfig(config) };
}

/** Loading of rails of the library. */
function loadRails(version) {
  return async (library) => {
    const { Guardrails } = await library.entry();
    const config = tenRails(version);
    const options = { llm: new InstantChatModel() };
    return { load: () => Guardrails.fromConfig({ config }, options) };
  };
}

const overCore = ({ guarded, core }) => guarded - core;

/** Starts of processes and of configurations. */
export const startRows = [
  {
    name: "first-answer",
    title: "fresh process to first answer, over LangChain core and a bare answer",
    conditions: "local, fresh process",
    unit: "ms",
    target: 70,
    value: overCore,
    fresh: { guarded: ["first-answer.mjs", "guarded", "cpu"], core: ["first-answer.mjs", "core", "cpu"] },
  },
  {
    name: "rss",
    title: "RSS after the first answer, over LangChain core and a bare answer",
    conditions: "local, fresh process",
    unit: "MiB",
    target: 15,
    value: overCore,
    fresh: { guarded: ["first-answer.mjs", "guarded", "rss"], core: ["first-answer.mjs", "core", "rss"] },
  },
  {
    name: "import",
    title: "import of the main entry, over the same modules of LangChain core",
    conditions: "fresh process",
    unit: "ms",
    value: overCore,
    fresh: { guarded: ["import.mjs", "main"], core: ["import.mjs", "core"] },
  },
  {
    name: "first-load",
    title: "first load of 100 flows in a process",
    conditions: "fresh process, modules imported",
    unit: "ms",
    target: 60,
    value: ({ load }) => load,
    fresh: { load: ["first-load.mjs", "load"] },
  },
  {
    name: "first-load-and-turn",
    title: "first load of 100 flows in a process, and a first turn",
    conditions: "fresh process, modules imported",
    unit: "ms",
    value: ({ load }) => load,
    fresh: { load: ["first-load.mjs", "answer"] },
  },
  {
    name: "warm-load",
    title: "load of 100 flows, warm",
    conditions: "same process",
    unit: "ms",
    target: 20,
    value: ({ load }) => load,
    open: warmLoad,
  },
  ...["1.0", "2.x"].map((version) => ({
    name: version === "1.0" ? "load-rails" : "load-rails-colang2",
    title: `Colang ${version === "1.0" ? "1" : "2"}: load of ten rails of the library, warm`,
    conditions: "same process",
    unit: "ms",
    target: 30,
    value: ({ load }) => load,
    open: loadRails(version),
  })),
];
