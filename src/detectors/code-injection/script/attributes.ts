/** Attribute of a tag, with its name in lower case and its value without quotes. */
export interface Attribute {
  readonly name: string;
  readonly value: string;
}

/** Start tag of HTML as browsers read it, which take slashes and stray quotes between attributes. */
export interface Tag {
  readonly name: string;
  readonly attributes: readonly Attribute[];
  /** Offset after the tag, or where reading it ended. */
  readonly end: number;
}

const NAME = /<+\/?([a-z][a-z0-9:_-]{0,30})/iy;
const ATTRIBUTE =
  /[\s/"'`]{0,64}([^\s/"'`=<>][^\s/=<>"'`]{0,63})?(\s{0,32}=\s{0,32})?(?:"([^"]{0,1024})"?|'([^']{0,1024})'?|`([^`]{0,1024})`?|([^\s>"'`<][^\s><]{0,1023}))?/y;
const MOST_ATTRIBUTES = 24;

/** Returns the tag that starts at an offset, or undefined. */
export function readTag(text: string, start: number): Tag | undefined {
  NAME.lastIndex = start;
  const name = NAME.exec(text)?.[1];
  if (name === undefined) return undefined;
  const attributes: Attribute[] = [];
  let at = NAME.lastIndex;
  while (attributes.length < MOST_ATTRIBUTES && at < text.length && !/[<>]/.test(text.charAt(at))) {
    ATTRIBUTE.lastIndex = at;
    const found = ATTRIBUTE.exec(text);
    if (found === null || found[0] === "") break;
    at = ATTRIBUTE.lastIndex;
    const [, attribute = "", , double, single, back, bare] = found;
    const value = double ?? single ?? back ?? bare ?? "";
    if (attribute !== "")
      attributes.push({ name: attribute.toLowerCase(), value: found[2] === undefined ? "" : value });
  }
  return { name: name.toLowerCase(), attributes, end: text.charAt(at) === ">" ? at + 1 : at };
}

/**
 * Returns a value as a browser reads it before it looks at the scheme of a URL or at a style: without entities, escapes of
 * style sheets, comments, control characters and spaces, in lower case.
 */
export function plainValue(value: string): string {
  return value
    .replaceAll(/&#(?:x([\da-f]{1,7})|(\d{1,8}));?/gi, (_match, hex: string | undefined, decimal: string | undefined) =>
      characterOf(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)),
    )
    .replaceAll(/&(?:colon|tab|newline|lpar|rpar|nbsp);/gi, (entity) => ENTITIES[entity.toLowerCase()] ?? "")
    .replaceAll(/\\([\da-f]{2,6})\s?/gi, (_match, hex: string) => characterOf(Number.parseInt(hex, 16)))
    .replaceAll(/\/\*[^*]{0,64}\*\/|<!--[^>]{0,64}>|[\u0000-\u0020\u007f\\]/g, "")
    .toLowerCase();
}

const ENTITIES: Readonly<Record<string, string>> = { "&colon;": ":", "&lpar;": "(", "&rpar;": ")" };

function characterOf(code: number): string {
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "";
}
