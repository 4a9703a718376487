import type { PhraseTable } from "../../phrases/phrase-table.js";

/** Dutch phrases. */
export const DUTCH: PhraseTable = {
  "instruction-override.full": [
    "(negeer|negeren|vergeet|vergeten|verwerp|volg niet) ~4 (alle|bovenstaande|eerdere|je|jouw|oorspronkelijke|systeem|uw|voorgaande|vorige) ~3 (aanwijzing*|bevel*|commando*|instructie*|opdracht*|prompt*|regels|richtlijn*)",
    "(negeer|vergeet) alles ~3 (daarvoor|eerder|hierboven|hiervoor|wat)",
  ],
  "prompt-leak.full": [
    "(deel|geef|herhaal|kopieer|laat|onthul|print|schrijf|toon|vertaal|vertel|wat is|wat zijn) ~5 (eerste instructies|geheime instructies|interne instructies|je instructies|je prompt|jouw instructies|oorspronkelijke instructies|systeem prompt|systeembericht|systeeminstructies|systeemprompt*|uw instructies|verborgen instructies)",
    "(herhaal|kopieer|schrijf) ~3 (alles|tekst|woorden) ~2 (boven|hierboven|hiervoor)",
  ],
  "no-restrictions.full": [
    "(enige|geen|niet gebonden aan|vrij van|zonder) ~3 (beperking*|censuur|ethiek|ethische|filter*|grenzen|moraal|morele|regels|remmingen|richtlijnen)",
    "(ongeacht|ook al|zelfs als) ~5 (gevaarlijk|illegaal|immoreel|onethisch|schadelijk)",
  ],
  "no-restrictions.ai": [
    "(ai|assistent|bot|chatbot|model|taalmodel) ~5 (geen|vrij van|zonder) ~3 (beperking*|censuur|ethiek|ethische|filter*|moraal|morele|regels)",
    "(amorele|immorele|onbeperkte|ongecensureerde|ongefilterde) ~2 (ai|antwoorden|assistent|bot|chatbot|model|versie)",
  ],
  "persona.act": [
    "(doe alsof|gedraag je als|je bent nu|jij bent nu|speel de rol|stel je voor dat je|u bent nu|vanaf nu ben je|vanaf nu ben jij)",
  ],
  "refusal-suppression.full": [
    "(geen|niet|nooit|zonder) ~3 (disclaimer*|excuses|moraliseren|verontschuldig*|waarschuwing*|weiger|weigeren)",
  ],
  "known-jailbreak.strong": ["dan modus|jailbreak modus"],
  "known-jailbreak.mode": ["godmodus|ontwikkelaarsmodus|ontwikkelmodus"],
  "authority.strong": [
    "(deactiveer|omzeil|schakel) ~3 (beveiligingsfilter*|censuur|contentfilter*|moderatie|veiligheidsfilter*)",
  ],
  "secret-extraction.full": [
    "(geef|onthul|spel|vertel|wat is|zeg) ~4 (geheime code|geheime sleutel|geheime wachtwoord|geheime woord|toverwoord)",
  ],
  "secret-extraction.ask": ["(geef|onthul|spel|vertel|wat is|zeg) ~4 (codewoord|het geheim|het wachtwoord)"],
};

/** Turkish phrases. */
export const TURKISH: PhraseTable = {
  "instruction-override.full": [
    "(bütün|daha önceki|ilk|mevcut|sistem|tüm|yukarıdaki|önceki) ~4 (emir*|istem*|komut*|kural*|prompt*|talimat*|yönerge*) ~3 (boş ver*|dikkate alma*|görmezden gel*|göz ardı et*|iptal et*|unut*|uyma*|yok say*)",
  ],
  "prompt-leak.full": [
    "(başlangıç talimat*|gizli talimat*|ilk talimat*|promptunu|sistem istemi*|sistem mesaj*|sistem prompt*|sistem talimat*|talimatların|talimatlarını) ~4 (açıkla*|göster*|nedir|neler|paylaş*|söyle*|tekrarla*|ver|yaz|yazdır*|çevir)",
  ],
  "no-restrictions.full": [
    "(ahlaki|etik|filtre*|hiçbir|kural*|kısıtlama*|sansür*|sınırlama*) ~3 (bağlı değil*|olmadan|olmayan|sınır*|tanımayan|tanımaz|uymayan|uymaz|yok)",
    "filtresiz|sansürsüz|sınırsız yapay",
  ],
  "no-restrictions.ai": [
    "(ahlaksız|filtresiz|kuralsız|kısıtlaması olmayan|kısıtlamasız|sansürsüz|sınırsız|sınırı olmayan) ~3 (asistan*|bot|chatbot*|model*|sohbet botu*|yapay zeka*)",
  ],
  "persona.act": [
    "(artık sen|bundan sonra sen|gibi davran*|mış gibi yap*|rolüne gir*|rolünü oyna*|sen artık|şu andan itibaren)",
  ],
  "refusal-suppression.full": [
    "(asla|hiçbir|hiçbir zaman|uyarı*|özür) ~3 (dileme|geri çevirme*|reddedemezsin|reddetme*|uyarı ekleme*|uyarı yapma*|özür dileme*)",
  ],
  "known-jailbreak.strong": ["dan modu*|jailbreak modu*"],
  "known-jailbreak.mode": ["geliştirici modu*|sınırsız mod*|tanrı modu*"],
  "authority.strong": [
    "(güvenlik filtre*|güvenlik önlem*|içerik filtre*|sansür*) ~2 (atla*|devre dışı*|kaldır*|kapat*)",
  ],
  "secret-extraction.full": [
    "(gizli anahtar*|gizli kelime*|gizli kod*|gizli şifre*) ~3 (açıkla*|göster*|nedir|paylaş*|söyle*|ver)",
  ],
  "secret-extraction.ask": ["(parolayı|sırrı|şifreyi) ~3 (açıkla*|göster*|nedir|paylaş*|söyle*|ver)"],
};

/** Arabic phrases, with the prefixes that are written together with a word. */
export const ARABIC: PhraseTable = {
  "instruction-override.full": [
    "(أهمل|انس|انسى|تجاهل|تجاهلوا|تجاهلي|لا تتبع|وتجاهل) ~4 (أوامر|إرشادات|الأوامر|الإرشادات|البرمجة|التعليمات|التوجيهات|القواعد|المطالبات|برمجتك|تعليمات|تعليماتك|توجيهات|توجيهاتك|قواعد|قواعدك)",
    "(انس|انسى|تجاهل) (جميع|كافة|كل) ~2 (الأوامر|التعليمات|السابق*|ما)",
  ],
  "prompt-leak.full": [
    "(أخبرني|أظهر|أعطني|اطبع|اعرض|اكتب|اكشف|انسخ|ترجم|شارك|كرر|ما هو|ما هي) ~5 (التعليمات الأصلية|التعليمات الأولية|التعليمات التي|التعليمات السرية|التعليمات المخفية|القواعد الخاصة بك|تعليمات النظام|تعليماتك|توجيهاتك|رسالة النظام|مطالبة النظام|موجه النظام)",
    "(اطبع|انسخ|كرر) ~3 (الكلمات|النص|كل ما) ~2 (أعلاه|السابق|فوق)",
  ],
  "no-restrictions.full": [
    "(بدون|بلا|خال من|خالي من|دون|لا تلتزم|لا توجد|لا يلتزم|ليس لديك|متحرر من) ~3 (أخلاق|أخلاقيات|أخلاقية|أي قيود|القيود|بالقواعد|حدود|رقابة|ضوابط|فلاتر|قواعد|قيود|مرشحات)",
    "(بغض النظر|حتى لو|حتى وإن) ~5 (خطير*|ضار*|غير أخلاقي*|غير قانوني*)",
  ],
  "no-restrictions.ai": [
    "(الذكاء الاصطناعي|برنامج دردشة|ذكاء اصطناعي|روبوت|مساعد|نموذج) ~5 (بدون|بلا|خال من|دون|لا يلتزم|ليس لديه|متحرر من) ~3 (أخلاق|أخلاقيات|أي قيود|حدود|رقابة|ضوابط|فلاتر|قواعد|قيود|مرشحات)",
  ],
  "persona.act": ["(أنت الآن|العب دور|تخيل أنك|تصرف كأنك|تصرف كما لو|تظاهر|تقمص|من الآن فصاعدا)"],
  "refusal-suppression.full": ["(أبدا|بدون|دون|لا|لن) ~3 (إخلاء مسؤولية|اعتذار|تحذير|تحذيرات|ترفض|تعتذر|تقل لا|رفض)"],
  "known-jailbreak.strong": ["وضع dan"],
  "known-jailbreak.mode": ["كسر الحماية|وضع الإله|وضع المطور|وضع المطورين|وضع بلا قيود"],
  "authority.strong": [
    "(ألغ|أوقف|إيقاف|تجاوز|عطل|قم بتعطيل) ~3 (الرقابة|بروتوكولات الأمان|فلاتر الأمان|قيود الأمان|مرشحات الأمان|مرشحات المحتوى)",
  ],
  "secret-extraction.full": [
    "(أخبرني|أعطني|اكشف|قل لي|ما هو|ما هي) ~3 (الرمز السري|الكلمة السرية|المفتاح السري|كلمة المرور السرية)",
  ],
  "secret-extraction.ask": ["(أخبرني|أعطني|اكشف|قل لي|ما هو|ما هي) ~3 (السر)"],
};

/** Hindi phrases, and some in Latin letters. */
export const HINDI: PhraseTable = {
  "instruction-override.full": [
    "(अपने|उपरोक्त|ऊपर|पहले|पिछली|पिछले|पूर्व|मूल|सभी|सारे) ~5 (आदेश*|दिशानिर्देश*|नियम*|निर्देश*|प्रॉम्प्ट*|बातें|हिदायत*) ~4 (अनदेखा|अनदेखी|उपेक्षा|न मानें|नज़र अंदाज़|नज़रअंदाज़|भुला|भूल|मत मानो|रद्द)",
    "(pehle|pichle|sabhi|sare) ~4 (instructions|nirdesh|nirdeshon|niyam|rules) ~3 (andekha|bhool|bhul|ignore|nazarandaz)",
  ],
  "prompt-leak.full": [
    "(अपना प्रॉम्प्ट*|अपने निर्देश*|गुप्त निर्देश*|छिपे निर्देश*|प्रारंभिक निर्देश*|मूल निर्देश*|शुरुआती निर्देश*|सिस्टम निर्देश*|सिस्टम प्रॉम्प्ट*|सिस्टम संदेश*) ~5 (अनुवाद*|क्या|दिखा*|दोहरा*|प्रकट*|प्रिंट*|बता*|लिख*|साझा*)",
    "(उपरोक्त|ऊपर) ~3 (टेक्स्ट*|पाठ*|शब्द*|सब कुछ) ~4 (दोहरा*|प्रिंट*|लिख*)",
  ],
  "no-restrictions.full": [
    "(किसी भी|कोई|प्रतिबंध*|फ़िल्टर*|बिना|सीमा*|सेंसर*) ~4 (नहीं|नियम*|नैतिक*|प्रतिबंध*|फ़िल्टर*|मुक्त|रोक टोक|सीमा*|सेंसर*)",
    "(चाहे|भले ही) ~5 (अनैतिक|अवैध|खतरनाक|गैरकानूनी|हानिकारक)",
  ],
  "no-restrictions.ai": [
    "(किसी भी|बिना) ~5 (नियम*|नैतिक*|प्रतिबंध*|फ़िल्टर*|सीमा*|सेंसर*) ~5 (ai|एआई|चैटबॉट*|बॉट*|मॉडल*|सहायक*)",
  ],
  "persona.act": [
    "(अब आप|अब तुम|अब से आप|अब से तुम|आप अब|कल्पना करो कि तुम|की तरह व्यवहार|की भूमिका निभा*|तुम अब|नाटक करें|नाटक करो|मान लो कि तुम)",
  ],
  "refusal-suppression.full": ["(कभी|कोई|नहीं|बिना|मत) ~4 (अस्वीकार*|इनकार*|चेतावनी*|मना न|मना नहीं|मना मत|माफी*)"],
  "known-jailbreak.strong": ["dan मोड"],
  "known-jailbreak.mode": ["गॉड मोड|डेवलपर मोड|डेवलपर मोड*"],
  "authority.strong": ["(मॉडरेशन|सामग्री फ़िल्टर*|सुरक्षा फ़िल्टर*) ~3 (अक्षम*|बंद*|हटा*)"],
  "secret-extraction.full": ["(गुप्त कुंजी*|गुप्त कोड*|गुप्त पासवर्ड*|गुप्त शब्द*) ~3 (उजागर*|क्या है|दिखाओ|बता दो|बताइए|बताओ)"],
  "secret-extraction.ask": ["(पासवर्ड*|रहस्य*) ~3 (उजागर*|क्या है|दिखाओ|बता दो|बताइए|बताओ)"],
};

/** Indonesian phrases. */
export const INDONESIAN: PhraseTable = {
  "instruction-override.full": [
    "(abaikan|hiraukan|jangan ikuti|kesampingkan|lupakan) ~4 (arahan|aturan|instruksi|pedoman|perintah|petunjuk|prompt) ~3 (anda|awal|di atas|kamu|mu|sebelumnya|sistem|terdahulu)",
    "(abaikan|lupakan) (segala|seluruh|semua) ~2 (arahan|aturan|instruksi|perintah|petunjuk|yang)",
  ],
  "prompt-leak.full": [
    "(apa|berikan|beritahu|bocorkan|cetak|sebutkan|tampilkan|terjemahkan|tulis|tunjukkan|ulangi|ungkapkan) ~5 (instruksi anda|instruksi asli|instruksi awal|instruksi kamu|instruksi rahasia|instruksi sistem|instruksi tersembunyi|instruksimu|perintah sistem|pesan sistem|prompt awal|prompt sistem)",
    "(salin|tulis|ulangi) ~3 (kata kata|semua|teks) ~2 (di atas|sebelumnya)",
  ],
  "no-restrictions.full": [
    "(bebas dari|tanpa|tidak ada|tidak memiliki|tidak terikat) ~3 (aturan|batas|batasan|etika|filter|larangan|moral|pembatasan|sensor)",
    "(meskipun|terlepas dari|tidak peduli|walaupun) ~5 (berbahaya|ilegal|tidak bermoral|tidak etis)",
  ],
  "no-restrictions.ai": [
    "(ai|asisten|bot|chatbot|kecerdasan buatan|model) ~5 (bebas dari|tanpa|tidak memiliki|tidak terikat) ~3 (aturan|batas|batasan|etika|filter|moral|pembatasan|sensor)",
  ],
  "persona.act": [
    "(anda sekarang adalah|bayangkan kamu adalah|berperanlah sebagai|berpura pura|bertindaklah sebagai|kamu sekarang adalah|mulai sekarang anda|mulai sekarang kamu|sekarang anda adalah|sekarang kamu adalah)",
  ],
  "refusal-suppression.full": [
    "(jangan|jangan pernah|tanpa|tidak boleh) ~3 (meminta maaf|menolak|minta maaf|penafian|peringatan|tolak)",
  ],
  "known-jailbreak.strong": ["mode dan aktif|mode jailbreak"],
  "known-jailbreak.mode": ["mode dewa|mode pengembang|mode tanpa batas"],
  "authority.strong": ["(hapus|lewati|matikan|nonaktifkan) ~3 (filter keamanan|filter konten|moderasi|sensor)"],
  "secret-extraction.full": [
    "(apa|berikan|beritahu|bocorkan|sebutkan|ungkapkan) ~3 (kata rahasia|kata sandi rahasia|kode rahasia|kunci rahasia)",
  ],
};
