import type { PlaygroundStart, PlaygroundTurn, SharedConversation } from "../../../src/server/playground/wire.js";

/** Texts with an effect if one of them became markup, a script, a style or a URL. */
export const HOSTILE_TEXTS: readonly string[] = [
  "<script>pwned=1</script>",
  "</script><script>pwned=1</script>",
  "<img src=x onerror=pwned=1>",
  "<svg onload=pwned=1>",
  '"><iframe src="javascript:parent.pwned=1"></iframe>',
  "' onmouseover='pwned=1",
  '" autofocus onfocus="pwned=1',
  "<style>*{display:none}</style>",
  "<a href=javascript:pwned=1>x</a>",
  "javascript:pwned=1",
  "<!-- --!><img src=x onerror=pwned=1>",
  "<template><img src=x onerror=pwned=1></template>",
  "</title></style></textarea></pre><img src=x onerror=pwned=1>",
  "&lt;img src=x onerror=pwned=1&gt;",
  "{{constructor.constructor('pwned=1')()}}${pwned=1}",
  "\u2028</script>\u0000<img src=x onerror=pwned=1>",
  "__proto__",
  "constructor",
];

/** A turn with the text in each of its fields. */
export function hostileTurn(text: string, files: readonly string[]): PlaygroundTurn {
  return {
    user: text,
    reply: text,
    blocked: true,
    rail: text,
    stage: text,
    durationMs: 1,
    spans: ["rail", "action", "model", text].map((kind, at) => ({
      id: `${text}${at}`,
      kind,
      name: text,
      status: at === 0 ? "blocked" : text,
      startMs: 0,
      durationMs: 1,
      stage: text,
      task: text,
      model: text,
      inputTokens: 1,
      outputTokens: 1,
      reason: text,
      score: 1,
      categories: [text],
      error: text,
      content: { input: text, prompt: text, completion: text, [`param.${text}`]: text, [text]: text },
    })),
    steps: ["took", "failed", text].map((kind) => ({ kind, flow: text, text, file: files[0] ?? text, line: 1 })),
    flows: [
      { flow: text, outcome: text, reasons: [text] },
      { flow: `${text}2`, outcome: "unseen", reasons: [text] },
    ],
    problems: [text],
    script: { reply: [text], models: { [text]: [text] } },
  };
}

/** Names of files have the extensions of coloured files. */
const pathsOf = (text: string): readonly string[] => [`${text}.co`, `${text}.yml`, `${text}.md`, text];

export function hostileStart(text: string): PlaygroundStart {
  const files = pathsOf(text).map((path) => ({ path, text: `${text}\n${text}: "${text}" # ${text}` }));
  return { unreviewed: true, configs: [{ id: text, files }] };
}

export function hostileConversation(text: string): SharedConversation {
  const files = hostileStart(text).configs[0]?.files ?? [];
  return { title: text, turns: [hostileTurn(text, pathsOf(text))], files };
}
