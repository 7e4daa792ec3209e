"""Makes the image's root without Docker: the steps of the Dockerfile, on a root that debootstrap has made.

It needs root, Debian's debootstrap, and the network. In place of the base image stands the same Debian with Debian's
own Python of the same version.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.container.dockerfile import Copy, Run, SetEnv, SetUser, Step, WorkDir, expanded, read_dockerfile

BOUND_S = 1800
BASE_PACKAGES = ("ca-certificates", "python3", "python3-pip", "python-is-python3")
"""What the base image has beyond the smallest Debian."""
BASE_FILES = {
    "etc/apt/apt.conf.d/docker-clean": """APT::Keep-Downloaded-Packages "false";
DPkg::Post-Invoke { "rm -f /var/cache/apt/archives/*.deb /var/cache/apt/*.bin || true"; };
""",
    "etc/dpkg/dpkg.cfg.d/docker": """path-exclude /usr/share/doc/*
path-exclude /usr/share/info/*
path-exclude /usr/share/locale/*
path-exclude /usr/share/man/*
""",
}
"""Settings of Debian's slim images: packages leave neither archives nor documentation."""
BASE_ENV = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
SOURCES = Path("/etc/apt/sources.list.d/debian.sources")
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
PIP = ("PIP_INDEX_URL", "http_proxy", "https_proxy", "no_proxy")
"""Where this machine gets packages; the image knows nothing of it."""
ENTER = """
mount --rbind /proc "$ROOT/proc" && mount --rbind /dev "$ROOT/dev" &&
    exec chroot "$ROOT" /bin/sh -c 'cd "$0" && eval "$1"' "$1" "$2"
"""


@dataclass
class Image:
    """``megabytes``: what each step has added, with its first words."""

    root: Path
    env: dict[str, str] = field(default_factory=lambda: dict(BASE_ENV))
    user: str = "root"
    workdir: str = "/"
    entrypoint: tuple[str, ...] = ()
    megabytes: list[tuple[str, float]] = field(default_factory=list[tuple[str, float]])


def missing() -> str:
    """Return what keeps this machine from it; empty: nothing."""
    if os.geteuid() != 0:
        return "only root can enter another root"
    if shutil.which("debootstrap") is None:
        return "there is no debootstrap here (Debian: apt-get install debootstrap)"
    return ""


def build_image(context: Path, folder: Path) -> Image:
    """Build below ``folder``; return the last stage."""
    stages = read_dockerfile((context / "deploy" / "Dockerfile").read_text(encoding="utf-8"))
    built: dict[str, Image] = {}
    for stage in stages:
        base = folder / "base" / stage.base.replace(":", "-")
        if not base.exists():
            _make_base(base, stage.base.rpartition("-")[2])
        image = Image(folder / (stage.name or "image"), entrypoint=stage.entrypoint)
        _command("cp", "--archive", base, image.root)
        image.megabytes.append((stage.base, _size_mb(image.root)))
        for step in stage.steps:
            before = _size_mb(image.root)
            _take(step, image, built, context)
            image.megabytes.append((_words(step), _size_mb(image.root) - before))
        built[stage.name] = image
    return built[stages[-1].name]


def _make_base(root: Path, release: str) -> None:
    root.parent.mkdir(parents=True, exist_ok=True)
    _command("debootstrap", "--variant=minbase", f"--include={','.join(BASE_PACKAGES)}", release, root, *_mirror())
    if SOURCES.exists() and f"Suites: {release} " in SOURCES.read_text():  # with its updates, as the base image has
        shutil.copy(SOURCES, root / SOURCES.relative_to("/"))
        (root / "etc/apt/sources.list").unlink(missing_ok=True)

    for name, text in BASE_FILES.items():
        (root / name).write_text(text, encoding="utf-8")
    shutil.rmtree(root / "var/cache/apt/archives", ignore_errors=True)


def _mirror() -> list[str]:
    lines = SOURCES.read_text().splitlines() if SOURCES.exists() else []
    return [line.split()[1] for line in lines if line.startswith("URIs: ")][:1]


def _take(step: Step, image: Image, built: Mapping[str, Image], context: Path) -> None:
    match step:
        case Run(command):
            _run(command, image)
        case Copy(sources, target, stage):
            for source in sources:
                if stage:
                    _copy(built[stage].root / source.lstrip("/"), target, image, None)
                else:
                    _copy(_let_in(context, source), target, image, shutil.ignore_patterns("__pycache__"))
        case WorkDir(path):
            image.workdir = path
            _inside(image, path).mkdir(parents=True, exist_ok=True)
        case SetEnv(name, value):
            image.env[name] = expanded(value, image.env)
        case SetUser(name):
            image.user = name


def _run(command: str, image: Image) -> None:
    if image.user != "root":
        raise ValueError(f"as {image.user}: {command}")
    own = {name: os.environ[name] for name in PIP if name in os.environ}
    if CERTIFICATES.exists():  # those that this machine trusts
        (image.root / "run").mkdir(exist_ok=True)
        shutil.copy(CERTIFICATES, image.root / "run" / "certificates.pem")
        own["PIP_CERT"] = "/run/certificates.pem"
    env = {**image.env, **own, "HOME": "/root", "ROOT": str(image.root)}
    _command("unshare", "--mount", "sh", "-c", ENTER, "sh", image.workdir, command, env=env)


def _let_in(context: Path, name: str) -> Path:
    lines = (context / ".dockerignore").read_text(encoding="utf-8").splitlines()
    if "*" not in lines or f"!{name}" not in lines:
        raise ValueError(f"the context does not have {name}")
    return context / name


def _copy(source: Path, target: str, image: Image, ignored: Callable[[str, list[str]], set[str]] | None) -> None:
    place = _inside(image, target)
    if source.is_dir():
        shutil.copytree(source, place, symlinks=True, dirs_exist_ok=True, ignore=ignored)
    else:
        place.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, place)


def _inside(image: Image, path: str) -> Path:
    return image.root / os.path.normpath(f"{image.workdir}/{path}" if not path.startswith("/") else path).lstrip("/")


def _words(step: Step) -> str:
    match step:
        case Run(command):
            return f"RUN {command[:60]}"
        case Copy(sources, target):
            return f"COPY {' '.join(sources)} {target}"
        case _:
            return type(step).__name__


def _size_mb(root: Path) -> float:
    return int(subprocess.check_output(["du", "-sxk", root]).split()[0]) / 1024


def _command(*words: str | Path, env: Mapping[str, str] | None = None) -> None:
    done = subprocess.run(words, env=env, capture_output=True, text=True, timeout=BOUND_S, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{words[0]} ... {str(words[-1])[:200]}:\n{(done.stdout + done.stderr)[-4000:]}")
