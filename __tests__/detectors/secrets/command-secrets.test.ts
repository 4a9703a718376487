import { describe, expect, it } from "@jest/globals";
import { detect, secrets, textOf } from "../../../src/detectors/index.js";

const found = (text: string): readonly string[] => detect(text, [secrets()]).map((finding) => textOf(finding, text));
// Put together, so that scanners of code hosts find none in this file.
const value = ["mK4", "vTq9", "zLd2"].join("");
const words = "legal winner thank year wave sausage worth useful legal winner thank yellow";

describe("passwords without a name", () => {
  it.each([
    `curl -s -u deploy:${value} https://ci.example.org/job`,
    `curl --user 'deploy:${value}' https://ci.example.org/job`,
    `mysqldump -h db -u root -p${value} shop`,
    `docker login -u ci -p ${value} registry.example.org`,
    `redis-cli -h cache -a ${value} ping`,
    `htpasswd -bB /etc/users bob ${value}`,
    `smbclient //nas/share -U 'bob%${value}'`,
    `openssl rsa -in a.pem -passin pass:${value}`,
    `ldapsearch -x -D cn=admin -w ${value}`,
    `sqlplus scott/${value}@db.example.org/orcl`,
    `jdbc:oracle:thin:scott/${value}@//db.example.org:1521/orcl`,
    `db.example.org:5432:orders:app:${value}\n`,
    `*:*:*:app:${value}`,
    `DB_PASS=${value}`,
    `the temp pw is ${value}!x`,
    `The password for the wifi in the office is ${value}#4`,
    `Set-Cookie: theme=dark; sessionid=${value}xB7pRw3; HttpOnly`,
  ])("finds the value of %s", (text) => {
    expect(found(text).join(" ")).toContain(value);
  });

  it.each([
    "curl -u user:pass https://example.org",
    "curl -u $USER:$TOKEN https://example.org",
    'curl -w "%{http_code}" -o file1.tgz https://example.org/v2',
    "mysql -h db -u root -p shop",
    "docker run -p 8080:80 -u 1000:1000 web2",
    "unzip -P archive.zip",
    "hostname:port:database:username:password",
    "localhost:5432:app:app:********",
    "--- PASS: TestLogin2FA (0.00s)",
    "Set-Cookie: theme=dark; Path=/",
    "The password for the site must contain 8 characters",
  ])("passes %s", (text) => {
    expect(found(text)).toEqual([]);
  });
});

describe("words of a wallet", () => {
  it.each([
    [`My seed phrase: ${words}`, words],
    [`mnemonic = "${words}"`, words],
    [
      `Recovery words:\n${words
        .split(" ")
        .map((word, at) => `${at + 1}. ${word}`)
        .join("\n")}`,
      "yellow",
    ],
  ])("finds %j", (text, part) => {
    expect(found(text).join(" ")).toContain(part);
  });

  it.each([
    "A seed phrase has twelve words from a list of many, and never belongs on a web page or into a chat with other people.",
    "mnemonic devices help students learn lists of facts",
    `${words} without any other word`,
  ])("passes %j", (text) => {
    expect(found(text)).toEqual([]);
  });
});

describe("JSON web tokens in lines", () => {
  const parts = [
    { alg: "HS256", typ: "JWT" },
    { sub: "1234567890", name: "Ada" },
  ].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"));
  const token = [...parts, value.repeat(4)].join(".");

  it.each([parts.join(".\n") + `.\n${value.repeat(4)}`, token.replaceAll(/.{40}/g, "$&\n")])(
    "are found: %j",
    (text) => {
      expect(found(`${text}\nBest regards`)).toEqual([text]);
    },
  );
});
