"""Words by which pages ask a person to sign in, in many languages. Only short texts are compared with them."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from shared.text.normal import bare, tidy

MAX_CHARS = 80
"""A longer text says more than that one should sign in."""

_SIGN_IN = (
    "sign in", "signin", "sign on", "log in", "login", "log on", "logon", "authentication", "authenticate",
    "single sign-on", "single sign on", "sso", "anmelden", "anmeldung", "einloggen", "se connecter", "connectez-vous",
    "connexion", "s'identifier", "identifiez-vous", "iniciar sesion", "inicia sesion", "inicio de sesion", "acceder",
    "accedi", "accesso", "entrar", "iniciar sessao", "inicie sessao", "fazer login", "acessar", "inloggen", "aanmelden",
    "logga in", "logg inn", "log ind", "kirjaudu", "kirjaudu sisaan", "zaloguj", "zaloguj sie", "logowanie",
    "prihlasit", "prihlasit se", "prihlasit sa", "prihlaseni", "prihlasenie", "bejelentkezes", "autentificare",
    "conectare", "prijava", "prijavi se", "prijavite se", "giris", "giris yap", "oturum ac", "masuk", "dang nhap",
    "đang nhap", "συνδεση", "εισοδος", "войти", "вход", "авторизация", "увійти", "вхід",
    "התחברות", "כניסה", "تسجيل الدخول", "دخول", "ورود", "साइन इन", "लॉग इन", "เข้าสู่ระบบ",
)  # fmt: skip
_SIGN_IN_WITHOUT_SPACES = re.compile("|".join(map(bare, ("ログイン", "サインイン", "登录", "登入", "登錄", "로그인"))))
_POLITE = "(?:please|bitte|veuillez|por favor|vous devez|you (?:must|need to)|sie mussen sich|per favore)"
_AFTER = (
    "to|with|using|in|into|via|by|your|now|here|page|required|bei|beim|zu|zum|zur|mit|im|an|ihr|a|au|aux|avec|votre|"
    "con|en|al|el|tu|su|com|no|na|seu|sua|nel|all|op|met|bij|till|med|pa|til|z|do|s|ile|с|в|через|з|до|dengan|ke|voi|"
    "vao|bang|required|account|konto|compte|cuenta|conta"
)
_PHRASE = re.compile(
    rf"(?:{_POLITE} )?(?:{'|'.join(sorted(map(re.escape, map(bare, _SIGN_IN)), key=len, reverse=True))})"
    rf"(?:,? (?:{_AFTER})\b.{{0,60}})?[.!:…]?"
)
_PROVIDER = re.compile(
    r"(?:continue|weiter|continuer|continuar|continua|doorgaan|fortsatt|fortsaet|jatka|kontynuuj|pokracovat|"
    r"продолжить|lanjutkan|tiep tuc) (?:with|using|via|mit|avec|con|com|met|med|z|s|с|через|dengan|voi)\b.{1,40}"
)
_ENDED = re.compile(
    r"\b(?:session|login|sitzung|sesion|sessao|sessione|sessie|anmeldung)\b.{0,20}"
    r"\b(?:expired|timed out|time-?out|ended|over|closed|abgelaufen|beendet|expire|ha expirado|expirou|scaduta|"
    r"verlopen|caducado|terminada)\b"
    r"|\byou (?:have been|were|are) (?:automatically )?(?:logged|signed) out\b"
    r"|\bsie wurden (?:automatisch )?abgemeldet\b"
)
_PARTS = re.compile(r"\s+[-|·•:»/\N{EN DASH}\N{EM DASH}]\s+")

_IDENTIFIER = re.compile(
    r"\b(?:e-?mail|mail|user ?name|user ?id|user|login|account|phone|benutzer\w*|nutzer\w*|anmelde\w*|konto|"
    r"utilisateur|identifiant|courriel|adresse mail|usuario|correo|cuenta|utente|conta|gebruiker\w*|anvandar\w*|"
    r"bruker\w*|"
    r"kayttaja\w*|sahkoposti|uzytkownik\w*|uzivatel\w*|felhasznalo\w*|utilizator\w*|kullanici\w*|e-?posta|pengguna|"
    r"логин|почт\w*|пользоват\w*|користувач\w*|χρηστη\w*|ten đang nhap)\b|"
    + "|".join(
        map(
            bare,
            (
                "ユーザー",
                "メール",
                "邮箱",
                "郵箱",
                "用户",
                "用戶",
                "账号",
                "帐号",
                "帳號",
                "사용자",
                "이메일",
                "아이디",
                "משתמש",
                "المستخدم",
                "البريد",
                "ผู้ใช้",
            ),
        )
    )
)
_PATH_PARTS = frozenset({
    "login", "log-in", "log_in", "logon", "signin", "sign-in", "sign_in", "signon", "sso", "saml", "saml2", "oauth",
    "oauth2", "openid", "openid-connect", "authorize", "authenticate", "identifier", "login.php", "login.aspx",
    "login.jsp", "login.html", "login.do", "signin.html",
})  # fmt: skip


def asks_to_sign_in(text: str) -> bool:
    """Return whether the text, or a part of a title between dashes, only asks to sign in: `Sign in to Acme - Desk`."""
    if len(text) > MAX_CHARS:
        return False
    plain = bare(tidy(text))
    if _SIGN_IN_WITHOUT_SPACES.search(plain):
        return len(plain) <= MAX_CHARS // 3
    return any(_PHRASE.fullmatch(part) for part in _PARTS.split(plain))


def says_session_ended(text: str) -> bool:
    """Return whether the text says that one is not signed in any more: `Your session has timed out.`"""
    return len(text) <= 2 * MAX_CHARS and _ENDED.search(bare(tidy(text))) is not None


def names_provider(text: str) -> bool:
    """Return whether the text names another account to continue with: `Continue with Example ID`."""
    return len(text) <= MAX_CHARS and _PROVIDER.fullmatch(bare(tidy(text))) is not None


def names_identifier(text: str) -> bool:
    """Return whether the text is a label of what a person signs in by: an e-mail address, a user name."""
    return len(text) <= MAX_CHARS and _IDENTIFIER.search(bare(tidy(text))) is not None


def is_login_address(url: str) -> bool:
    """Return whether the path of the address names a login. Pages that are made by a script have theirs after `#/`."""
    return any(part.casefold() in _PATH_PARTS for part in path_parts(url))


def path_parts(url: str) -> tuple[str, ...]:
    """Return the parts of the path, with those of a path after `#/` or `#!/`."""
    address = urlsplit(url)
    path, mark, rest = address.fragment.removeprefix("!").partition("/")
    inner = rest.partition("?")[0] if mark and not path else ""
    return tuple(part for part in (*address.path.split("/"), *inner.split("/")) if part)
