import type { PhraseTable } from "../../phrases/phrase-table.js";

/** Words of the languages of one kind of script, in the places of an order. */
interface OrderWords {
  /** Imperatives of "ignore" and "forget". */
  readonly void: string;
  /** "all", "previous" and "above". */
  readonly earlier: string;
  /** "your", "system" and "original". */
  readonly own: string;
  /** Instructions, rules and prompts. */
  readonly orders: string;
  /** The same with an ending that says "your". */
  readonly owned: string;
  /** Imperatives of "show" and "reveal". */
  readonly show: string;
  /** "from now on"; with "you" unless `lack` or `limits` say it. */
  readonly now: string;
  /** "without" and "have no". */
  readonly lack: string;
  readonly limits: string;
}

/**
 * The three orders that attacks repeat in every language: earlier instructions ignored, the system prompt shown, all limits
 * removed. Stems are shared by related languages; no word that English texts use belongs here.
 */
const LATIN: OrderWords = {
  void: "ignoră|ignorați|uită|uitați|nesocotește|hagyd figyelmen kívül|hagyja figyelmen kívül|felejtsd el|felejtse el|ignoruj|ignorujte|zapomeň|zapomeňte|zabudni|zabudnite|ignorera|glöm|bortse från|strunta i|ignorer|glem|se bort fra|ohita|unohda|jätä huomiotta|älä välitä|zanemari|zanemarite|ignoriraj|ignoriši|zaboravi|zaboravite|prezri|pozabi|ne upoštevaj|ignora|ignoreu|oblida|oblideu|ignoruok|nepaisyk|pamiršk|ignorē|neņem vērā|aizmirsti|ignoreeri|unusta|ära järgi|eira|nəzərə alma*|unut|məhəl qoyma|tiborsiz qoldir*|ignoreer|vergeet|bỏ qua|phớt lờ|quên|đừng tuân theo|đừng làm theo|huwag pansinin|huwag mong pansinin|balewalain|kalimutan|abaikan|lupakan|jangan ikut|jangan hiraukan|lirwakna|lalekna|puuza|sahau|usifuate|watsi da|manta da|gbagbe|ko gbogbo|leghara|chefuo|haz caso omiso|no hagas caso|no tengas en cuenta|ne tenez pas compte|ne tiens pas compte|non tenere conto|não leve em conta|houd geen rekening|hou geen rekening|nie zwracaj uwagi|zapomnij|nu mai urma|nu urma|nu respecta|ne kövesd|felejts el|neřiď se|nedodržuj|neriaď sa|följ inte|følg ikke|ikke følg|älä noudata|nemoj slijediti|nemoj pratiti|no segueixis|nesilaikyk|neievēro|əməl etmə|amal qilma|không làm theo|không tuân theo|huwag sundin|jangan patuhi",
  earlier:
    "anterioare|precedente|de mai sus|toate|înainte|korábbi|előző|eddigi|fenti|összes|předchozí|všechny|výše|predchádzajúce|predošlé|všetky|tidigare|ovan|ovanstående|alla|föregående|ovenstående|ovenfor|alle|foregående|tidligere|aiemmat|edelliset|kaikki|aiemmin|prethodn*|gornje|sve|prejšnj*|zgornj*|vsa|anteriors|prèvies|totes|anteriores|précédentes|ci dessus|sopra|precedenti|acima|ankstesn*|visas|visus|iepriekš*|eelneva*|eelmis*|kõiki|əvvəlki|bütün|oldingi|avvalgi|barcha|vorige|bovenstaande|trước|phía trên|bên trên|tất cả|mọi|naunang|nakaraang|lahat|itaas|sebelum ini|di atas|terdahulu|semua|sadurunge|kabeh|awali|yote|zote|yaliyotangulia|hapo juu|gabata|baya|duk|gbogbo|isaaju|niile|gara aga|mbụ|powyższe|poprzednie|předešlé|předchozími|aiempia|saamasi|hierbo|al die",
  own: "tale|tău|inițiale|ți|sistem*|eredeti|své|svá|svých|svoje|svojich|svůj|svoj|tvoje|svoja|původní|pôvodné|systémov*|systemow*|swoich|dina|dine|ursprunglig*|oprindelig*|opprinnelig*|alkuperäi*|järjestelmä*|tvoja|izvorne|početne|prvotna|zgornjih|teves|teu|originals|sistema|savo|pradines|savus|savas|savu|sākotnējās|oma|algsed|ilkin|tizim|jou|oorspronklike|stelsel*|của bạn|hệ thống|ban đầu|iyong|orihinal|anda|awak|asal|yako|zako|mfumo|asali|re|eto|gị|sistemụ",
  orders:
    "instrucțiuni*|reguli*|promptul|tot ce|utasítás*|szabály*|pokyny|pokynov|instrukc*|inštrukc*|pravidl*|prompt|všechno|všetko|instruktion*|instruks*|anvisning*|regler*|reglene|allt som|ohjeet|säännöt|kaikki mitä|sanottu|upute|uputa|pravila|navodil*|poziv|instruccions|regles|instrucciones|consignes|instructions|istruzioni|instruções|instructies|polecenia|zasad*|nurodym*|taisykl*|raginim*|norādījum*|noteikum*|uzvedn*|juhis*|reegl*|təlimat*|göstəriş*|qayda*|koʻrsatma*|rsatma*|qoida*|instruksie*|reëls|hướng dẫn|chỉ dẫn|chỉ thị|quy tắc|lời nhắc|tagubilin|utos|patakaran|arahan|peraturan|instruksi|prentah|gesaan|maagizo|maelekezo|sheria|umarnin|dokokin|itoni|itóni|ase|ofin|òfin|ntuziaka|iwu|uputstva|alt hvad|ohjeita|rendszerpromptot",
  owned:
    "szabályaid*|utasításaid*|rendszerprompt*|sääntösi|ohjeesi|järjestelmäkehott*|systemprompt*|süsteemiviip*|qaydaların*|təlimatların*|kuralların*|qoidalaring*|promptingni|aturanmu|instruksimu|sistemmu|dokokinka|umarninka|umarnin tsarin*|stelselprompt",
  show: "arată|dezvăluie|afișează|mutasd|fedd fel|írd ki|ukaž|prozraď|vypiš|zobraz|ukáž|prezraď|visa|avslöja|skriv ut|vis|afslør|avslør|gjenta|näytä|paljasta|toista|prikaži|otkrij|pokaži|razkrij|mostra|revela|parodyk|atskleisk|parādi|atklāj|näita|avalda|göstər|açıqla|koʻrsat|rsat|wys|openbaar|hiển thị|tiết lộ|cho tôi xem|ipakita|ibunyag|dedahkan|tunjukkan|tuduhna|onyesha|fichua|nuna|bayyana|han|gosi|spune|mondd el|mondd meg|řekni|povedz|berätta|fortæl|fortell|kerro|reci|povej|digues|sabihin|beritahu|niambie|pasakyk|pasaki|ütle|söylə|ayting|vertel my|gaya mini",
  now: "acum|de acum înainte|mostantól|od teď|nyní|odteraz|teraz|från och med nu|från nu|du har nu|fra nu af|fra nå av|du har nå|tästä lähtien|sinulla ei ole enää|od sada|sada|od zdaj|ara|ahora|agora|ora sei|ora non|adesso sei|adesso non|nuo šiol|no šī brīža|nüüdsest|bundan sonra|artıq|artık|endi|van nou af|từ giờ|bây giờ|mula ngayon|mulai sekarang|sekarang|saiki|sasa|yanzu|du bist jetzt|ab jetzt bist du|ab jetzt hast du|tu es maintenant|désormais tu|je bent nu|vanaf nu heb je|vanaf nu ben je|jesteś teraz|od teraz|från nu på har du|od této chvíle|ești acum",
  lack: "ești fără|nu mai ai|nu ai|nincsenek|jsi bez|si bez|nemáš|är du utan|har du inga|inga|er du uden|ingen|er du uten|olet ilman|mitään|nemaš|si brez|nimaš|no tens|ets sense|estás sin|no tienes|você está sem|você não tem|senza|hai|esi be|tev nav|oled ilma|yoxdur|yok|yo q|yoʻq|is jy sonder|het jy geen|bạn không còn|bạn không có|bạn không bị|wala ka nang|wala kang|anda tiada|kamu tidak punya|kamu tanpa|kowe ora duwe|huna|ba ka da|ohne|keine|sans|n as plus|zonder|geen|bez|nie masz|fără",
  limits:
    "restricți*|limită|limite|korlátaid|omezení|obmedzen*|begränsning*|begrænsning*|begrensning*|rajoituks*|ograničen*|omejit*|restriccions|restricció|restricciones|restricción|restrições|limitação|restrizion*|filtr*|apribojim*|ierobežojum*|piirangu*|məhdudiyyətin*|kısıtlaman|kısıtlamaların|sınırların|sınırın|cheklov*|beperking*|giới hạn|hạn chế|limitasyon|sekatan|batasan|watesan|vikwazo|iyaka|einschränkung*|beschränkung*|restriction*|ograniczeń|regler|pravidla|restricție",
};

const CYRILLIC: OrderWords = {
  void: "ігноруй*|проігноруй*|забудь*|не зважай на|игнорирай*|пренебрегни*|забрави|забравете|игнориши|игнорирај|занемари|заборави|ігнаруй*|забудзь*|не обращай внимания|не учитывай|не виконуй|не дотримуйся|не следвай|не спазвай|не прати",
  earlier:
    "попередн*|усі|всі|вище|раніше|предишн*|предходн*|всички|горе|претходн*|све|сите|папярэдні*|усе|предыдущие|выше",
  own: "свої|твої|свій|початков*|системн*|своите|твоите|си|началн*|своја|свој|почетн*|системск*|твојот|свае|сістэмн*",
  orders: "інструкці*|вказівк*|правил*|промпт*|все що|усе що|инструкци*|указани*|всичко|упутства|інструкцы*|правіл*",
  owned: "",
  show: "покажи|повтори|розкрий|виведи|разкрий|откриј|прикажи|пакажы|раскрый|скажи|розкажи|кажи|реци",
  now: "відтепер|тепер|віднині|зараз|отсега нататък|отсега|вече|сега|од сада|сада|од сега|цяпер|теперь|отныне",
  lack: "ти без|ти не маєш|у тебе немає|си без|нямаш|немаш|ты без|у тебя нет",
  limits: "обмежен*|ограничени*|ограничењ*|ограничувањ*|абмежаванн*|филтри",
};

const OTHER_SCRIPTS: OrderWords = {
  void: "نادیده بگیر*|فراموش کن*|نظر انداز کر*|نظرانداز کر*|بھول جا*|له پامه وغورځ*|هېر کړه|উপেক্ষা কর*|ভুলে যা*|दुर्लक्ष कर*|विसरून जा*|विसर|बेवास्ता गर*|बिर्स|बिर्सनुहोस्|ध्यान मत दो|ध्यान न द*|విస్మరించ*|పట్టించుకో*|మర్చిపో|మర్చిపోండి|మరచిపో|మరచిపోండి|புறக்கணி|புறக்கணிக்க*|மறந்துவிடு|மறந்துவிடுங்கள்|અવગણ*|ભૂલી જા*|ನಿರ್ಲಕ್ಷಿಸ*|ಕಡೆಗಣಿಸ*|ಮರೆತುಬಿಡ*|അവഗണിക്ക*|മറക്കുക|മറന്നേക്ക*|ਨਜ਼ਰਅੰਦਾਜ਼ ਕਰ*|ਅਣਡਿੱਠ ਕਰ*|ਭੁੱਲ ਜਾ*|ଅଣଦେଖା କର*|ଭୁଲିଯାଅ|නොසලකා හරින්න|නොසලක*|අමතක කර*|αγνόησε|αγνοήστε|ξέχνα|ξέχασε|ξεχάστε|התעלם|התעלמי|התעלמו|שכח|תשכח|ችላ በ*|እርሳ|لا تلتفت إلى|잊어버려|잊어라|μην ακολουθείς|אל תציית*|پیروی نکن|عمل نکن|عمل نہ کر*|मत मानो|पालन मत कर*|पालन न कर*|पाळू नको*|विसरा|பின்பற்றாதே|పాటించకు|పాటించవద్దు",
  earlier:
    "قبلی|پیشین|بالا|تمام|همه|پچھل*|اوپر|مخکین*|ټولې|আগের|পূর্ববর্তী|উপরের|সমস্ত|সব|मागील|आधीच्या|सर्व|वरील|अघिल्ल*|पहिले*|माथि*|सबै|ऊपर|మునుపటి|అన్ని|ముందు|పై|முந்தைய|அனைத்து|மேலே|અગાઉની|પહેલાની|ઉપરની|બધી|ಹಿಂದಿನ|ಎಲ್ಲಾ|ಮೊದಲಿನ|ಮೇಲಿನ|മുമ്പത്തെ|മുൻ|മുകളി*|എല്ലാ|ਪਿਛਲ*|ਸਾਰ*|ਉੱਪਰ*|ପୂର୍ବ*|ସମସ୍ତ|ଉପରୋକ୍ତ|පෙර|සියලු|කලින්|ඉහත|προηγούμεν*|παραπάνω|όλες|όλους|πριν|הקודמ*|שלמעלה|לעיל|כל|מכל|קודם|የቀድሞ|ያለፉት*|ሁሉ*|ከላይ|أعلاه|السابقة|आधीचे|எல்லா",
  own: "خود|خودت|ات|سیستم|اولیه|اپنے|اپنی|اپنا|سسٹم|ابتدائی|خپل*|سیسټم|তোমার|আপনার|সিস্টেম|প্রাথমিক|तुझ*|तुमच*|मूळ|सिस्टम|तिम्र*|आफ्न*|నీ|మీ|సిస్టమ్|உன்|உங்கள்|சிஸ்டம்|તાર*|તમાર*|સિસ્ટમ|ನಿನ್ನ|ನಿಮ್ಮ|ಸಿಸ್ಟಮ್|നിന്റെ|നിങ്ങളുടെ|സിസ്റ്റം|ਆਪਣ*|ਤੇਰ*|ਸਿਸਟਮ|ତୁମର|ସିଷ୍ଟମ|ඔබේ|පද්ධති|σου|σας|συστήματος|שלך|המקורי*|המערכת|የስርዓት|የመጀመሪያ|네|너의",
  orders:
    "دستور*|قوانین|قواعد|پرامپت|ہدایات|احکامات|پرامپٹ|لارښوون*|پرامپټ|নির্দেশ*|নিয়ম*|প্রম্পট|सूचना*|सूचनां*|निर्देश*|नियम*|प्रॉम्प्ट|प्रम्प्ट|సూచన*|ఆదేశ*|నియమ*|ప్రాంప్ట్|வழிமுறை*|அறிவுறுத்தல்*|விதி*|ப்ராம்ப்ட*|સૂચના*|નિયમ*|પ્રોમ્પ્ટ|ಸೂಚನೆ*|ಆದೇಶ*|ನಿಯಮ*|ಪ್ರಾಂಪ್ಟ್|നിർദ്ദേശ*|നിർദേശ*|നിയമ*|പ്രോംപ്റ്റ്|ਹਦਾਇਤ*|ਨਿਰਦੇਸ਼*|ਨਿਯਮ*|ਪ੍ਰੌਂਪਟ|ନିର୍ଦ୍ଦେଶ*|ନିୟମ*|ପ୍ରମ୍ପ୍ଟ|උපදෙස්|නීති|රොම්ප්ට්|οδηγίες|εντολές|κανόνες|προτροπή|όλα όσα|ההוראות|להוראות|ההנחיות|מההוראות|מההנחיות|הכללים|הנחיית|מה שנאמר|መመሪያ*|ትዕዛዝ*|ህጎች|التعليمات|규칙*|지시*|ትዕዛ*|கட்டளை*|prompt|প্রম্পট*",
  owned: "ህጎችህን|መመሪያህን|መመሪያዎችህን",
  show: "نشان بده*|فاش کن*|دکھا*|ظاہر کر*|وښایه|দেখা*|প্রকাশ কর*|दाखव*|उघड कर*|देखाऊ|देखाउ*|खुलाउ*|చూపించ*|వెల్లడించ*|காட்டு*|வெளிப்படுத்து*|બતાવ*|જાહેર કર*|ತೋರಿಸ*|ಬಹಿರಂಗಪಡಿಸ*|കാണിക്ക*|വെളിപ്പെടുത്ത*|ਦਿਖਾ*|ਦੱਸ*|ଦେଖା*|පෙන්වන්න|δείξε|αποκάλυψε|הצג|חשוף|הראה|אሳይ|አሳይ|ግለጽ|بگو|بتا*|বল*|सांग*|చెప్ప*|சொல்*|ንገረኝ|કહો|ಹೇಳ*|പറയ*|भन*|πες|תגיד*",
  now: "تو اکنون|از این پس تو|از این پس|اب تم پر|اب آپ پر|اوس ته|এখন থেকে|এখন তোমার|आता तुझ्यावर|आता तुमच्यावर|अब तिमीमाथि|अब तपाईंमाथि|ఇప్పుడు నీకు|ఇకపై నీకు|ఇప్పుడు మీకు|இப்போது உனக்கு|இப்போது உங்களுக்கு|હવે તારા|હવે તમારા|ਹੁਣ ਤੇਰੇ|ਹੁਣ ਤੁਹਾਡੇ|දැන් ඔබට|από εδώ και πέρα|από τώρα|τώρα|מעכשיו|עכשיו|አሁን|أنت الآن|من الآن فصاعدا|अब तुम पर|अब आप पर|अब से आपकी|अब से तुम्हारी|너는 이제|넌 이제|지금부터 너*|이제부터 너*",
  lack: "تو هیچ|شما هیچ|نداری|بدون|نہیں|هیڅ|নেই|नाही*|छैन*|లేవు|లేదు|இல்லை|નથી|ਨਹੀਂ|නැත|είσαι χωρίς|δεν έχεις|אתה ללא|אתה בלי|אין לך|የለብህም|የለህም|بلا|ليس لديك|नहीं|없*",
  limits:
    "محدودیت*|پابندی*|সীমাবদ্ধতা|বিধিনিষেধ|निर्बंध*|प्रतिबन्ध*|పరిమితు*|ఆంక్ష*|கட்டுப்பாடு*|પ્રતિબંધ*|ਪਾਬੰਦੀ*|සීමා*|περιορισμ*|הגבלות|מגבלות|ገደብ*|قيود|प्रतिबंध*|सीमा|제한*|제약*",
};

/** Scripts without spaces, in which a gap counts characters. */
const UNSPACED: OrderWords = {
  void: "ละเว้น|เพิกเฉย|ลืม|ไม่ต้องสนใจ|อย่าสนใจ|မေ့လိုက်|လျစ်လျူရှု|唔好理|唔使理|唔記得晒|ไม่ต้องทำตาม|อย่าทำตาม",
  earlier: "ก่อนหน้า|ข้างต้น|ด้านบน|ทั้งหมด|ယခင်|အရင်|အထက်ပါ|အားလုံး|之前|以上|所有",
  own: "ของคุณ|ระบบ|သင့်|စနစ်|你啲|你嘅",
  orders: "คำสั่ง|คำแนะนำ|กฎ|พรอมต์|พรอมป์|พร้อมท์|ညွှန်ကြားချက်|စည်းမျဉ်း|ပရောမ့်|指示|指令|規則|系統提示",
  owned: "初始指令",
  show: "แสดง|เปิดเผย|บอก|ပြပါ|ဖော်ပြ|話我知|顯示出嚟",
  now: "ตอนนี้|จากนี้ไป|ต่อจากนี้|ယခု|အခု|你而家|你现在|你現在|从现在起你|从现在开始你|從現在起你|從現在開始你|あなたは今|今からあなた|これからあなた",
  lack: "คุณไม่มี|မရှိ|冇|没有|沒有|不受|がありません|はありません|もない|がない|はない",
  limits: "ข้อจำกัด|ကန့်သတ်ချက်|限制|约束|約束|制限|制約",
};

const SCRIPTS = { latin: LATIN, cyrillic: CYRILLIC, other: OTHER_SCRIPTS, unspaced: UNSPACED };

/** Words of each place by the name of their list: `latin-void`. */
export const WORLD_LISTS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(SCRIPTS).flatMap(([script, words]) =>
    Object.entries(words).map(([place, list]) => [`${script}-${place}`, list] as const),
  ),
);

/** Most words between two places of a phrase: after a verb, between the others, and before a verb. */
interface Gaps {
  readonly next: number;
  readonly near: number;
  readonly far: number;
}

const LATIN_GAPS: Gaps = { next: 2, near: 3, far: 4 };
const WORDS: Gaps = { next: 1, near: 3, far: 4 };
const CHARACTERS: Gaps = { next: 3, near: 3, far: 12 };

/** Returns the phrases of a script. */
function phrasesOf(script: keyof typeof SCRIPTS, { next, near, far }: Gaps): PhraseTable {
  const each = (...phrases: readonly string[]): readonly string[] =>
    phrases.map((phrase) => phrase.replaceAll("<", `<${script}-`));
  const overridden = ["earlier", "own"].flatMap((whose) =>
    each(
      `<void> ~${next} <${whose}> ~${near} <orders>`,
      `<void> ~${next} <orders> ~${near} <${whose}>`,
      `<${whose}> ~${near} <orders> ~${far} <void>`,
      `<orders> ~${near} <${whose}> ~${far} <void>`,
    ),
  );
  return {
    "instruction-override.full": [...overridden, ...each(`<void> ~${near} <owned>`, `<owned> ~${near} <void>`)],
    "prompt-leak.full": each(
      `<show> ~${near} <own> ~${near} <orders>`,
      `<show> ~${near} <orders> ~${near} <own>`,
      `<own> ~${near} <orders> ~${far} <show>`,
      `<orders> ~${near} <own> ~${far} <show>`,
      `<show> ~${near} <owned>`,
      `<owned> ~${near} <show>`,
    ),
    "no-restrictions.pretend": each(
      `<now> ~${near} <lack> ~${near} <limits>`,
      `<now> ~${far} <limits> ~${near} <lack>`,
    ),
  };
}

/** Phrases whose parts are one word, or words of English. */
const FUSED: PhraseTable = {
  "instruction-override.full": [
    "(abeg|no follow|no mind|forget all di|ignore all di) ~4 (instruction|instructions|rules)",
  ],
  "no-restrictions.pretend": [
    "(you are now|youre now|from now on you are|from now on you have) ~1 (without|free of|free from|no) ~1 (restrictions|filters|limits|rules|limitations|censorship)",
    "mostantól ~1 korlátozások nélkül (működsz|vagy|válaszolsz)",
    "(ಈಗ ನಿನಗೆ|ಈಗ ನಿಮಗೆ) ~2 ನಿರ್ಬಂಧಗಳಿಲ್ಲ|(ഇപ്പോൾ നിനക്ക്|ഇപ്പോൾ നിങ്ങൾക്ക്) ~2 (നിയന്ത്രണങ്ങളൊന്നുമില്ല|നിയന്ത്രണങ്ങളില്ല)",
  ],
};

/** Phrases of some fifty languages by concepts alone. */
export const WORLD_LANGUAGES: readonly PhraseTable[] = [
  FUSED,
  phrasesOf("latin", LATIN_GAPS),
  phrasesOf("cyrillic", WORDS),
  phrasesOf("other", WORDS),
  phrasesOf("unspaced", CHARACTERS),
];
