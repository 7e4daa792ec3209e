"""Pages that ask to sign in, with and without a password field, and pages that only look like it."""

from __future__ import annotations

import pytest

from shared.login_walls import login_wall_words
from tests.browser.conftest import Look

USER_FIRST = """<title>{title}</title><header><a href=/>Desk</a><select><option>English<option>Deutsch</select></header>
<main><h1>{title}</h1><form><label>{label} <input name=id></label><label><input type=checkbox> {title}?</label>
<button>{button}</button></form><a href=/help>?</a></main><footer><p>Desk Inc. 2026</p></footer>"""
PROVIDERS = """<title>Desk</title><h1>{heading}</h1><p>Use your company account.</p>
<button>{one}</button><a href="https://id.example/authorize?x=1">{two}</a>"""


@pytest.mark.parametrize(
    ("title", "label", "button"),
    [
        ("Sign in", "E-mail address", "Next"),
        ("Sign in to Desk", "Username", "Continue"),
        ("Anmelden", "Benutzername", "Weiter"),
        ("Connexion", "Identifiant", "Suivant"),
        ("Iniciar sesión", "Correo electrónico", "Siguiente"),
        ("Zaloguj się", "Nazwa użytkownika", "Dalej"),
        ("Войти", "Имя пользователя", "Далее"),
        ("ログイン", "メールアドレス", "次へ"),
        ("登录", "用户名", "下一步"),
    ],
)
async def test_a_page_that_asks_for_the_user_first_is_a_wall(look: Look, title: str, label: str, button: str):
    page = await look(USER_FIRST.format(title=title, label=label, button=button))
    assert login_wall_words(page) == "asks for a user name"


@pytest.mark.parametrize(
    ("heading", "one", "two"),
    [
        ("Sign in", "Sign in with Example ID", "Continue with Other"),
        ("Log in to Desk", "Single sign-on", "Use a passkey"),
        ("Anmeldung", "Mit Firmenkonto", "Weiter mit Example"),
        ("Se connecter", "Se connecter avec Example", "Aide"),
    ],
)
async def test_a_page_with_nothing_but_single_sign_on_is_a_wall(look: Look, heading: str, one: str, two: str):
    page = await look(PROVIDERS.format(heading=heading, one=one, two=two))
    assert login_wall_words(page) == "asks to sign in"


async def test_a_password_field_is_a_wall_unless_it_stands_in_the_frame_of_the_page(look: Look):
    form = "<form><label>User <input></label><label>Password <input type=password></label><button>Go</button></form>"
    assert login_wall_words(await look(f"<h1>Sign in</h1>{form}")) == "asks for a password"
    assert login_wall_words(await look(f"<header>{form}</header><main><p>No such topic.</p></main>")) == ""


@pytest.mark.parametrize(
    "html",
    [
        # a newsletter, a search, a contact form
        "<title>News</title><h1>News</h1><label>E-mail <input type=email></label><button>Subscribe</button>",
        "<title>Find</title><h1>Find</h1><input type=search aria-label='Search users'><button>Search</button>",
        "<h1>Contact</h1><label>E-mail <input></label><label>Text <textarea></textarea></label><button>Send</button>",
        # a public page with a way in
        "<title>Desk</title><header><a href=/login>Sign in</a></header><h1>Tickets</h1><p>Nothing here.</p>",
        "<title>Desk</title><h1>Welcome</h1><p>A desk for all.</p><a href=/login>Sign in</a><a href=/join>Join</a>",
        "<title>Desk</title><h1>Article</h1><p>Long read.</p><button>Sign in with Example</button>",
        # records about logins
        "<title>SSO</title><h1>Login fails with SSO</h1><dl><dt>State<dd>Open</dl><button>Log in</button>",
        "<title>Login - TCK-1001</title><h1>TCK-1001: Log in</h1><label>User <input></label><button>Log in</button>",
        "<title>Sign in</title><h1>Sign in</h1><table><tr><th>User<th>At<tr><td>ann<td>10:30</table>"
        "<label>User <input></label><button>Filter</button>",
        # a form of a record with a field for its user
        "<title>Sign in</title><h1>Sign in</h1><label>User <input></label><label>Team <input></label>"
        "<label>Room <input></label><button>Save</button>",
    ],
)
async def test_other_pages_are_no_walls(look: Look, html: str):
    assert login_wall_words(await look(html)) == ""


@pytest.mark.parametrize(
    "words",
    ["Your session has timed out.", "Session expired", "You have been logged out", "Ihre Sitzung ist abgelaufen"],
)
async def test_a_page_that_says_only_that_the_session_has_ended_is_a_wall(look: Look, words: str):
    page = await look(f"<title>Desk</title><h1>Desk</h1><p>{words}</p><a href=/>Home</a>")
    assert login_wall_words(page) == f"says '{words}'"


async def test_a_page_that_speaks_of_sessions_and_shows_more_is_no_wall(look: Look):
    fields = "<dl><dt>Ticket<dd>TCK-1<dt>Subject<dd>Session expired<dt>Owner<dd>Ann Lee</dl>"
    assert login_wall_words(await look(f"<h1>TCK-1</h1>{fields}")) == ""
    assert login_wall_words(await look("<h1>Training</h1><p>The session was held in May.</p>")) == ""
