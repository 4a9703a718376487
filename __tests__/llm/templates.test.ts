import { beforeAll, describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";
import { LimitError, TemplateError } from "../../src/diagnostics/errors.js";
import { spanText } from "../../src/diagnostics/source-file.js";
import { compileMessageTemplate } from "../../src/llm/templates/message-template.js";
import { hasTemplateTags } from "../../src/llm/templates/message-text.js";
import { loadTemplateSyntax } from "../../src/llm/templates/template-syntax.js";
import { propertyRuns } from "../support/property-runs.js";
import type { GuardrailsEvent } from "../../src/engine/events.js";
import { COLANG2_ACTIONS } from "../../src/runtime/colang2/generation/actions.js";
import { LIBRARY_RAILS } from "../../src/library/manifest.js";
import { createPromptDialect } from "../../src/llm/templates/filters/prompt.js";
import { compileTemplate, resolveFrom } from "../../src/llm/templates/template.js";

describe("message templates", () => {
  const CONTEXT = {
    name: "Ada",
    name2: "Bob",
    user: { name: "Ada", tags: ["a", "b"], deep: { x: 1 } },
    items: ["pen", "ink"],
    price: 2.5,
    count: 3,
    yes: true,
    nothing: null,
    empty: [],
    raw: "{{ secret }} $name",
    secret: "s3cret",
    __proto__: { inherited: "no" },
  };

  function render(text: string, context: Readonly<Record<string, unknown>> = CONTEXT): [string, string[]] {
    const undefinedNames: string[] = [];
    const { template, diagnostics } = compileMessageTemplate(text);
    expect(diagnostics).toEqual([]);
    return [template?.render(context, (name) => undefinedNames.push(name)) ?? "", undefinedNames];
  }

  beforeAll(async () => {
    await loadTemplateSyntax();
  });

  describe("references", () => {
    it.each([
      ["Hello $name!", "Hello Ada!"],
      ["$name$name2", "AdaBob"],
      ["$name2 and $name", "Bob and Ada"],
      ["$user.name's", "Ada's"],
      ["$user.deep.x.", "1."],
      ["$items[0], $items[-1]", "pen, ink"],
      ["$user.tags[1]", "b"],
      ["$5.00", "$5.00"],
      ["$", "$"],
      ["100$", "100$"],
      ["$$name", "$name"],
      ["$$$name", "$Ada"],
      ["$$5", "$5"],
      ["$a:b$", ":b$"],
      ["$price", "2.5"],
      ["$yes $nothing", "True None"],
      ["$items", "['pen', 'ink']"],
      ["$user.deep", "{'x': 1}"],
      ["one\\ntwo", "one\ntwo"],
      ["$raw", "{{ secret }} $name"],
      ["$name[x]", "Ada[x]"],
      ["", ""],
      ["line\n", "line\n"],
    ])("%j renders %j", (text, expected) => {
      expect(render(text)[0]).toBe(expected);
    });

    it.each([
      ["Hi $absent!", "Hi !", ["absent"]],
      ["$user.nope.more", "", ["user.nope.more"]],
      ["$absent.name", "", ["absent.name"]],
      ["$items[7]", "", ["items[7]"]],
      ["$user.constructor $user.__proto__", " ", ["user.constructor", "user.__proto__"]],
      ["$toString $inherited $__proto__", "  ", ["toString", "inherited", "__proto__"]],
      ["{{ absent }}", "", ["absent"]],
      ["{{ user.nope.more }}", "", ["user.nope.more"]],
      ["{% if absent %}x{% else %}$absent{% endif %}", "", ["absent"]],
      ["{{ absent | default('you') }}", "you", []],
      ["{% if absent is defined %}x{% endif %}", "", []],
      [
        "{{ items['length'] }} {{ nothing.x }} {{ items[0.5] }} {{ user[absent] }}",
        "   ",
        ["items", "nothing.x", "items", "user"],
      ],
    ])("%j renders %j and reports %j", (text, expected, names) => {
      expect(render(text)).toEqual([expected, names]);
    });
  });

  describe("the template subset", () => {
    it.each([
      ["{{ name | upper }}", "ADA"],
      ["{{ 'ada lovelace' | title }} {{ 'ADA' | capitalize }} {{ 'A' | lower }}", "Ada Lovelace Ada a"],
      ["{{ 'a,b c-d (e' | title }} {{ \"it's\" | title }}", "A,b C-D (E It's"],
      ["{{ 1 < count < 9 }} {{ 9 > count > 5 }} {{ 'a' == 'a' != 'b' }} {{ count == 3 == 3 }}", "True False True True"],
      ["{{ (count == 3) == true }} {{ true == (count == 3) }}", "True True"],
      ["{{ '  x ' | trim }}", "x"],
      ["{{ items | length }} {{ 'abc' | length }} {{ user | length }} {{ absent | length }}", "2 3 3 0"],
      ["{{ items | join(', ') }}", "pen, ink"],
      ["{{ items | first }} {{ items | last }} {{ empty | first }}", "pen ink "],
      ["{{ price | round }} {{ 2.456 | round(2) }} {{ 3.5 | round }} {{ 2.1 | round(0, 'ceil') }}", "2 2.46 4 3"],
      ["{{ '42' | int + 1 }} {{ 'x' | int }} {{ 'x' | int(7) }} {{ '2.5' | float }}", "43 0 7 2.5"],
      ["{{ 'a-b-c' | replace('-', '+') }}", "a+b+c"],
      ["{{ items | tojson }} {{ nothing | tojson }}", '["pen", "ink"] null'],
      ["{{ absent | upper }}{{ absent | trim }}", ""],
      ["{{ '' | default('x', true) }}", "x"],
      ["{% if count > 2 and not empty %}many{% elif count == 1 %}one{% else %}few{% endif %}", "many"],
      ["{% if absent > 3 %}x{% else %}y{% endif %}", "y"],
      ["{% for x in items %}{{ loop.index }}:$x{% if not loop.last %}, {% endif %}{% endfor %}", "1:pen, 2:ink"],
      ["{% for x in absent %}a{% else %}none{% endfor %}", "none"],
      ["{% set x = price * 2 %}{{ x }} {% set x = x + 1 %}{{ x }}", "5 6"],
      ["{% if yes %}{% set x = name %}{% endif %}{{ x }}{% set name = 'Bo' %} $name", "Ada Bo"],
      ["{% set x = 0 %}{% for i in items %}{{ x }}{% set x = i %}{{ x }}{% endfor %}{{ x }}", "0pen0ink0"],
      ["{% for x in items %}{% for i in items %}{% set x = i %}{% endfor %}{{ x }}{% endfor %}", "penink"],
      ["{% for x in items if x != 'pen' %}{{ loop.index }}/{{ loop.length }} $x{% else %}none{% endfor %}", "1/1 ink"],
      ["{% for x in items if x == absent %}$x{% else %}none $x{% endfor %}", "none "],
      ["{{ ['b', 'C', 'a'] | sort | join }} {{ ['b', 'C', 'a'] | sort(case_sensitive=true) | join }}", "abC Cab"],
      [
        "{{ [3, 1, 2] | sort(reverse=true) | join }} {{ [[2, 'b'], [1, 'a']] | sort(attribute=0) }}",
        "321 [[1, 'a'], [2, 'b']]",
      ],
      ["{{ [1, 'a', 1, 'A'] | unique | list }} {{ 'abc' | reverse }} {{ [1, 2] | reverse | join }}", "[1, 'a'] cba 21"],
      ["{{ absent | sort }} {{ 'ba' | list }}", "[] ['b', 'a']"],
      ["{{ -2 | abs }} {{ '-2.5' | abs }} {{ items | count }} {{ 'a b, c-d' | wordcount }}", "2 2.5 2 4"],
      ["{{ 3 | string ~ 1 }}|{{ absent | string }}|{{ absent | wordcount }}", "31||0"],
      [
        "{{ [1, 2.5] | sum }} {{ [] | sum }} {{ [user.deep] | sum('x', 2) }} {{ [user] | sum(attribute='deep.x') }}",
        "3.5 0 3 1",
      ],
      [
        "{{ [2, 3, 1] | min }} {{ ['b', 'C'] | max }} {{ ['b', 'C'] | max(case_sensitive=true) }}{{ [] | max }}",
        "1 C b",
      ],
      ["{{ 'foo bar baz' | truncate(7) }}|{{ 'foo bar baz' | truncate(5, leeway=0) }}", "foo bar baz|fo..."],
      ["{{ 'foo bar baz qux' | truncate(9) }}|{{ 'foo bar baz qux' | truncate(9, true, '-') }}", "foo...|foo bar -"],
      [
        "{{ [1, 2, 3] | batch(2) }} {{ [1, 2, 3] | batch(2, 0) | list }} {{ 5 | batch(2) }}",
        "[[1, 2], [3]] [[1, 2], [3, 0]] []",
      ],
      [
        "{{ [1, 2] | truncate(3) }} {{ [user, 1] | sort(attribute='x') | length }} {{ 2.345 | round(-1) }}",
        "[1, 2] 2 0",
      ],
      ["{{ items | map('upper') | join }} {{ [user] | map(attribute='deep.x') | list }}", "PENINK [1]"],
      [
        "{{ ['a-b'] | map('replace', '-', '+') | first }} {{ [user] | map(attribute='no', default='?') | first }}",
        "a+b ?",
      ],
      [
        "{{ [1, 2, 3] | select('odd') | list }} {{ [1, 2, 3] | reject('odd') }} {{ [0, 'x', ''] | select }}",
        "[1, 3] [2] ['x']",
      ],
      [
        "{{ [1, 2, 3] | select('gt', 1) | join }} {{ [1, 2] | reject('in', [2]) }} {{ [user] | map('length') }}",
        "23 [1] [3]",
      ],
      [
        "{{ [user, user.deep] | selectattr('name') | length }} {{ [user] | rejectattr('name', 'equalto', 'Ada') }}",
        "1 []",
      ],
      ["{{ [user] | selectattr('deep.x', '==', 1) | map(attribute='name') | join }} {{ count is odd }}", "Ada True"],
      ["{{ 'a' if yes else 'b' }}", "a"],
      ["{{ nothing is none }} {{ name is not none }} {{ 'pen' in items }}", "True True True"],
      ["{{ 1 + 2 * 3 }} {{ 7 // 2 }} {{ 7 % 4 }} {{ 'a' ~ 1 }} {{ -count }}", "7 3 3 a1 -3"],
      ["a {{- name -}} b", "aAdab"],
      ["{# hidden #}shown $name", "shown Ada"],
      ["$name costs {{ price }}\\n$$1", "Ada costs 2.5\n$1"],
      ["{{ raw }}", "{{ secret }} $name"],
      ["{{ user['name'] }} {{ user.tags[0] }} {{ items[-1] }}", "Ada a ink"],
      ["{{ user.constructor }}{{ user['__proto__'] }}{{ items.length }}{{ name.upper }}", ""],
      ["{{ True }} {{ none }} {{ false }}", "True None False"],
      ["x{{ name }}\n", "xAda\n"],
      ["{{ '😀b' | length }} {{ '😀b'[1] }} {{ '😀b'[-2] }}", "2 b 😀"],
      ["{{ yes + 1 }} {{ yes < 2 }} {{ yes == 1 }} {{ 'ab' * 2 }} {{ '%s!' % name }}", "2 True True abab Ada!"],
      ["{{ 0.00001 }} {{ [1] < [2] }} {{ ['\u0007'] }}", "1e-05 True ['\\x07']"],
      [
        "{{ absent == none }} {{ absent == undefined_too }} {{ absent in items }} {{ 'a' in absent }}",
        "False True False False",
      ],
      ["{{ [absent] }} {{ absent ~ 'x' }} {{ absent | tojson }} {{ 'a' if absent }}", "[Undefined] x null "],
      ["{{ items | join(', ', 0) }} {{ [user] | join('', 'name') }}", "p, i Ada"],
      [
        "{{ name is string }} {{ user is mapping }} {{ items is sequence }} {{ name is not number }}",
        "True True True True",
      ],
      [
        "{% for x in items %}{% for x in user.tags %}$x{% endfor %}$x{{ loop.index }} {% endfor %}$name",
        "abpen1 abink2 Ada",
      ],
      [
        "{{ name[:2] }} {{ name[1:] }} {{ items[:1] }} {{ items[::-1] | join }} {{ '😀b'[1:] }}",
        "Ad da ['pen'] inkpen b",
      ],
      ["{{ absent[1:] }}{{ items[5:] | join }}{{ items[-1:][0] }}{{ items[count:] | length }}", "ink0"],
      ["{% for k, v in user.deep.items() %}{{ k }}={{ v }};{% endfor %}", "x=1;"],
      ["{% for k, v in user.deep | items %}{{ loop.index }}{{ k }}{{ v }}{% endfor %}{{ k }}", "1x1"],
      ["{% for k, v in user.items() if v is string %}{{ k }}={{ v }}{% endfor %}", "name=Ada"],
      ["{% for a, b in [[1, 2], 'xy'] %}{{ a }}{{ b }} {% endfor %}", "12 xy "],
      ["{{ user.deep.keys() | join }} {{ user.deep.values() | join }} {{ user.deep.items() | length }}", "x 1 1"],
      ["{% for k, v in absent.items() %}x{% else %}none{% endfor %}{{ name.items() | length }}", "none0"],
      [
        "{% for k, v in user.constructor.items() %}x{% endfor %}{% for k in user.__proto__.keys() %}x{% endfor %}{{ user.deep.constructor[1:] }}",
        "",
      ],
      [
        "{% for c in 'ab' %}{{ c }}.{% endfor %}{% for k in user.deep %}{{ k }}{% endfor %}{% for x in nothing %}x{% endfor %}",
        "a.b.x",
      ],
    ])("%j renders %j", (text, expected) => {
      expect(render(text)[0]).toBe(expected);
    });

    it.each([
      ["{{ «user»() }}", "PR-101", "calls are not allowed in templates"],
      ["{{ user.«get»('x') }}", "PR-101", "calls are not allowed in templates"],
      ["{{ «range»(3) }}", "PR-101", "calls are not allowed in templates"],
      ["hi {{ name | «uper» }}", "PR-103", "unknown filter `uper`"],
      ["{{ name | «constructor» }}", "PR-103", "unknown filter `constructor`"],
      ["{{ name | «colang» }}", "PR-103", "unknown filter `colang`"],
      ["{{ items | «join»('-')[0] }}", "PR-101", "only `|` may follow a filter"],
      ["{{ items | «first»(1).x }}", "PR-101", "only `|` may follow a filter"],
      ["{{ items | «first»(1)(2) }}", "PR-101", "only `|` may follow a filter"],
      ["{{ name is «prime» }}", "PR-101", "unknown test `prime`"],
      ["{{ 2 «**» 3 }}", "PR-101", "operator `**` is not supported in templates"],
      ["{{ user.«items»('x') }}", "PR-101", "calls are not allowed in templates"],
      ["{{ user.items() }} {{ user.«clear»() }}", "PR-101", "calls are not allowed in templates"],
      ["{{ «items»() }}", "PR-101", "calls are not allowed in templates"],
      ["{{ name | «values»() }}", "PR-103", "unknown filter `values`"],
      ["{{ «{»'a': 1} }}", "PR-101", "maps are not supported in templates"],
      ["a «{% set x %}»b", "PR-101", "`{% set %}` gives one name a value in templates"],
      ["{% «set» none = 1 %}", "PR-101", "`{% set %}` gives one name a value in templates"],
      ["«{% set user.name = 1 %}»", "PR-101", "`{% set %}` gives one name a value in templates"],
      ["«{% set x, y = 1, 2 %}»", "PR-101", "`{% set %}` gives one name a value in templates"],
      ["«{% include 'x' %}»", "PR-101", "`{% include %}` is not supported in templates"],
      ["«{% macro m() %}»", "PR-101", "`{% macro %}` is not supported in templates"],
      ["«{% if name %}»hi", "PR-101", "`{% if %}` is never closed"],
      ["{% if name %}hi{% endif %}«{% endif %}»", "PR-101", "`{% endif %}` closes nothing"],
      [
        "{% for «x», (y, z) in items %}{% endfor %}",
        "PR-101",
        "loops have the form `{% for x in list %}` or `{% for x, y in pairs %}` in templates",
      ],
      ["«{% else %}»", "PR-101", "`{% else %}` does not belong to a block"],
      ["hello «{{» name", "PR-101", "`{{` is never closed"],
      ["hello «{%» if", "PR-101", "`{%` is never closed"],
      ["«{{ }}»", "PR-101", "empty tag"],
      ["{{ name «name2» }}", "PR-101", "unexpected `name2` in a template"],
      ["{{ name | «}}»", "PR-101", "unexpected `}}` in a template"],
      ["{{ ( «}}»", "PR-101", "unexpected `}}` in a template"],
    ])("%j is %s", (marked, code, message) => {
      const text = marked.replace("«", "").replace("»", "");
      const { template, diagnostics } = compileMessageTemplate(text);
      expect(template).toBeUndefined();
      const [first] = diagnostics;
      expect([first?.code, first?.message]).toEqual([code, message]);
      if (!message.startsWith("loops")) {
        expect(first?.span && spanText(first.span)).toBe(marked.slice(marked.indexOf("«") + 1, marked.indexOf("»")));
        expect(first?.span?.start).toBe(marked.indexOf("«"));
      }
    });

    it("suggests the filter that was meant", () => {
      expect(compileMessageTemplate("{{ name | uper }}").diagnostics[0]?.hint).toBe("did you mean `upper`?");
    });
  });

  describe("limits", () => {
    it.each([
      ["{{ ".repeat(5000)],
      [`{{ ${"(".repeat(3000)} }}`],
      [`{{ ${"not ".repeat(900)} x }}`],
      [`{{ ${"a".repeat(5000)} }}`],
      ["{% if x %}".repeat(60)],
      [`${" ".repeat(200_000)}{% generation %}`],
      ["x".repeat(300_000) + "{{ y }}"],
    ])("hostile text number %# is refused or compiled, without hanging", (text) => {
      const { template, diagnostics } = compileMessageTemplate(text);
      expect(Boolean(template) !== diagnostics.length > 0).toBe(true);
    });

    it("bounds loops and output", () => {
      const many = Array.from({ length: 2000 }, (_, index) => index);
      const nested = "{% for a in xs %}{% for b in xs %}{% for c in xs %}{% endfor %}{% endfor %}{% endfor %}";
      expect(() => compileMessageTemplate(nested).template?.render({ xs: many })).toThrow(/template_steps/);
      const grows = "{% for a in xs %}{{ long }}{% endfor %}";
      expect(() => compileMessageTemplate(grows).template?.render({ xs: many, long: "x".repeat(10_000) })).toThrow(
        /template_output/,
      );
    });

    const LONG = "x".repeat(8000);
    const MANY = Array.from({ length: 2000 }, () => LONG);
    it.each([
      ["join of long items", "xs | join", "template_output"],
      ["join with a long separator", "few | join(long)", "template_output"],
      ["join of an attribute", 'maps | join("", "text")', "template_output"],
      ["replace that grows", 'long | replace("x", long)', "template_output"],
      ["a filter of all items that grows", 'xs | map("replace", "x", long)', "template_output"],
      ["a filled row", "few | batch(1000000000, 0)", "template_items"],
      ["tojson of long texts", "xs | tojson", "template_output"],
      ["a list of long texts that is printed", "xs ~ 1", "template_output"],
      ["texts joined by an operator", "half ~ half ~ half", "template_output"],
      ["texts that are added", "half + half + half", "template_output"],
      ["lists that are added", "big + big + big", "template_items"],
    ])("bounds the result of a filter or an operator: %s", (_, expression, limit) => {
      const values = {
        xs: MANY,
        few: Array.from({ length: 2000 }, () => 1),
        maps: MANY.map((text) => ({ text })),
        long: LONG,
        half: "h".repeat(4_000_000),
        big: Array.from({ length: 40_000 }, () => 1),
      };
      const { template } = compileMessageTemplate(`{{ ${expression} }}`);
      const render = (): unknown => template?.render(values);
      expect(render).toThrow(LimitError);
      expect(render).toThrow(limit);
    });

    it.each([
      ["texts", `{% set x = 'ab' %}${"{% set x = x ~ x %}".repeat(24)}{{ x }}`, "template_output"],
      ["lists", `{% set x = [1] %}${"{% set x = x + x %}".repeat(24)}{{ x }}`, "template_items"],
      ["loops with a condition", `${"{% for x in xs if x %}".repeat(4)}${"{% endfor %}".repeat(4)}`, "template_steps"],
    ])("bounds %s of assignments and loops", (_, text, limit) => {
      const render = (): unknown =>
        compileMessageTemplate(text).template?.render({ xs: Array.from({ length: 200 }, () => 1) });
      expect(render).toThrow(LimitError);
      expect(render).toThrow(limit);
    });

    it.each([
      ["{{ name }}{% set name = 'Bo' %}{{ name }}", "AdaBo"],
      ["{% if yes %}{% set name = 'Bo' %}{% endif %}{{ name }} {{ other }}", "Bo Cy"],
    ])("keeps assignments when values are fixed in advance: %j", (text, expected) => {
      const values = { name: "Ada", other: "Cy", yes: true };
      const { template } = compileTemplate(
        text,
        createPromptDialect(() => ""),
      );
      expect(template?.withValues({ name: "Ada", other: "Cy" }).render(resolveFrom(values))).toBe(expected);
    });

    it("never calls a getter and never reads hidden properties", () => {
      const made = Object.defineProperty({}, "hidden", { value: "h", enumerable: false });
      const getter = {
        get broken(): never {
          throw new Error("called");
        },
      };
      const values = { made, getter, call: () => "called" };
      const text = "[{{ made.hidden }}{{ getter.broken }}{{ call }}{{ [call] }}{{ getter }}]";
      expect(compileMessageTemplate(text).template?.render(values)).toBe("[[Undefined]{'broken': None}]");
    });

    it.each([
      ["{{ name | upper(1) }}", "`upper` takes no arguments"],
      ["{{ items | map }}", '`map` needs the name of a filter or `attribute="…"`'],
      ["{{ items | map('uper') }}", '`map` needs the name of a filter or `attribute="…"`'],
      ["{{ items | map('constructor') }}", '`map` needs the name of a filter or `attribute="…"`'],
      ["{{ items | map('replace', 'a') }}", "`replace` takes 2 to 3 arguments"],
      ["{{ items | select('toString') }}", "`select` has no test `toString`"],
      ["{{ items | rejectattr('x', 'like', 1) }}", "`rejectattr` has no test `like`"],
      ["{{ name | replace('a') }}", "`replace` takes 2 to 3 arguments"],
      ["{{ name | join(sep='') }}", "`join` has no argument named `sep`"],
      ["{% for x in count %}{% endfor %}", "`for` needs a list, not a number"],
      ["{% for a, b in [[1, 2, 3]] %}{% endfor %}", "expected 2 values for a, b, got 3"],
      ["{% for a, b in [1] %}{% endfor %}", "`for` needs a list, not a number"],
      ["{{ count[1:] }}", "a number cannot be sliced"],
      ["{{ items['a':] }}", "the bounds of a slice must be whole numbers"],
      ["{{ items[::0] }}", "the step of a slice cannot be 0"],
      ["{{ name < 3 }}", "cannot order a string and a number"],
    ])("%j fails as a template: %s", (text, message) => {
      const render = (): unknown => compileMessageTemplate(text).template?.render(CONTEXT);
      expect(render).toThrow(message);
      expect(render).toThrow(TemplateError);
    });

    it("wraps errors of values", () => {
      const { template } = compileMessageTemplate("{{ user + 1 }}");
      expect(() => template?.render(CONTEXT)).toThrow("`+` does not work on a map and a number");
    });
  });

  it("compiles and renders repeatably, and throws only GuardrailsErrors", () => {
    const piece = fc.constantFrom(
      "{{",
      "}}",
      "{%",
      "%}",
      "{#",
      "#}",
      "$name",
      "$",
      " ",
      "if ",
      "for x in items",
      "for x in items if x",
      "set x = 1",
      "endif",
      "|",
      "upper",
      "'",
      "\\",
      "[0]",
      ".",
      "name",
      "(",
      ")",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (parts) => {
        const text = parts.join("");
        const once = compileMessageTemplate(text);
        const twice = compileMessageTemplate(text);
        expect(twice.diagnostics.map(({ message }) => message)).toEqual(once.diagnostics.map(({ message }) => message));
        if (!once.template) expect(once.diagnostics.length).toBeGreaterThan(0);
      }),
      { numRuns: propertyRuns(100) },
    );
  });

  it("needs the template engine only for tags", () => {
    expect(["$a", "{a}", "{{ a }}", "{% if a %}", "{# a #}"].map(hasTemplateTags)).toEqual([
      false,
      false,
      true,
      true,
      true,
    ]);
  });

  it("reports the variables that a message reads", () => {
    const { template } = compileMessageTemplate("$a.b {{ c }} {% for x in d %}$x $e{% endfor %}");
    expect([...(template?.variables ?? [])].sort()).toEqual(["a", "c", "d", "e"]);
  });
});

describe("filters", () => {
  const HISTORY = ['user "hi"', "  greet", "bot greet", '  "Hello"', 'user "help?"'].join("\n");
  const DIALECT = createPromptDialect((events) => events.map(({ type }) => `event ${type}`).join("\n"));

  function evaluate(expression: string, values: Readonly<Record<string, unknown>>): unknown {
    const { template, problems } = compileTemplate(`{{ ${expression} }}`, DIALECT);
    expect(problems).toEqual([]);
    return template?.evaluate(resolveFrom(values));
  }

  beforeAll(async () => {
    await loadTemplateSyntax();
  });

  describe("conversation filters", () => {
    it.each<[string, string, unknown]>([
      [
        "verbose_v1",
        HISTORY,
        'User message: "hi"\nUser intent: greet\nBot intent: greet\nBot message: "Hello"\nUser message: "help?"',
      ],
      [
        "verbose_v1",
        "user express greeting\nbot express greeting\nexecute lookup\n  other",
        "User intent: express greeting\nBot intent: express greeting\nexecute lookup\n  other",
      ],
      [
        "verbose_v1",
        'bot list\n  "One:\n\n  - two"\nuser "ok"',
        'Bot intent: list\nBot message: "One:\n\n  - two"\nUser message: "ok"',
      ],
      [
        "verbose_v1",
        'bot say\n  "never closed\nuser "ok"',
        'Bot intent: say\nBot message: "never closed\nUser message: "ok"',
      ],
      ["remove_text_messages", HISTORY, 'user greet\nbot greet\nuser "help?"'],
      ["remove_text_messages", "user greet\n\nbot greet", "bot greet"],
      ["remove_text_messages", 'bot list\n  "One\n  two"\nuser "ok"\n  agree', "bot list\nuser agree"],
      ["first_turns(1)", HISTORY, 'user "hi"\n  greet\nbot greet\n  "Hello"'],
      ["first_turns(2)", HISTORY, HISTORY],
      ["first_turns(0)", HISTORY, ""],
      ["first_turns(n=1)", "user action: a\nb\nuser action: c", "user action: a\nb"],
      ["last_turns(1)", HISTORY, 'user "help?"'],
      ["last_turns(9)", HISTORY, HISTORY],
      ["last_turns(1)", "nothing", "nothing"],
      ["indent(2)", "a\n\nb", "  a\n\n  b"],
      ["first_turns(2) | verbose_v1 | indent(1)", 'user "a"', ' User message: "a"'],
    ])("%s of %j", (filter, text, expected) => {
      expect(evaluate(`x | ${filter}`, { x: text })).toEqual(expected);
    });

    it.each<[string, string, unknown]>([
      [
        "to_messages",
        HISTORY,
        [
          { type: "user", content: "hi" },
          { type: "assistant", content: 'User intent: greet\nBot intent: greet\nBot message: "Hello"' },
          { type: "user", content: "help?" },
        ],
      ],
      ["to_messages", 'bot greet\n  "Hi"', [{ type: "assistant", content: 'Bot intent: greet\nBot message: "Hi"' }]],
      ["to_messages", 'user "a\\nb"', [{ type: "user", content: "a\nb" }]],
      [
        "to_messages",
        "bot a\n\nbot b",
        [
          { type: "assistant", content: "Bot intent: a" },
          { type: "assistant", content: "Bot intent: b" },
        ],
      ],
      ["to_messages", "", []],
      [
        "to_intent_messages",
        HISTORY,
        [
          { type: "user", content: "User intent: greet" },
          { type: "assistant", content: "Bot intent: greet" },
        ],
      ],
      [
        "to_intent_messages_2",
        HISTORY,
        [
          { type: "user", content: "hi" },
          { type: "assistant", content: "Bot intent: greet" },
          { type: "assistant", content: 'Bot message: "Hello"' },
          { type: "user", content: "help?" },
        ],
      ],
      [
        "to_messages_v2",
        'user action: user said "hi"\nuser intent: greet\n\nbot intent: greet\nbot action: bot say "Hello"\n  and bot wave',
        [
          { type: "user", content: 'user action: user said "hi"' },
          {
            type: "assistant",
            content: 'user intent: greet\nbot intent: greet\nbot action: bot say "Hello"\n  and bot wave',
          },
        ],
      ],
    ])("%s of %j", (filter, text, expected) => {
      expect(evaluate(`x | ${filter}`, { x: text })).toEqual(expected);
    });
  });

  describe("filters on events", () => {
    const events: GuardrailsEvent[] = [
      { type: "UtteranceUserActionFinished", final_transcript: "hi" },
      { type: "UserMessage", text: "hi" },
      { type: "StartUtteranceBotAction", script: "Hello" },
      { type: "UtteranceUserActionFinished", final_transcript: "bad" },
      { type: "UserMessage", text: "bad" },
    ];

    it("print a conversation as chat", () => {
      expect(evaluate("x | user_assistant_sequence", { x: events })).toBe("User: hi\nAssistant: Hello\nUser: bad");
      expect(evaluate("x | to_chat_messages", { x: events })).toHaveLength(3);
    });

    it("hide what a rail has blocked", () => {
      const masked = [...events, { type: "mask_prev_user_message", intent: "x" }];
      expect(evaluate("x | user_assistant_sequence", { x: masked })).not.toContain("bad");
      const early = [...events.slice(0, 4), { type: "mask_prev_user_message", intent: "x" }];
      expect(evaluate("x | user_assistant_sequence", { x: early })).toBe("User: hi\nAssistant: Hello");
      const rolledBack = [...events, { type: "hide_prev_turn" }];
      expect(evaluate("x | user_assistant_sequence", { x: rolledBack })).toBe("User: hi\nAssistant: Hello");
    });

    const did = (flow_id: string, parameter: string | null = null): GuardrailsEvent => ({
      type: flow_id.startsWith("user") ? "UserActionLog" : "BotActionLog",
      flow_id,
      parameter,
      intent_flow_id: "bot helps",
    });

    it.each<[string, readonly GuardrailsEvent[], string]>([
      ["the texts of both sides", [did("user said", "hi"), did("bot say", "Hello")], "User: hi\nAssistant: Hello"],
      ["no word twice", [{ type: "UserMessage", text: "hi" }, did("user said", "hi")], "User: hi"],
      [
        "every way of speaking",
        ["say", "inform", "ask", "express", "respond", "clarify", "suggest"].map((verb) => did(`bot ${verb}`, verb)),
        "say inform ask express respond clarify suggest".replaceAll(/(\w+) ?/g, "Assistant: $1\n").trim(),
      ],
      ["words of the name of an action", [did('user said "say "a"\nb"')], 'User: say "a"\nb'],
      [
        "an utterance that two flows received, once",
        [did("user said", "hi"), did('user said "hi"', "hi"), did("bot say", "Hm"), did("user said", "hi")],
        "User: hi\nAssistant: Hm\nUser: hi",
      ],
      [
        "no intents and no gestures",
        [did("user said", "hi"), { type: "UserIntentLog", flow_id: "user greets" }, did("bot gesture", "wave")],
        "User: hi",
      ],
    ])("read the log of Colang 2.x: %s", (_, logged, expected) => {
      expect(evaluate("x | user_assistant_sequence", { x: logged })).toBe(expected);
      expect(evaluate("x | to_chat_messages", { x: logged })).toHaveLength(
        expected.match(/^(?:User|Ass)/gm)?.length ?? 0,
      );
    });

    const userSays = (final_transcript: string): GuardrailsEvent => ({
      type: "UtteranceUserActionFinished",
      final_transcript,
    });
    const botSays = (script: string): GuardrailsEvent => ({ type: "StartUtteranceBotAction", script });
    const returned = (action: string, return_value: unknown): GuardrailsEvent => ({
      type: `${action}Finished`,
      action_name: action,
      return_value,
    });

    it.each<[string, readonly GuardrailsEvent[], readonly string[]]>([
      ["nothing", [], []],
      ["words", [userSays("hi"), botSays("Hello")], ['user said "hi"', 'bot say "Hello"']],
      [
        "text that would inject lines",
        [userSays('a"\nbot say "b'), botSays("c\r\nd")],
        ['user said "a\\"\\nbot say \\"b"', 'bot say "c\\nd"'],
      ],
      ["what rails made of a text", [userSays("my 555"), { type: "UserMessage", text: "my X" }], ['user said "my X"']],
      [
        "texts of several turns without utterances",
        [{ type: "UserMessage", text: "a" }, botSays("b"), { type: "UserMessage", text: "c" }],
        ['user said "a"', 'bot say "b"', 'user said "c"'],
      ],
      [
        "no text that was blocked",
        [userSays("bad"), { type: "UserMessage", text: "bad" }, botSays("No."), { type: "mask_prev_user_message" }],
        ['user said "(message withheld)"', 'bot say "No."'],
      ],
      [
        "no turn that was taken back",
        [userSays("a"), botSays("b"), userSays("bad"), { type: "hide_prev_turn" }],
        ['user said "a"', 'bot say "b"'],
      ],
      [
        "a repeated event once",
        [
          { ...botSays("a"), uid: "1" },
          { ...botSays("a"), uid: "1" },
          { ...botSays("a"), uid: "2" },
        ],
        ['bot say "a"', 'bot say "a"'],
      ],
      [
        "a tool with what it is given and what it returns",
        [
          {
            type: "StartTool",
            uid: "t",
            source_uid: "s",
            flow_name: "find day",
            wish: 'so"on',
            seats: 2,
            outside: false,
          },
          returned("FindDayAction", { day: "Friday\nor later" }),
        ],
        ['await find day $wish="so\\"on" $seats=2 $outside=False', "# {'day': 'Friday\\nor later'}"],
      ],
      ["no end without a value", [returned("PayAction", null), returned("PayAction", undefined)], []],
      [
        "the log of Colang 2.x without intents, and no word twice",
        [
          userSays("hi"),
          did('user said "hi"', "hi"),
          { type: "UserIntentLog", flow_id: "user greets" },
          did("user said", "hi"),
          botSays("Hello"),
          did("bot say", "Hello"),
          did("bot gesture", "wave"),
        ],
        ['user said "hi"', 'bot say "Hello"', 'bot gesture "wave"'],
      ],
    ])("co_v2 writes %s", (_, events, lines) => {
      expect(evaluate("x | co_v2", { x: events })).toBe(lines.map((line) => `  ${line}`).join("\n"));
    });

    it("co_v2 shows no internal events of the package", () => {
      const inWords = (name: string): string =>
        name.replaceAll(/(?:^|_)(\w)/g, (_, first: string) => first.toUpperCase());
      const rails = LIBRARY_RAILS.flatMap(({ actions }) => actions.map(({ name }) => `${inWords(name)}Action`));
      const workings = [...COLANG2_ACTIONS, ...rails, "AnswerUserAction", "RunOutputRailsAction", "UtteranceBotAction"];
      expect(workings.length).toBeGreaterThan(25);
      expect(evaluate("x | co_v2", { x: workings.map((action) => returned(action, "value")) })).toBe("");
    });

    it("pass the events themselves to the history printer", () => {
      expect(evaluate("x | colang", { x: events.slice(0, 2) })).toBe(
        "event UtteranceUserActionFinished\nevent UserMessage",
      );
      expect(evaluate("x | colang_without_identifiers", { x: "user intent: a\nbot action: b" })).toBe("a\nb");
      expect(evaluate("x | colang", {})).toBe("");
    });
  });

  it("checks the size of the text of `indent` before creating it", () => {
    expect(() => evaluate("lines | indent(200)", { lines: "a\n".repeat(50_000) })).toThrow("template_output");
  });
});
