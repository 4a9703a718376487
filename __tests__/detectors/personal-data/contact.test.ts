import { describe, expect, it } from "@jest/globals";

import { found } from "./found.js";

describe("e-mail addresses", () => {
  it.each([
    ["mail ada@example.org", "ada@example.org"],
    ["<ada.lovelace+news@mail.example.co.uk>,", "ada.lovelace+news@mail.example.co.uk"],
    ["from=ada@example.org&x=1", "ada@example.org"],
    ["mailto:ada@example.org?subject=x", "ada@example.org"],
    ["schreib an jürgen@müller.de!", "jürgen@müller.de"],
    ['"Ada L."@example.org', '"Ada L."@example.org'],
    ["ops@[192.0.2.1]", "ops@[192.0.2.1]"],
    ["mail me: ada@host.internal", "ada@host.internal"],
    ["ada (at) example (dot) org", "ada (at) example (dot) org"],
    ["ada[at]example[.]org", "ada[at]example[.]org"],
    ["it is ada at example dot co dot uk", "ada at example dot co dot uk"],
    ["連絡先はada@example.orgです。", "ada@example.org"],
    ["메일은 ada@example.org입니다", "ada@example.org"],
    ["用户@例え.jp", "用户@例え.jp"],
    ["ส่งที่ada@example.orgครับ", "ada@example.org"],
    ['{"text":"mail\\nada@example.org\\nthanks"}', "ada@example.org"],
    ["mail _ada@example.org_ today", "ada@example.org"],
    ["mail _ada@example.org", "_ada@example.org"],
  ])("finds the address in %j", (text, address) => {
    expect(found(text)).toContainEqual(["EMAIL_ADDRESS", address]);
  });

  it.each([
    "npm install left-pad@1.3.0",
    "@Component({})",
    "a @ b",
    "meet at example.org",
    "look at the dot matrix",
    "@@@",
    "x@",
    "@x.org",
  ])("finds no address in %j", (text) => {
    expect(found(text).filter(([type]) => type === "EMAIL_ADDRESS")).toEqual([]);
  });
});

describe("links and domains", () => {
  it.each([
    ["see https://example.org/a?b=c#d.", "URL", "https://example.org/a?b=c#d"],
    ["(https://example.org/wiki/A_(b))", "URL", "https://example.org/wiki/A_(b)"],
    ["ftp://files.example.org/x.zip", "URL", "ftp://files.example.org/x.zip"],
    ["http://192.0.2.1:8080/admin", "URL", "http://192.0.2.1:8080/admin"],
    ["http://localhost:3000/", "URL", "http://localhost:3000/"],
    ["www.example.org/shop", "URL", "www.example.org/shop"],
    ["example.org/shop?id=1", "URL", "example.org/shop?id=1"],
    ["https://münchen.de/straße", "URL", "https://münchen.de/straße"],
    ["https://www.example.pt/", "DOMAIN_NAME", "https://www.example.pt/"],
    ["go to example.co.uk, please", "DOMAIN_NAME", "example.co.uk"],
    ["EXAMPLE.COM", "DOMAIN_NAME", "EXAMPLE.COM"],
    ["the site is example.is", "DOMAIN_NAME", "example.is"],
    ["xn--mnchen-3ya.de", "DOMAIN_NAME", "xn--mnchen-3ya.de"],
    ["HOST=db.example.org", "DOMAIN_NAME", "db.example.org"],
    ["サイトはexample.orgです", "DOMAIN_NAME", "example.org"],
    ["look at blue-fox.dev and tell me", "DOMAIN_NAME", "blue-fox.dev"],
    ["the host of example.ai", "DOMAIN_NAME", "example.ai"],
    ['{"link":"https://example.org/a-1","ok":true}', "URL", "https://example.org/a-1"],
    [String.raw`"{\"link\":\"https://example.org/a\"}"`, "URL", "https://example.org/a"],
    [String.raw`"see\nhttps://example.org/a\nok"`, "URL", "https://example.org/a"],
    ["`https://example.org/a` is it", "URL", "https://example.org/a"],
    ["|https://example.org/a|4|", "URL", "https://example.org/a"],
    ["**https://example.org/a**", "URL", "https://example.org/a"],
    ["_https://example.org/a_", "URL", "https://example.org/a"],
    ["https://example.org/a_b_", "URL", "https://example.org/a_b_"],
    ["Ada,https://example.org/a?b=1,London", "URL", "https://example.org/a?b=1"],
    ["https://example.org/a,b", "URL", "https://example.org/a,b"],
    ["リンクはhttps://example.org/a.htmlです", "URL", "https://example.org/a.html"],
    ["https://ja.example.org/wiki/日本", "URL", "https://ja.example.org/wiki/日本"],
    ["https://www.日本語.jp/a", "URL", "https://www.日本語.jp/a"],
    ["👉https://example.org/a👈", "URL", "https://example.org/a"],
    ["https://example.org/a&nbsp;here", "URL", "https://example.org/a"],
    [String.raw`"go to\nexample.org\nnow"`, "DOMAIN_NAME", "example.org"],
  ])("finds the link in %j", (text, type, link) => {
    expect(found(text)).toEqual([[type, link]]);
  });

  it.each([
    "That is it.In the end",
    "edit main.py and README.md",
    "console.info(user.name)",
    "this.app.use(x)",
    "const x=this.app",
    "const log=console.info",
    "e.g. 3.5 or i.e. v1.2",
    "Mr.Smith left.",
    "http://",
    "www.",
    "...",
  ])("finds no link in %j", (text) => {
    expect(found(text)).toEqual([]);
  });

  it("reports hosts of links if only domain names are requested", () => {
    expect(found("https://user@shop.example.org/a", { entities: ["DOMAIN_NAME"] })).toEqual([
      ["DOMAIN_NAME", "shop.example.org"],
    ]);
  });
});

describe("telephone numbers", () => {
  it.each([
    "+1-984-182-0190",
    "+1 (415) 555-2671",
    "+44 7911 123456",
    "+46 (0)8 928 571 38",
    "+41 44 668 18 00",
    "+4915123456789",
    "0049 151 23456789",
    "001-518-640-0854",
    "(415) 555-2671",
    "415-555-2671",
    "415.555.2671",
    "1-800-356-9377",
    "415-555-2671 x123",
    "415-555-2671 ext. 99",
    "020 7946 0958",
    "01 42 68 53 00",
    "(08) 8747 6301",
  ])("finds %j without a word near it", (number) => {
    expect(found(`It is ${number}, as before.`)).toEqual([["PHONE_NUMBER", number]]);
  });

  it.each([
    ["電話番号は+81 90-1234-5678です", "+81 90-1234-5678"],
    ["전화번호는 +82 10-1234-5678입니다", "+82 10-1234-5678"],
    ["请拨打+86 138 0013 8000联系我", "+86 138 0013 8000"],
    ["โทร+66 81 234 5678นะ", "+66 81 234 5678"],
    ["call (+33 6 56 83 85 53) now", "+33 6 56 83 85 53"],
    ["call (212.845.4338) now", "212.845.4338"],
    ["phone #212.744.5671", "212.744.5671"],
  ])("finds the number between letters that need no spaces in %s", (text, number) => {
    expect(found(text)).toEqual([["PHONE_NUMBER", number]]);
  });

  it.each([
    ["tel:06 12 34 56 78", "06 12 34 56 78"],
    ['<a href="tel:030-1234567">', "030-1234567"],
    ["Phone:(11) 96113-2920", "(11) 96113-2920"],
    ["(11) 96113-2920 is my number", "(11) 96113-2920"],
    ["tel:0049 151 23456789", "0049 151 23456789"],
    ["Тел.: 8 029 431-37-01", "8 029 431-37-01"],
  ])("finds the number right after its name in %s", (text, number) => {
    expect(found(text)).toEqual([["PHONE_NUMBER", number]]);
  });

  it.each(["call at 12:30 45 67", "reach fe80::12 34"])("finds no number within the time or address in %j", (text) => {
    expect(found(text).filter(([type]) => type === "PHONE_NUMBER")).toEqual([]);
  });

  it.each(["467 3395", "60-56-85-91", "699 956 915", "99 577450", "5403926876", "21 284 698 2548"])(
    "finds %j only near a word for telephones",
    (number) => {
      expect(found(`Phone: ${number}`)).toEqual([["PHONE_NUMBER", number]]);
      expect(found(`Teléfono ${number}`)).toEqual([["PHONE_NUMBER", number]]);
      expect(found(`Sum: ${number}`)).toEqual([]);
    },
  );

  it.each([
    "2024-05-06",
    "06.05.2024 12:30",
    "pages 1024-1048",
    "$1,234,567.89",
    "1024 / 1024",
    "ratio 16:9",
    "version 10.15.7",
    "call me at 12:30",
    "1600000000000",
    "000-000-0000",
    "05180.34342",
    "014 706 238",
    "ISBN 0-306-40615-2",
    "part no. 0445-120-231",
    "tracking number: 0171-123-45678",
  ])("finds no number in %j", (text) => {
    expect(found(text)).toEqual([]);
  });
});

describe("telephone numbers in lines of values", () => {
  it.each([
    ["Ada,+14155552671,94103", "+14155552671"],
    ["+14155552671,192.168.1.10", "+14155552671"],
    ["Ada,(415) 555-2671,94103", "(415) 555-2671"],
    ["Ada,415-555-2671,94103", "415-555-2671"],
    ["Ada;+442079460958;12", "+442079460958"],
    ["17,415.555.2671,44.50", "415.555.2671"],
    ["17,415-555-2671", "415-555-2671"],
    ["phone,n\n030 78003834,44", "030 78003834"],
  ])("finds the number in %j", (line, number) => {
    expect(found(line)).toContainEqual(["PHONE_NUMBER", number]);
  });

  it.each(["12 345 678,90", "total 1,415-555-2671", "0,4155552671", "0.0823011171433261", "[0.0493012345678]"])(
    "finds no number in %j",
    (line) => {
      expect(found(line).filter(([type]) => type === "PHONE_NUMBER")).toEqual([]);
    },
  );
});
