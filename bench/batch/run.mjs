// One run over a file, in a separate process: `run.mjs INPUT OUTPUT error|resume|replace`. Sends its figures to the
// parent.
import { libraryAt } from "../harness/library.mjs";

const [input, output, existing] = process.argv.slice(2);
const library = libraryAt();
const { Guardrails } = await library.entry();
const { moderateFile } = await library.entry("./batch");
const guardrails = await Guardrails.preset("local");
/** Resident memory in MiB, once in ten thousand rows. */
const memory = [];
const onProgress = ({ rows }) => {
  if (rows % 10_000 === 0) memory.push(process.memoryUsage.rss() / 1_048_576);
};
const before = process.cpuUsage();
const begun = performance.now();
const summary = await moderateFile(guardrails, input, output, { existing, onProgress });
const seconds = (performance.now() - begun) / 1000;
const { user, system } = process.cpuUsage(before);
process.send({ summary, seconds, cpuSeconds: (user + system) / 1_000_000, memory });
process.disconnect();
