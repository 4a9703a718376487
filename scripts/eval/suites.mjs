import { combineConfigs, Guardrails, loadConfig } from "../../dist/index.js";
import {
  createJudge,
  evaluateFactChecking,
  evaluateHallucination,
  evaluateMatcher,
  evaluateModeration,
  evaluateTopical,
  EvaluationDataError,
  loadFactChecking,
  loadHallucination,
  loadModeration,
  loadTopical,
  openDataFolder,
  takeExamples,
  topicalContent,
} from "../../dist/eval/index.js";

/** Where the data sets lie in a folder that holds them all. */
const TOPICAL = ["banking77", "chitchat", "clinc150"];
const FOLDERS = { moderation: "moderation", "fact-checking": "factcheck", hallucination: "hallucination" };
const FILES = ["dev.jsonl", "all.jsonl", "false-premise.jsonl"];

/** What can be evaluated, by name; every suite gives a list of results. */
export const SUITES = {
  topical: runTopical,
  moderation: async (options) => {
    const { data, guardrails, judge, name } = await prepare("moderation", options, true);
    const samples = await loadModeration(data);
    return [
      await evaluateModeration(samples, guardrails, { ...options, dataset: lastPart(data.name), system: name, judge }),
    ];
  },
  "fact-checking": async (options) => {
    const { data, guardrails, name } = await prepare("fact-checking", options, false);
    const samples = await loadFactChecking(data);
    return [
      await evaluateFactChecking(samples, guardrails, { ...options, dataset: lastPart(data.name), system: name }),
    ];
  },
  hallucination: async (options) => {
    const { data, guardrails, judge, name } = await prepare("hallucination", options, true);
    const questions = await loadHallucination(data);
    const described = { ...options, dataset: lastPart(data.name), system: name, judge };
    return [await evaluateHallucination(questions, guardrails, described)];
  },
};

async function runTopical(options) {
  const base = options.config === undefined ? undefined : await loadConfig(options.config);
  const results = [];
  for (const folder of await topicalFolders(options.data)) {
    const dataset = await loadTopical(folder, { seed: options.seed });
    for (const k of options.k) {
      const described = { ...options, examplesPerIntent: k };
      if (base === undefined) {
        results.push(await evaluateMatcher(dataset, described));
        continue;
      }
      const guardrails = await topicalGuardrails(base, takeExamples(dataset.examples, k), options);
      const sim = options.similarity === undefined ? "" : `, sim=${options.similarity}`;
      results.push(await evaluateTopical(dataset, guardrails, { ...described, name: `${modelName(base)}${sim}` }));
    }
  }
  return results;
}

/** The configuration brings models, flows and messages; the examples come from the data. */
async function topicalGuardrails(base, examples, { similarity }) {
  const content = topicalContent(examples);
  const settings =
    similarity === undefined
      ? {}
      : { config: { rails: { dialog: { user_messages: { match_threshold: similarity } } } } };
  const joined = await combineConfigs(base, await loadConfig({ ...content, ...settings }));
  return Guardrails.fromConfig(joined);
}

async function prepare(suite, options, needsJudge) {
  const data = await dataFolder(options.data, FOLDERS[suite]);
  if (options.config === undefined) {
    throw Object.assign(new Error(`${suite} needs a model: name a configuration with --config DIR`), { code: "usage" });
  }
  const config = await loadConfig(options.config);
  const guardrails = await Guardrails.fromConfig(config);
  const judge = needsJudge ? await createJudge({ config }) : undefined;
  return { data, guardrails, judge, name: modelName(config) };
}

/** The folder itself when it is a data set, else the one inside that has this name. */
async function dataFolder(path, name) {
  const folder = openDataFolder(path);
  return (await isDataset(folder)) ? folder : folder.folder(name);
}

async function topicalFolders(path) {
  const folder = openDataFolder(path);
  if (await isDataset(folder)) return [folder];
  const inside = TOPICAL.map((name) => folder.folder(name));
  const found = await Promise.all(inside.map(isDataset));
  if (found.some(Boolean)) return inside.filter((_, index) => found[index]);
  // Says what is missing, and where.
  await loadTopical(folder.folder(TOPICAL[0]), { seed: 0 });
  throw new EvaluationDataError([]);
}

async function isDataset(folder) {
  for (const file of FILES) if ((await folder.read(file)) !== undefined) return true;
  return false;
}

function modelName(config) {
  const main = config.settings.models.find(({ type }) => type === "main");
  return main?.model ?? main?.engine ?? "model";
}

function lastPart(path) {
  return path.split(/[/\\]/).at(-1) ?? path;
}
