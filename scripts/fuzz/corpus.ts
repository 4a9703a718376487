import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The sources of the golden cases: the text between a title and `==>`. */
function readGoldenSources(dialect: string): readonly string[] {
  const root = fileURLToPath(new URL(`../../__tests__/golden/${dialect}/`, import.meta.url));
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".txt"));
  return files.sort().flatMap((name) => sourcesOf(readFileSync(`${root}${name}`, "utf8")));
}

function sourcesOf(golden: string): readonly string[] {
  const parts = golden.replaceAll(/[«»]/g, "").split(/^==>$/m).slice(0, -1);
  return parts.map((part) => part.replace(/^[^]*?^# .*$/m, "").trim());
}

const EXPRESSIONS = [
  "1 + 2 * -3 ** 2 // 4 % 5",
  '$x == "a" and not ($y in [1, 2, "b"]) or None',
  '$x.items[0]["key"][1:-1:2].lower().split(" ", maxsplit=2)',
  "1 if $x > 0 else {'a': [1, {\"b\": None}], 'c': (1, 2)}",
  "f\"{$x} and {{braces}} {$y['k'] + 1}\" 'more' r\"\\d\"",
  '"%s is %d" % ($x, 3)',
  "len($y) < 3 <= 4 != 5 is not None",
  "~1 << 2 >> 3 & 4 | 5 ^ 6",
];

const SETTINGS = [
  "models:\n  - type: main\n    engine: openai\n    model: gpt-4o-mini\n    parameters: { temperature: 0.2 }\n",
  "rails:\n  input:\n    flows:\n      - self check input\n  output: { flows: [self check output], parallel: true }\n",
  'instructions:\n  - type: general\n    content: |\n      Be kind.\n      Be brief.\nsample_conversation: "user hi"\n',
  'prompts:\n  - task: self_check_input\n    content: "Is {{ user_input }} fine?"\n    max_tokens: 3\n',
  'a: &x [1, 2]\nb: *x\nc: { <<: { d: 1 } }\n? complex\n: "value"\n--- # another\n',
];

/** Valid texts, which are changed at random. */
export const CORPORA: Readonly<Record<"parser" | "colang2" | "expressions" | "config", readonly string[]>> = {
  parser: readGoldenSources("colang1"),
  colang2: readGoldenSources("colang2"),
  expressions: EXPRESSIONS,
  config: SETTINGS,
};
