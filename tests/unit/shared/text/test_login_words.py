"""Words that ask to sign in, in many languages; words about logins are others."""

from __future__ import annotations

from shared.text.login_words import asks_to_sign_in, is_login_address, names_identifier, names_provider
from tests.cases import cases


@cases(
    "text",
    [
        "Sign in", "Log in to Acme", "Sign in · Desk", "Desk - Anmelden", "Bitte anmelden", "Se connecter", "Connexion",
        "Iniciar sesión", "Fazer login", "Zaloguj się", "Войти", "Вход в систему", "ログイン", "アカウントにログイン",
        "登录到 Desk", "로그인", "Giriş yap", "Přihlásit se", "Đăng nhập", "Single sign-on", "Kirjaudu sisään",
        "تسجيل الدخول", "Please log in.", "Sign in with Example",
    ],
)  # fmt: skip
def test_a_text_that_only_asks_to_sign_in(text: str):
    assert asks_to_sign_in(text)


@cases(
    "text",
    ["Log in fails with SSO", "Login history", "Login fails", "Design in detail", "", "x" * 500, "sign in " * 30],
)
def test_a_text_about_something_else(text: str):
    assert not asks_to_sign_in(text)


def test_labels_providers_and_addresses():
    assert names_provider("Weiter mit Example")
    assert not names_provider("Continue reading")
    assert names_identifier("Nom d'utilisateur")
    assert not names_identifier("Search")
    assert is_login_address("https://desk.example/users/sign_in?next=%2Ft%2F7")
    assert not is_login_address("https://desk.example/admin/auth/user/7")
