import { describe, expect, it } from "@jest/globals";
import { DetectorStream, Scanner, secrets, textOf } from "../../../src/detectors/index.js";

const scanner = new Scanner([secrets()]);
const VALUES: Readonly<Record<string, string>> = { "{password}": "hT7$kq92Lm", "{key}": "q8Zr2TnVb6Xk1LmPw9Yd" };
const fill = (text: string): string => text.replace(/\{\w+\}/g, (name) => VALUES[name] ?? name);
const found = (text: string): readonly string[] => scanner.scan(text).map((finding) => textOf(finding, text));

const PLACED: readonly string[] = [
  "password:\n{password}",
  "Password:\n\n{password}",
  "Password\n{password}",
  "**Password:**\n{password}",
  "**Password**:\n{password}",
  "## Password\n\n{password}",
  "### API key\n\n`{key}`",
  "API key\n\n{key}",
  "API key:\n```\n{key}\n```",
  "## Access token\n```text\n{key}\n```",
  "client_secret: |\n  {key}",
  "client_secret: >-\n  {key}\nother: 1",
  "password: |-\n  {password}",
  "- password:\n    {password}",
  "password:\r\n{password}\r\n",
  "Your password is:\n{password}",
  "Here is your new API key:\n\n{key}\n\nKeep it safe.",
  "| user | password |\n|------|----------|\n| ada | {password} |",
  "| password | user |\n|---|---|\n| {password} | ada |",
  "| Password |\n| --- |\n| `{password}` |",
  "user,password\nada,{password}",
  '{\n  "name": "DB_PASSWORD",\n  "value": "{password}"\n}',
  "[\n  {\n    'name': 'API_KEY',\n    'value': '{key}',\n  }\n]",
  "user,password,role\nada,{password},admin",
  "user;password;role\nada;{password};admin",
  "user\tpassword\nada\t{password}",
  "USER      PASSWORD\nada       {password}",
  "NAME   TOKEN                  AGE\nci     {key}   3d",
  "api_key,owner\n{key},ada",
  'API_KEYS = [\n  "{key}",\n]',
  '"api_keys": [\n  "{key}"\n]',
  "api_keys:\n  - {key}",
  "<dt>Password</dt>\n<dd>{password}</dd>",
  "<th>Password</th>\n<td>{password}</td>",
  "password:\n  value: {password}",
  "> Password:\n> {password}",
  "Passwort:\n{password}",
  "Mot de passe :\n{password}",
  "Contraseña:\n{password}",
  "密码：\n{password}",
  "パスワード\n{password}",
  "Password\n--------\n{password}",
  "Password:\n\n\n{password}",
  "Password ->\n{password}",
  "PASSWORD=\\\n{password}",
  "--api-key \\\n  {key}",
  'password =\n  "{password}"',
  'const apiKey =\n  "{key}";',
  '"password":\n    "{password}"',
];

const BENIGN: readonly string[] = [
  "Password:\nForgot your password?",
  '"required": [\n  "password",\n  "address1"\n]',
  '{\n  "name": "password",\n  "label": "Password9"\n}',
  "Username\nPassword\nSign-In",
  "Enter your password\nand press Enter",
  "Enter your API key\nin the settings",
  "Password:\n",
  "password:\n  type: string\n  minLength: 8",
  "password:\n  description: The password",
  "## Authentication token\n\nThe token is sent in the header.",
  "| Name | Key |\n|---|---|\n| Ada | Lovelace1815 |",
  "| option | token | default |\n|---|---|---|\n| user | the token of the user | none |",
  "| Password |\n| --- |\n| at least 8 characters |",
  "email,password,name\nstring,string,string",
  "Please change your password, then log in\nMonday9am works, too",
  "the user, the password, and the token\nare stored in the vault",
  "API key\n\nhttps://example.com/docs/api-keys",
  "API key:\n```\nexport API_KEY=<your key>\n```",
  "## API key\n\nuser-guide/authentication.md",
  "## Token\n\ngetAccessTokenFromCache",
  "## Password\n\nRequirements2024",
  "## Password\n\nSee chapter 3.",
  "secrets:\n  - my-app-secret-name-production",
  "tokens:\n  - user_access_token_v2",
  "The session token\nexpires after 24h",
  "Reset your password\nCustomer-Service-2024",
  "password:\n  ${DB_PASSWORD}",
  "api_key:\n  - ***REMOVED***",
  "secret:\n  secretName: my-tls-secret",
  "const token =\n  getTokenFromRequest(request);",
  "password =\n  process.env.PASSWORD",
  "token:\n  valueFrom:\n    secretKeyRef:",
  "The secret key:\n\n1. Work hard.\n2. Sleep.",
  "Forgot password\nContact support@example.com",
  "key,token,count\nthe,the,120",
  "Password\n2024-11-29T10:00:00Z",
  "Public key:\n{key}",
  "API key\n550e8400-e29b-41d4-a716-446655440000",
];

describe("values below the name of a secret", () => {
  it.each(PLACED)("finds the value alone in %j", (template) => {
    const value = Object.entries(VALUES).find(([name]) => template.includes(name))?.[1];
    expect(found(fill(template))).toEqual([value]);
  });

  it.each(BENIGN)("finds nothing in %j", (template) => {
    expect(found(fill(template))).toEqual([]);
  });

  it("covers all values of a column and of a list", () => {
    expect(
      found("user,password,role\nada,hT7$kq92Lm,admin\nbob,guest,user\ncy,wR3!zp71Qa,user\n\nEnd of 2 rows"),
    ).toEqual(["hT7$kq92Lm,admin\nbob,guest,user\ncy,wR3!zp71Qa"]);
    expect(found("api_keys:\n  - q8Zr2TnVb6Xk1LmPw9Yd\n  - m3Kx7RtWc9Qj4NvBz8Hs\nport: 80")).toEqual([
      "q8Zr2TnVb6Xk1LmPw9Yd\n  - m3Kx7RtWc9Qj4NvBz8Hs",
    ]);
  });

  it.each([...PLACED, ...BENIGN])("finds the same in a stream of %j", (template) => {
    const text = fill(template);
    for (const size of [1, 5]) {
      const stream = new DetectorStream([secrets()]);
      const parts = text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
      const findings = parts.flatMap((part) => stream.push(part).findings);
      expect([...findings, ...stream.finish().findings]).toEqual(scanner.scan(text));
    }
  });

  it.each([
    "The password is checked by the server and ",
    "Each key of the table names an author, a token counts letters, and ",
    "Password:\nchoose a good one\nand ",
    "user,password\nada,lovelace\n\nThe list ends here and ",
  ])("releases prose of a stream as soon as no value can stand below a name: %j", (text) => {
    const stream = new DetectorStream([secrets({ include: ["secret-below-name"] })]);
    expect(stream.push(text).text).toBe(text);
  });
});
