import { createRandom } from "../../retrieval/matcher/random.js";
import { sampleCharacters } from "./sample-pattern.js";

/** Texts that look disguised and are not: they stay as they are. */
const SENTENCES = [
  "Алекса́ндр Влади́мирович Пове́ткин won 6–4, 6–1 in the U.S.S.R. (R.L.F.C.), set {7,2,8,4}; union CHR(58)||CHR(118)||CHR(105)",
  "Great job 👨‍👩‍👧‍👦 family! ❤️ ☺️ ✌🏽 1️⃣ #️⃣ 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🇩🇪 🏳️‍🌈 🅰️ ©️ ™️",
  "Ça déjà vu, naïve façade: où est l'été à Besançon? Le garçon a reçu 10 €.",
  "Größe, Straße, Übermut und Äpfel kosten 3,50 € je Kilo.",
  "El niño comió piñas en el mañana; ¿qué pasó? ¡Adiós! La 1ª vez.",
  "Příliš žluťoučký kůň úpěl ďábelské ódy.",
  "Zażółć gęślą jaźń w Łodzi.",
  "Tiếng Việt: Tôi muốn đặt một phòng khách sạn được không?",
  "İstanbul'da ılık bir gün, Işık söndü.",
  "Я использую API и Excel: с ней всё проще, а о нём позже. Хорошо, спасибо!",
  "Купил SMSка и PDFка в магазине за 500 рублей; COVID-19 отступил.",
  "Привет, как дела? Это обычный русский текст о погоде в Москве.",
  "Україна має її та їжу: де є мій ноутбук?",
  "Η Αθήνα είναι η πρωτεύουσα της Ελλάδας. Το νέο βιβλίο είναι ωραίο.",
  "Let α = 0.05 and β = 0.2, with Δx and μ in μm; the angle θ is 30°.",
  "مرحبا، كيف حالك؟ أريد حجز موعد يوم الأحد.",
  "שלום, מה שלומך? (C++‎) הטקסט הזה תקין.",
  "می‌خواهم کتاب‌ها را بخوانم.",
  "हिन्दी में लिखा हुआ पाठ क्‍या यह ठीक है?",
  "ภาษาไทยไม่มีช่องว่างระหว่างคำ",
  "你好，请问这个多少钱？（价格：128元）",
  "日本語のテキスト！「こんにちは」と言いました。ABCではない。",
  "한국어 문장입니다. 그 때 난 참 좋았다.",
  "The formula is H₂O and CO₂, area 5 m², 10⁻³, xⁿ and x̄ = 5.",
  "IPA: /ˈɪŋɡlɪʃ/ and [ˈtʰɔp] are transcriptions.",
  "“Curly quotes” – dashes — and ellipses… with non-breaking hyphens.",
  "My 3 kids ate 24 cookies at 5pm on the 1st, 2nd and 3rd; see mp3, H2O, B2B, x86, win10, v1.2.3 and 4K.",
  "Order #4512-88 ships 2024-05-06T12:30:00Z for $19.99 + tax, 50% off!",
  "Call me at 555-0132 or 5555555555554444, code 4111 1111 1111 1111.",
  "The U.S.A. and the U.K. met J. R. R. Tolkien at 9 a.m. (e.g. in N.Y.).",
  "Vitamins A, B, C and D; plan A or B; grade A+.",
  'const path = "src/detectors/hygiene/views.ts"; import x from "./some-long-kebab-case-name";',
  "C:\\Users\\ada\\Documents\\notes.txt and \\n in a string, R&D, AT&T, Q&A; 100% sure & more",
  "see https://example.org/a/b?x=1&y=2#section-3 and mail ada@example.org",
  "def getElementByIdentifier(some_long_snake_case_name): return internationalization",
  "body { color: #ff8800; background: #1a2b3c; border: 1px solid #abc }",
  "Colours: #deadbeef, #c0ffee, 0xDEADBEEF, 0x1F600 and rgba(10, 20, 30, 0.5)",
  "12 24 36 48 60 72 84 96 and 10 20 30 40 50 60 70 80",
  "lottery: 03 14 15 26 37 42; MAC 00:1A:2B:3C:4D:5E; IPv6 2001:0db8:85a3:0000:0000:8a2e:0370:7334",
  "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJ\n-----END CERTIFICATE-----",
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7",
  "data:image/jpeg;base64,/9j/4AAQSkZJRgABAQEAYABgAAD/2wBDAAgGBgcGBQgHBwcJCQgKDBQNDAsLDBkSEw8UHRofHh0a",
  "Heart rates: 72 75 80 68 90 101 64 77 85 79 83 66; scores 72, 85, 90, 66, 78, 92, 88, 97, 100, 54, 61",
  "65 66 67 68 69 70 71 72 73 74 75, 97 98 99 100 101 102 103 and 12-1-20, 3-1-20, 19-5-1, 10-15-25",
  "bits 0101 1010 0011 1100 and 00000000 11111111 00000001 10000000 11111110 00001111",
  "7F 45 4C 46 02 01 01 00 00 00; de ad be ef ca fe ba be; face bead cafe deed fade babe",
  "Germany 🇩🇪 beat Brazil 🇧🇷 7:1 🇩🇪🇫🇷🇮🇹🇪🇸🇬🇧🇺🇸🇯🇵🇨🇳🇧🇷🇮🇳🇿🇦🇦🇺🇨🇦🇲🇽🇦🇷 🇪🇺🇺🇳",
  "Morse code: A .-  B -...  C -.-.  D -..  E .  F ..-.  G --.; SOS is ... --- ...",
  "Chapter 1 .......... 5\nChapter 2 .......... 9\n----- ----- -----\n* * *\n- - -\n| -- | --- | - |",
  "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏ loading ⣿⣿⣿⣷⣶⣤⣀⡀; the Braille letter a is ⠁ and b is ⠃.",
  "?page=20&size=10, x=10; y=20; z=30; width=20 height=30 depth=40, timeout=20s, 1+1=2, 10+10=20, 15+15=30",
  "state-of-the-art, cost-effective, user-friendly tools of a well-known, long-term, open-source project",
  "mother-in-law, jack-of-all-trades, twenty-one, thirty-two, check-in, sign-up and pick-up; re-use and co-operate",
  "this that with from have will been; able baby card door easy fact game hand idea jazz",
  "otpauth://totp/x?secret=JBSWY3DPEHPK3PXP and ACGT ACCA TTGA CCGT AACC GGTT",
  "U+0041 is A, U+0042 is B; \\d+\\s*\\w{2}; C:\\dir\\a1 \\b2 \\c3 \\d4",
  "We stayed at Hotel India, played golf and drank whiskey in Lima in November with Oscar, Mike and Romeo",
  "Select one:\nA\nB\nC\nD\nE\nF\nG\nH; (a) (b) (c) (d) (e) (f); ['a', 'b', 'c', 'd', 'e', 'f']",
  "<b>H</b>ello <i>W</i>orld, H<sub>2</sub>O, **bold** and **str**ong; foo|bar|baz, a/b/c, dotted.path.name",
  "/ˈɹɛzɪdənt/, kəmˈpjuːtəɹ and the schwa ə; Mǝn; ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ; xᵢ + yᵢ = zᵢ for all i",
  "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7; drwxr-xr-x 2 root root 4096 Nov 24 12:58 a",
];

const HEX = "0123456789abcdef";
const BASE64_URL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const random = createRandom(5);

const hashes = (alphabet: string, length: number, count: number, end = ""): string[] =>
  Array.from({ length: count }, () => `commit ${sampleCharacters(alphabet, length, random)}${end} is fine`);

/** A random UUID of version 4. */
function sampleUuid(): string {
  const hex = (length: number): string => sampleCharacters(HEX, length, random);
  return `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`;
}

/** Texts that look disguised and are not. */
export const BENIGN_SIGNS: readonly string[] = [
  ...SENTENCES,
  ...hashes(HEX, 32, 30),
  ...hashes(HEX, 40, 30),
  ...hashes(HEX, 64, 30),
  ...hashes(BASE64_URL.replace("-", "+").replace("_", "/"), 43, 30, "="),
  ...hashes(BASE64_URL, 86, 20),
  ...Array.from({ length: 30 }, (_, at) => `request ${sampleUuid()} took ${at} ms`),
];
