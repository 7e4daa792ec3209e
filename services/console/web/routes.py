"""The addresses of the console: which view answers each, and by which name its right, its log and its tests know it."""

from __future__ import annotations

from starlette.routing import Route

from services.console.web import model_talk, runs_web, sample_web
from services.console.web.builds import begin_web, builds_web
from services.console.web.finding import finding_web, sql_web, tags_web
from services.console.web.following import following_web
from services.console.web.library import library_acts, library_web
from services.console.web.live import live_web
from services.console.web.logins import login_web
from services.console.web.new_run import asking_web, new_web
from services.console.web.noted_views import View, noted
from services.console.web.operations import fleet_web, settings_web
from services.console.web.papers import papers_web
from services.console.web.pointing import list_web, spec_web
from services.console.web.review import review_acts, review_web, table_web
from services.console.web.static_files import show_static
from services.console.web.steering import controls_web


def routes() -> list[Route]:
    """Return every route, each with its method."""
    return [
        _get("/", runs_web.list_runs, "runs"),
        _get(new_web.NEW, new_web.show_new, "new"),
        _post(new_web.NEW, new_web.begin_draft, "begin_draft"),
        _post(asking_web.ASK, asking_web.begin_asking, "begin_asking"),
        _get("/new/ask/{asked}", asking_web.show_asked, "asked"),
        _get("/new/ask/{asked}/wait", asking_web.wait_for_asked, "wait_for_asked"),
        _post("/new/ask/{asked}/{act}", asking_web.change_asked, "change_asked"),
        _get("/new/{draft}", new_web.show_draft, "draft"),
        _post("/new/{draft}/build", begin_web.begin_build, "begin_build"),
        _post("/new/{draft}/{act}", new_web.change_draft, "change_draft"),
        _get(spec_web.SPECS, spec_web.show_specs, "specs"),
        _post(spec_web.SPECS, spec_web.open_address, "open_address"),
        _get("/specs/{draft}", spec_web.show_spec, "spec"),
        _post("/specs/{draft}/use", spec_web.use_spec, "use_spec"),
        _post("/specs/{draft}/try", spec_web.try_spec, "try_spec"),
        _post("/specs/{draft}/learn", spec_web.learn_spec, "learn_spec"),
        _get("/specs/{draft}/spec.json", spec_web.download_spec, "spec_file"),
        _get("/specs/{draft}/pictures/{sha256}", spec_web.spec_picture, "spec_picture"),
        _get("/specs/{draft}/list", list_web.show_list, "list"),
        _get("/specs/{draft}/list.json", list_web.download_list, "list_file"),
        _post("/specs/{draft}/list/{act}", list_web.change_list, "change_list"),
        _post("/specs/{draft}/{act}", spec_web.change_spec, "change_spec"),
        _get("/runs/{run}", runs_web.show_run, "run"),
        _get("/runs/{run}/cells", following_web.run_cells, "run_cells"),
        _get("/runs/{run}/events", following_web.run_events, "run_events"),
        _get("/runs/{run}/control/{control}", controls_web.ask_control, "ask_control"),
        _post("/runs/{run}/control/{control}", controls_web.apply_control, "control"),
        _post("/runs/{run}/answer/{key}", controls_web.answer, "answer"),
        _post("/runs/{run}/tags", tags_web.tag_run, "tag_run"),
        _get("/several/{control}", controls_web.ask_several, "ask_several"),
        _post("/several/{control}", controls_web.apply_several, "several"),
        _get("/values", finding_web.show_values, "values"),
        _post("/views", finding_web.save, "save_view"),
        _post("/views/remove", finding_web.remove, "remove_view"),
        _get("/runs/{run}/samples/{sample}", sample_web.show_sample, "sample"),
        _get(live_web.LIVE, live_web.show_live, "live"),
        _get(f"{live_web.LIVE}/picture", live_web.live_picture, "live_picture"),
        _post(f"{live_web.LIVE}/steer", live_web.steer_live, "live_steer"),
        _get(f"{live_web.LIVE}/frames", live_web.live_frames, "live_frames"),
        _get("/runs/{run}/samples/{sample}/model", model_talk.show_model, "model"),
        _get("/runs/{run}/samples/{sample}/{file}", sample_web.sample_file, "sample_file"),
        _get("/runs/{run}/review", review_web.show_review, "review"),
        _get("/runs/{run}/review/sign", review_web.ask_to_sign, "ask_to_sign"),
        _post("/runs/{run}/review/key", review_acts.make_own_key, "make_key"),
        _post("/runs/{run}/review/{act}", review_acts.apply_act, "review_act"),
        _get("/runs/{run}/papers", papers_web.show_papers, "papers"),
        _get("/runs/{run}/seal", papers_web.check_seal, "seal"),
        _get("/runs/{run}/export/{form}", papers_web.export_run, "export"),
        _get("/runs/{run}/table", table_web.show_table, "table"),
        _get("/runs/{run}/table/{cell}", table_web.show_cell, "table_cell"),
        _get("/runs/{run}/drift", library_web.show_drift, "drift"),
        _get("/runs/{run}/drift/approve", library_acts.ask_to_approve, "ask_to_approve"),
        _post("/runs/{run}/drift/approve", library_acts.apply_approval, "approve"),
        _get("/flows", library_web.list_flows, "flows"),
        _get("/flows/{name}", library_web.show_flow, "flow"),
        _get("/flows/{name}/diff", library_web.show_difference, "flow_diff"),
        _get("/flows/{name}/rollback", library_acts.ask_to_roll_back, "ask_to_roll_back"),
        _post("/flows/{name}/rollback", library_acts.apply_roll_back, "roll_back"),
        _get("/builds", builds_web.list_builds, "builds"),
        _get("/builds/{build}", builds_web.show_build, "build"),
        _post("/builds/{build}/do", builds_web.apply_order, "build_order"),
        _post("/builds/{build}/go-on", builds_web.go_on, "build_goes_on"),
        _get("/builds/{build}/events", builds_web.build_events, "build_events"),
        _get("/builds/{build}/frames", builds_web.browser_frames, "build_frames"),
        _get("/builds/{build}/looks/{look}", builds_web.looked_picture, "build_look"),
        _get("/builds/{build}/pictures/{sha256}", builds_web.build_picture, "build_picture"),
        _get("/fleet", fleet_web.show_fleet, "fleet"),
        _get("/settings", settings_web.show_settings, "settings"),
        _get("/settings/checks", settings_web.show_checks, "settings_checks"),
        _get(login_web.LOGINS, login_web.show_logins, "logins"),
        _post(login_web.LOGINS, login_web.begin_login, "begin_login"),
        _get(f"{login_web.LOGINS}/{{login}}", login_web.show_login, "login"),
        _get(f"{login_web.LOGINS}/{{login}}/pictures/{{sha256}}", login_web.login_picture, "login_picture"),
        _post(f"{login_web.LOGINS}/{{login}}/{{act}}", login_web.change_login, "change_login"),
        _get("/sql", sql_web.show_sql, "sql"),
        _get("/sql/answer", sql_web.download_sql, "sql_answer"),
        Route("/static/{name}", show_static, methods=["GET"], name="static"),
    ]


def _get(path: str, view: View, name: str) -> Route:
    return Route(path, noted(view), methods=["GET"], name=name)


def _post(path: str, view: View, name: str) -> Route:
    return Route(path, noted(view), methods=["POST"], name=name)
