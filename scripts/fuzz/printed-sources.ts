import type { Random } from "./random.js";

/*
 * Sources made from the grammars of both languages, with key words as names, and unusual texts and numbers that a
 * printer has to distinguish. Many of them have errors; those that have none are printed and read again.
 */

type Chooser = Pick<Random, "below" | "pick">;

function choose(random: Chooser, makers: readonly (() => string)[]): () => string {
  return makers[random.below(makers.length)] ?? (() => "");
}

/** Words that mean something in some place, and words that never do. */
const WORDS =
  "a b greet user bot said say not and or as in is if elif else when while for break continue pass return abort stop start await match send activate deactivate global log print priority flow import True False None true false null any event execute do define create label goto check with meta set action says said... hello world x1 _y é dänk".split(
    " ",
  );
const EVENTS = ["E", "Ev1", "UtteranceUserAction", "LampAction", "Finished", "FlowFinished", "True", "None", "Not"];
const MEMBERS = [
  "Finished",
  "Started",
  "Start",
  "Stop",
  "Failed",
  "Finish",
  "Updated",
  "x",
  "not",
  "in",
  "text",
  "True",
];
const NUMBERS = [
  "0",
  "1",
  "-1",
  "- 1",
  "+1",
  "2.5",
  ".5",
  "1.",
  "1e3",
  "1e-7",
  "1e21",
  "0x1f",
  "0b11",
  "1_000",
  "9007199254740993",
  "123456789012345678901234567890",
  "5e-324",
  "1e308",
];
const TEXTS = [
  "",
  "a",
  "it's",
  '\\"q\\"',
  "\\\\",
  "\\n",
  "\\t",
  "\\r",
  "\\x41",
  "\\u2028",
  "\u2028",
  "\u0085",
  "\\0",
  "\\",
  "{{",
  "}}",
  "{{x}}",
  "{$x}",
  "{ $x }",
  "{$x['k']}",
  "{$x!r}",
  "{$x:>3}",
  "{len($x)}",
  "{1}",
  "{'a'}",
  "#no comment",
  "...",
  ":",
  " or ",
  " and ",
  "\u00a0",
  "\ufeff",
  "😀",
  "\\N",
  "$x",
  "'''",
  "{$x if $y else 'z'}",
  "\\{",
  "{{{$x}}}",
];

class SourceMaker {
  readonly #random: Chooser;

  constructor(random: Chooser) {
    this.#random = random;
  }

  word(): string {
    return this.#random.pick(WORDS);
  }

  name(most = 3): string {
    return Array.from({ length: 1 + this.#random.below(most) }, () => this.word()).join(" ");
  }

  event(): string {
    return this.#random.pick(EVENTS);
  }

  member(): string {
    return this.#random.pick(MEMBERS);
  }

  text(): string {
    const random = this.#random;
    const parts = Array.from({ length: random.below(4) }, () => random.pick(TEXTS)).join(random.pick(["", " "]));
    const quote = random.pick(['"', "'", '"""', "'''"]);
    return `${random.pick(["", "", "", "", "f", "r"])}${quote}${parts}${quote}`;
  }

  variable(): string {
    return `$${this.word()}`;
  }

  expression(depth = 2): string {
    const random = this.#random;
    const inner = (): string => this.expression(depth - 1);
    if (depth <= 0)
      return random.pick([
        this.variable(),
        random.pick(NUMBERS),
        this.text(),
        random.pick(["True", "None", "[]", "{}", "()"]),
      ]);
    switch (random.below(13)) {
      case 0:
        return `(${inner()})`;
      case 1:
        return `${inner()} ${random.pick("+ - * / // % ** & | ^ << >> and or == != < <= > >= in is @".split(" "))} ${inner()}`;
      case 2:
        return `not ${inner()}`;
      case 3:
        return `${random.pick(["-", "+", "~"])}${inner()}`;
      case 4:
        return `[${inner()}, ${inner()}]`;
      case 5:
        return `{${inner()}: ${inner()}, **${inner()}}`;
      case 6:
        return `{${inner()}, ${inner()}}`;
      case 7:
        return `${inner()}.${this.word()}`;
      case 8:
        return `${inner()}[${inner()}]`;
      case 9:
        return `${inner()}[${random.pick(["", "1"])}:${inner()}:]`;
      case 10:
        return `${random.pick(["len", "str", "regex", "search", "repr", "format", "set"])}(${inner()}${random.pick(["", `, ${inner()}`, `, x=${inner()}`, `, *${inner()}`])})`;
      case 11:
        return `${inner()}.${random.pick(["lower", "split", "get", "append", "count"])}(${random.pick(["", inner()])})`;
      default:
        return `${inner()} if ${inner()} else ${inner()}`;
    }
  }

  given(): string {
    const random = this.#random;
    const one = (): string =>
      random.pick([
        this.expression(1),
        `${this.word()}=${this.expression(1)}`,
        `$${this.word()}=${this.expression(1)}`,
        `...${this.text()}`,
        `${this.word()}=...${this.text()}`,
        `*${this.variable()}`,
        `**${this.variable()}`,
      ]);
    return Array.from({ length: random.below(3) }, one).join(", ");
  }

  comment(): string {
    return this.#random.pick(["", "", "", "", "  # note", "  #", "  # a \\ b", "  # meta: x"]);
  }
}

/** One flow of Colang 2.x. */
export function colang2Text(random: Chooser): string {
  const make = new SourceMaker(random);
  const callee = (): string =>
    random.pick([
      make.name(),
      `${make.name()} ${make.expression(0)}`,
      `${make.name()} $${make.word()}=${make.expression(0)}`,
      `${make.name()} (${make.expression(1)})`,
      `${make.name()}(${make.given()})`,
      `${make.event()}(${make.given()})`,
      `${make.event()}(${make.given()}).${make.member()}(${make.given()})`,
      `(${make.name()}).${make.member()}()`,
      `(${make.name()} ${make.expression(0)}).${make.member()}(${make.given()})`,
      `${make.variable()}.${make.member()}(${make.given()})`,
      `${make.variable()}`,
      `${make.variable()}.${make.word()}.${make.member()}()`,
      `${make.variable()}(${make.given()})`,
      make.event(),
      `${make.name()}.${make.member()}()`,
      `${make.name()} ${make.variable()}.${make.member()}`,
    ]);
  const spec = (): string => callee() + random.pick(["", "", "", ` as ${make.variable()}`]);
  const group = (depth = 2): string =>
    depth === 0
      ? spec()
      : choose(random, [
          spec,
          spec,
          () => `(${group(depth - 1)})`,
          () => `${group(depth - 1)} and ${group(depth - 1)}`,
          () => `${group(depth - 1)} or ${group(depth - 1)}`,
          () => `not ${group(depth - 1)}`,
        ])();
  const target = (): string =>
    make.variable() +
    random.pick(["", "", `.${make.word()}`, `[${make.expression(1)}]`, `.${make.word()}[${make.text()}]`]);
  const statement = (indent: string, depth: number): string => {
    const inner = (): string => statement(`${indent}  `, depth - 1);
    const line = (text: string): string => `${indent}${text}${make.comment()}`;
    const simple = [
      () => line(group()),
      () => line(`${random.pick(["match", "send", "await", "start", "stop", "activate", "deactivate"])} ${group()}`),
      () => line(`${target()} = ${random.pick(["", "await ", "start ", "match ", "send "])}${group(1)}`),
      () => line(`${target()} ${random.pick(["=", "+=", "-="])} ${make.expression()}`),
      () => line(`${target()} = ...${make.text()}`),
      () => line("..."),
      () => line(`return ${make.expression()}`),
      () => line(`(${make.expression()})`),
      () => line(make.text()),
      () => line(`${random.pick(["log", "print", "priority"])} ${make.expression()}`),
      () => line(`global ${make.variable()}, ${make.variable()}`),
      () => line(`${make.word()}:`),
      () => line(random.pick(["pass", "abort", "break", "continue", "return"])),
    ];
    if (depth <= 0 || random.below(3) > 0) return choose(random, simple)();
    return choose(random, [
      () =>
        `${line(`if ${make.expression()}`)}\n${inner()}\n${line(`elif ${make.expression()}`)}\n${inner()}\n${line("else")}\n${inner()}`,
      () => `${line(`while ${make.expression()}`)}\n${inner()}`,
      () => `${line(`for ${make.variable()} in ${make.expression()}`)}\n${inner()}`,
      () =>
        `${line(`when ${group()}`)}\n${inner()}\n${line(`or when ${group()}`)}\n${inner()}\n${line("else")}\n${inner()}`,
    ])();
  };
  const parameter = (): string =>
    random.pick([
      make.variable(),
      `${make.variable()}=${make.expression(0)}`,
      `${make.variable()} = ${make.expression(1)}`,
    ]);
  const header = `${random.pick(["", "", "@active\n", `@meta(x=${make.expression(0)})\n`, `@loop(${make.text()})\n`])}flow ${make.name()} ${random.pick(["", parameter(), `${parameter()} ${parameter()}`])}${random.pick(["", ` -> ${parameter()}, ${parameter()}`])}`;
  const head = random.pick([
    "",
    "",
    "",
    `import ${make.word()}.${make.word()}\n`,
    `import ${make.text()}\n`,
    "# meta: exclude from llm\n",
  ]);
  return `${head}${header}\n${statement("  ", 2)}\n${statement("  ", 1)}\n`;
}

/** One definition of Colang 1.0. */
export function colang1Text(random: Chooser): string {
  const make = new SourceMaker(random);
  const text = (): string => `"${random.pick(TEXTS)}${random.pick(TEXTS)}"`;
  const event = (): string =>
    `event ${make.event()}${random.pick(["", `(${make.word()}=${make.expression(1)})`, `(${make.word()}, ${make.word()}="x")`])}`;
  const user = (): string =>
    random.pick([
      `user ${make.name()}`,
      "user ...",
      `user ${text()}`,
      `user ${make.name()} or ${make.name()}`,
      event(),
      `user ${make.name()} or user ${make.name()}`,
    ]);
  const statement = (indent: string, depth: number): string => {
    const inner = (): string => statement(`${indent}  `, depth - 1);
    const line = (content: string): string => `${indent}${content}${make.comment()}`;
    const target = `${make.variable()}${random.pick(["", "", `.${make.word()}`])}`;
    const simple = [
      user(),
      `bot ${make.name()}`,
      `bot ${make.name()} ${text()}`,
      `bot ${text()}`,
      `bot ${make.variable()}`,
      "bot ...",
      `bot ${make.name()}\n${indent}  ${text()}\n${indent}  ${text()}`,
      `create event ${make.event()}(${make.word()}=${make.expression(1)})`,
      `new event ${make.event()}`,
      `execute ${make.word()}(${make.word()}=${make.expression(1)}, ${make.expression(0)})`,
      `${target} = execute ${make.word()}`,
      `execute ${make.word()}`,
      `do ${make.name()}`,
      `do ${make.name()}(${make.expression(0)})`,
      `${target} = do ${make.name()}`,
      `do ${make.variable()}`,
      `${target} = ${make.expression()}`,
      `set ${target} = ${make.expression()}`,
      `${target} = ...`,
      `${target} = ...${text()}`,
      `return ${make.expression()}, ${make.expression(1)}`,
      "return",
      `label ${make.word()}`,
      `goto ${make.word()}`,
      `check ${make.expression()}`,
      "break",
      "continue",
      "pass",
      "stop",
      "abort",
      `# note\n${indent}${user()}`,
      `any\n${indent}  ${user()}\n${indent}  ${event()}`,
    ];
    if (depth <= 0 || random.below(3) > 0) return line(random.pick(simple));
    return choose(random, [
      () =>
        `${line(`if ${make.expression()}`)}\n${inner()}\n${line(`else if ${make.expression()}`)}\n${inner()}\n${line("else")}\n${inner()}`,
      () => `${line(`while ${make.expression()}`)}\n${inner()}`,
      () => `${line(`when ${user()}`)}\n${inner()}\n${line(`else when ${user()}`)}\n${inner()}`,
    ])();
  };
  return choose(random, [
    () =>
      `define ${random.pick(["flow", "subflow", "extension flow", "parallel flow"])} ${random.pick(["", make.name()])}${random.pick(["", `(${make.variable()})`])}\n${random.pick(["", "  meta\n    priority: 2\n", `  meta\n    ${make.word()}: ${text()}\n`, `  # meta: exclude from llm\n`])}${statement("  ", 2)}\n${statement("  ", 1)}\n`,
    () => `define user ${make.name()}\n  ${text()}\n  ${text()}\n`,
    () => `define bot ${make.name()}\n  ${text()}\n  ${text()}\n`,
    () => `define user ${make.name()}\n`,
    () => `define action ${make.word()}\n`,
  ])();
}
