"""Words of buttons by language: what ends or pays something, what sends something, what agrees to a question, and what
only looks for something.

They are compared without case, as words of their own; in Chinese, Japanese, Korean and Thai as parts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache

from shared.text.normal import fold

Words = Mapping[str, tuple[str, ...]]

ENDING: Words = {
    "ar": ("حذف", "احذف", "إزالة", "ادفع", "شراء"),
    "bg": ("изтрий", "изтриване", "премахни", "плати", "купи"),
    "ca": ("suprimeix", "elimina", "esborra", "paga", "compra"),
    "cs": ("smazat", "odstranit", "zaplatit", "koupit", "zrušit objednávku"),
    "da": ("slet", "fjern", "betal", "køb"),
    "de": (
        *("löschen", "entfernen", "vernichten", "bezahlen", "zahlen"),
        *("kaufen", "bestellen", "kündigen", "stornieren", "überweisen"),
    ),
    "el": ("διαγραφή", "κατάργηση", "πληρωμή", "αγορά"),
    "en": (
        *("delete", "remove", "erase", "destroy", "purge", "wipe", "discard", "terminate", "revoke", "deactivate"),
        *("pay", "buy", "purchase", "checkout", "place order"),
        *("order now", "place bid", "donate", "transfer", "withdraw"),
        *("cancel order", "cancel subscription", "cancel request", "cancel booking", "close account", "unsubscribe"),
    ),
    "es": ("eliminar", "borrar", "suprimir", "quitar", "pagar", "comprar", "transferir"),
    "et": ("kustuta", "eemalda", "maksa", "osta"),
    "fi": ("poista", "maksa", "osta"),
    "fr": ("supprimer", "effacer", "retirer", "payer", "acheter", "commander", "résilier", "virer"),
    "he": ("מחק", "מחיקה", "הסר", "שלם", "קנה"),
    "hr": ("izbriši", "obriši", "ukloni", "plati", "kupi"),
    "hu": ("törlés", "eltávolítás", "fizetés", "vásárlás"),
    "id": ("hapus", "bayar", "beli"),
    "it": ("elimina", "cancella", "rimuovi", "paga", "acquista", "compra"),
    "ja": ("削除", "支払", "購入", "注文を確定", "解約"),
    "ko": ("삭제", "제거", "결제", "구매"),
    "lt": ("ištrinti", "pašalinti", "mokėti", "pirkti"),
    "lv": ("dzēst", "noņemt", "maksāt", "pirkt"),
    "nl": ("verwijderen", "verwijder", "wissen", "betalen", "betaal", "kopen", "bestellen"),
    "no": ("slett", "fjern", "betal", "kjøp"),
    "pl": ("usuń", "skasuj", "zapłać", "kup", "zamów"),
    "pt": ("excluir", "apagar", "eliminar", "remover", "pagar", "comprar"),
    "ro": ("șterge", "elimină", "plătește", "cumpără"),
    "ru": ("удалить", "оплатить", "купить", "заказать", "перевести"),
    "sk": ("zmazať", "odstrániť", "zaplatiť", "kúpiť"),
    "sl": ("izbriši", "odstrani", "plačaj", "kupi"),
    "sv": ("radera", "ta bort", "betala", "köp"),
    "th": ("ลบ", "ชำระเงิน", "ซื้อ"),
    "tr": ("sil", "kaldır", "öde", "satın al"),
    "uk": ("видалити", "оплатити", "купити", "замовити"),
    "vi": ("xóa", "thanh toán", "mua ngay"),
    "zh": ("删除", "刪除", "移除", "支付", "付款", "购买", "購買"),
}  # fmt: skip
"""What cannot be taken back, or costs money."""

SENDING: Words = {
    "ar": ("إرسال", "أرسل", "نشر", "موافقة", "حفظ"),
    "bg": ("изпрати", "публикувай", "одобри", "запази"),
    "ca": ("envia", "publica", "aprova", "desa"),
    "cs": ("odeslat", "publikovat", "schválit", "uložit"),
    "da": ("send", "indsend", "udgiv", "godkend", "gem"),
    "de": (
        *("senden", "absenden", "abschicken", "einreichen"),
        *("veröffentlichen", "genehmigen", "freigeben", "speichern", "buchen"),
    ),
    "el": ("αποστολή", "υποβολή", "δημοσίευση", "έγκριση", "αποθήκευση"),
    "en": (
        *("submit", "send", "post", "publish", "approve", "disapprove", "authorize", "sign off", "confirm", "finalize"),
        *("save", "create", "merge", "reopen", "resolve"),
        *("close issue", "close ticket", "archive", "restore", "assign"),
        *("book", "reserve", "invite", "grant", "release", "deploy", "reply", "comment", "upload", "report abuse"),
    ),
    "es": ("enviar", "publicar", "aprobar", "guardar", "confirmar"),
    "et": ("saada", "esita", "avalda", "kinnita", "salvesta"),
    "fi": ("lähetä", "julkaise", "hyväksy", "tallenna"),
    "fr": ("envoyer", "soumettre", "publier", "approuver", "enregistrer", "valider"),
    "he": ("שלח", "פרסם", "אשר", "שמור"),
    "hr": ("pošalji", "objavi", "odobri", "spremi"),
    "hu": ("küldés", "beküldés", "közzététel", "jóváhagyás", "mentés"),
    "id": ("kirim", "terbitkan", "setujui", "simpan"),
    "it": ("invia", "pubblica", "approva", "salva", "conferma"),
    "ja": ("送信", "投稿", "承認", "保存", "提出"),
    "ko": ("보내기", "제출", "게시", "승인", "저장"),
    "lt": ("siųsti", "pateikti", "skelbti", "patvirtinti", "išsaugoti"),
    "lv": ("sūtīt", "iesniegt", "publicēt", "apstiprināt", "saglabāt"),
    "nl": ("verzenden", "versturen", "indienen", "publiceren", "goedkeuren", "opslaan"),
    "no": ("send", "send inn", "publiser", "godkjenn", "lagre"),
    "pl": ("wyślij", "opublikuj", "zatwierdź", "zapisz"),
    "pt": ("enviar", "publicar", "aprovar", "salvar", "guardar", "confirmar"),
    "ro": ("trimite", "publică", "aprobă", "salvează"),
    "ru": ("отправить", "опубликовать", "одобрить", "сохранить", "подтвердить"),
    "sk": ("odoslať", "publikovať", "schváliť", "uložiť"),
    "sl": ("pošlji", "objavi", "odobri", "shrani"),
    "sv": ("skicka", "publicera", "godkänn", "spara"),
    "th": ("ส่ง", "เผยแพร่", "อนุมัติ", "บันทึก"),
    "tr": ("gönder", "yayınla", "onayla", "kaydet"),
    "uk": ("надіслати", "опублікувати", "схвалити", "зберегти"),
    "vi": ("gửi", "phê duyệt", "lưu"),
    "zh": ("提交", "发送", "發送", "发布", "發佈", "批准", "保存", "儲存"),
}  # fmt: skip
"""What stores or sends something on the site."""

AGREEING: Words = {
    "ar": ("نعم", "موافق", "تأكيد"),
    "cs": ("ano", "potvrdit", "pokračovat"),
    "da": ("ja", "bekræft", "fortsæt"),
    "de": ("ja", "bestätigen", "fortfahren", "weiter"),
    "en": (
        *("ok", "okay", "yes", "confirm", "continue", "proceed"),
        *("accept", "agree", "i agree", "i understand", "go ahead", "sure"),
    ),
    "es": ("sí", "si", "aceptar", "confirmar", "continuar"),
    "fi": ("kyllä", "vahvista", "jatka"),
    "fr": ("oui", "confirmer", "continuer", "accepter", "d'accord"),
    "it": ("sì", "conferma", "continua", "accetta"),
    "ja": ("はい", "確認", "続行"),
    "ko": ("예", "확인", "계속"),
    "nl": ("ja", "bevestigen", "doorgaan"),
    "no": ("ja", "bekreft", "fortsett"),
    "pl": ("tak", "potwierdź", "kontynuuj"),
    "pt": ("sim", "confirmar", "continuar", "aceitar"),
    "ru": ("да", "подтвердить", "продолжить"),
    "sv": ("ja", "bekräfta", "fortsätt"),
    "tr": ("evet", "onayla", "tamam", "devam"),
    "uk": ("так", "підтвердити", "продовжити"),
    "zh": ("确定", "確定", "确认", "確認", "继续", "是"),
}  # fmt: skip
"""What agrees to a question."""

LOOKING: Words = {
    "ar": ("بحث", "تصفية", "عرض"),
    "bg": ("търси", "търсене", "филтрирай", "покажи"),
    "cs": ("hledat", "vyhledat", "filtrovat", "zobrazit"),
    "da": ("søg", "filtrer", "vis"),
    "de": (
        *("suchen", "suche", "finden", "filtern"),
        *("anzeigen", "sortieren", "aktualisieren", "herunterladen", "exportieren"),
    ),
    "el": ("αναζήτηση", "φίλτρο", "εμφάνιση"),
    "en": (
        *("search", "find", "filter", "filters", "look up", "lookup", "query", "show", "view", "display", "sort"),
        *("refresh", "reload", "load more", "show more"),
        *("apply filters", "apply filter", "download", "export", "print"),
    ),
    "es": ("buscar", "filtrar", "mostrar", "ver", "ordenar", "descargar", "exportar"),
    "fi": ("hae", "etsi", "suodata", "näytä"),
    "fr": ("rechercher", "chercher", "recherche", "filtrer", "afficher", "trier", "télécharger", "exporter"),
    "he": ("חפש", "חיפוש", "סנן", "הצג"),
    "hu": ("keresés", "szűrés", "megjelenítés"),
    "it": ("cerca", "filtra", "mostra", "ordina", "scarica", "esporta"),
    "ja": ("検索", "絞り込", "表示", "ダウンロード"),
    "ko": ("검색", "필터", "조회", "다운로드"),
    "nl": ("zoeken", "zoek", "filteren", "tonen", "sorteren", "downloaden"),
    "no": ("søk", "filtrer", "vis"),
    "pl": ("szukaj", "wyszukaj", "filtruj", "pokaż", "pobierz"),
    "pt": ("buscar", "pesquisar", "procurar", "filtrar", "mostrar", "baixar"),
    "ro": ("caută", "filtrează", "afișează"),
    "ru": ("найти", "поиск", "искать", "фильтр", "показать", "скачать"),
    "sv": ("sök", "filtrera", "visa"),
    "th": ("ค้นหา", "กรอง", "แสดง"),
    "tr": ("ara", "filtrele", "göster"),
    "uk": ("знайти", "пошук", "показати"),
    "vi": ("tìm kiếm", "lọc"),
    "zh": ("搜索", "搜尋", "查询", "查詢", "筛选", "篩選", "查找", "显示"),
}  # fmt: skip
"""What only looks for something, or takes it along."""

OF_A_VIEW = frozenset(
    {"filter", "filters", "sort", "sorting", "search", "column", "facet", "highlight", "grouping", "selection"}
)
"""What is removed or saved of a view, and of nothing else."""
_WORD = re.compile(r"[^\W_]+")
_IN_PARTS = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def has_word(text: str, table: Words) -> bool:
    """Return whether the text has a word of the table, in any language."""
    said = spaced(text)
    whole, parts = _split(tuple(word for words in table.values() for word in words))
    return any(word in said for word in whole) or any(part in said for part in parts)


def has_beginning(text: str, table: Words) -> bool:
    """Return whether a word of the text begins with one of the table, as "deleted" does; short words count whole."""
    said = spaced(text)
    whole, parts = _split(tuple(word for words in table.values() for word in words))
    return any((word.rstrip() if len(word) > 5 else word) in said for word in whole) or any(p in said for p in parts)


def is_word(text: str, table: Words) -> bool:
    """Return whether the whole text is one of the table."""
    whole, parts = _split(tuple(word for words in table.values() for word in words))
    said = spaced(text)
    return said in whole or said.strip() in parts


def spaced(text: str) -> str:
    """Return the words of the text without case and marks, each with a space before and behind it."""
    return f" {' '.join(_WORD.findall(fold(text)))} "


@cache
def _split(words: Iterable[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words to find whole, with spaces around, and those to find as parts."""
    parts = frozenset(fold(word) for word in words if _IN_PARTS.search(word))
    return frozenset(spaced(word) for word in words if not _IN_PARTS.search(word)), parts
