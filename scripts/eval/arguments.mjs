import { parseArgs } from "node:util";

export const USAGE = `usage: npm run eval -- SUITE [options]

suites
  topical         user intents, next steps and messages
  moderation      harmful and helpful requests, with and without rails
  fact-checking   grounded and ungrounded answers
  hallucination   questions with a false premise
  detectors       detectors that need no model, on data and generated texts

options
  --data DIR         folder with the data sets, or one data set; LANGCHAIN_GUARDRAILS_EVAL_DATA, else ../shared/data
  --config DIR       configuration with models and rails; topical runs on the embedded matcher without one
  --k N|all          examples of each intent, also several: --k all,3,1 (default)
  --similarity T     takes a made-up intent for the known one that is at least so near (topical with --config)
  --limit N          at most N samples, drawn by seed and balanced; detectors: so many generated values (500)
  --seed N           for samples, splits and confidence intervals (42)
  --concurrency N    samples at once (4)
  --json FILE        writes all figures and predictions
  --html FILE        writes a page with tables and charts
  --markdown FILE    replaces the tables between the lines <!-- figures:start --> and <!-- figures:end -->
  --check            exit code 1 when a detector misses a bar`;

const OPTIONS = {
  data: { type: "string" },
  config: { type: "string" },
  k: { type: "string", default: "all,3,1" },
  similarity: { type: "string" },
  limit: { type: "string" },
  seed: { type: "string", default: "42" },
  concurrency: { type: "string", default: "4" },
  json: { type: "string" },
  html: { type: "string" },
  markdown: { type: "string" },
  check: { type: "boolean", default: false },
  help: { type: "boolean", short: "h" },
};

/** The command line as options, or `{ problem }`. */
export function readArguments(argv, suites) {
  let parsed;
  try {
    parsed = parseArgs({ args: argv, options: OPTIONS, allowPositionals: true });
  } catch (error) {
    return { problem: error.message };
  }
  const { values, positionals } = parsed;
  if (values.help) return { help: true };
  const [suite, ...rest] = positionals;
  if (suite === undefined || !suites.includes(suite) || rest.length > 0) {
    return { problem: `name one suite: ${suites.join(", ")}` };
  }
  try {
    return {
      suite,
      data: values.data ?? process.env.LANGCHAIN_GUARDRAILS_EVAL_DATA ?? "../shared/data",
      config: values.config,
      k: values.k.split(",").map((k) => (k === "all" ? k : wholeNumber("--k", k))),
      seed: wholeNumber("--seed", values.seed, 0),
      concurrency: wholeNumber("--concurrency", values.concurrency),
      json: values.json,
      html: values.html,
      markdown: values.markdown,
      check: values.check,
      ...(values.limit === undefined ? {} : { limit: wholeNumber("--limit", values.limit) }),
      ...(values.similarity === undefined ? {} : { similarity: share("--similarity", values.similarity) }),
    };
  } catch (error) {
    return { problem: error.message };
  }
}

function wholeNumber(name, text, minimum = 1) {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= minimum) return value;
  throw new Error(`${name} is a whole number from ${minimum}, not \`${text}\``);
}

function share(name, text) {
  const value = Number(text);
  if (text.trim() !== "" && value >= 0 && value <= 1) return value;
  throw new Error(`${name} is a number from 0 to 1, not \`${text}\``);
}
