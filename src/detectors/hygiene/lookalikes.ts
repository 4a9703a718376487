/** Letters that look like ASCII letters, and these, by script: from `confusables.txt` of Unicode, with some of small size. */
const TABLE: readonly (readonly [letters: string, ascii: string])[] = [
  [
    "ЅІЈАВЕКМНОРСТУХЬагеорсухѕіјѡѴѵҮүһҽӀӏԁԌԛԜԝꙇкмтвнпѐёїӧӦЁЇҺԚ",
    "SIJABEKMHOPCTYXbareopcyxsijwVvYyheIldGqWwikmtbhneeioOEIhQ",
  ],
  ["ͿΑΒΕΖΗΙΚΜΝΟΡΤΥΧαγικνορσυϒϜϱϲϳϹϺᴦεητωβχμϵ", "JABEZHIKMNOPTYXayikvopouYFpcjCMrentwbxue"],
  [
    "ɨʉⱥıƄƍƖƦƽǀɑɡɣɩɪɯʋʏᴄᴏᴑᴜᴠᴡᴢᶃᶌẝỿꜱꞘꞙꞟꞲꞳꞴꬲꬵꬽꭇꭈꭎꭒꭚȷɴʀʙɢʜʟᴀᴅᴇᴊᴋᴍᴘᴛꜰɱɳɲɗɖɓƙƥƭƴʂʐʑɾɽɦɛ",
    "iuaibgIRsIagyiiwuycoouvwzgyfysFfuJXBeforruuyjnrbghladejkmptfmnnddbkptyszzrrhe",
  ],
  ["ᏆᏴᎠᎡᎢᎥᎩᎪᎫᎬᎳᎷᎻᎽᏀᏂᏃᏏᏒᏔᏕᏙᏚᏞᏟᏢᏦᏧᏳᏴꭵꮁꮃꮓꮩꮪꮯ", "IBDRTiYAJEWMHYGhZbRWSVSLCPKdGBirwzvsc"],
  ["ꓐꓑꓒꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴ", "BPdDTGKJCZFMNLSRVHWXYAEIOU"],
  ["ⲅⲎⲒⲔⲘⲚⲞⲟⲢⲣⲤⲥⲦⲨⲬⳐⲀⲂⲈ", "rHIKMNOoPpCcTYXLABE"],
  ["ՍՏՕագզհոռսցքօձյլԼ", "USOwqqhnnugfodjlL"],
];

/** Latin letters that look like Cyrillic ones, and these, for a Russian word that is disguised with Latin letters. */
const CYRILLIC_TWINS = new Map(zip("aceopxyABEKMHOPCTXiIjs", "асеорхуАВЕКМНОРСТХіІјѕ"));

/** Cyrillic and Greek letters that look the same as ASCII ones in most fonts. */
const IDENTICAL = new Set("ЅІЈАВЕКМНОРСТХаеорсухѕіјһԁԛԝӏΑΒΕΖΗΙΚΜΝΟΡΤΥΧοϲϳ");

/** Letters that look like ASCII ones to a lesser degree: in a word without Latin letters they are taken for what they are. */
const ALIKE = new Set("кмтвнпѐёїӧӦЁЇεητωβχμϵ");

let table: ReadonlyMap<number, string> | undefined;

/** ASCII letters by the code of the letters that look like them. */
export function lookalikes(): ReadonlyMap<number, string> {
  table ??= new Map(
    TABLE.flatMap(([from, to]) => [...zip(smallCherokee(from), to.toLowerCase()), ...zip(from, to)]).map(
      ([letter, ascii]) => [letter.codePointAt(0) ?? 0, ascii],
    ),
  );
  return table;
}

/** Returns the ASCII letter that a letter looks like. */
export function asciiTwin(letter: string): string | undefined {
  return lookalikes().get(letter.codePointAt(0) ?? 0);
}

/** Returns the Cyrillic letter that looks like a Latin one. */
export function cyrillicTwin(letter: string): string | undefined {
  return CYRILLIC_TWINS.get(letter);
}

/** Returns true for a letter that makes a word without Latin letters one of its own script. */
export function isMerelyAlike(letter: string): boolean {
  return ALIKE.has(letter);
}

/** Returns true if a letter looks the same as an ASCII one, and not only alike. */
export function isIdentical(letter: string): boolean {
  return IDENTICAL.has(letter);
}

/** Small letters of Cherokee look like its capitals; those of other scripts stay. */
function smallCherokee(letters: string): string {
  return letters.replaceAll(/[\u13a0-\u13ef]/g, (letter) => letter.toLowerCase());
}

function zip(from: string, to: string): [string, string][] {
  const targets = [...to];
  return [...from].map((letter, at) => [letter, targets[at] ?? letter]);
}
