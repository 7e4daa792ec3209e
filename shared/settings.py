"""Settings of every process, from the environment (``EXHIBIT_...``) and an ``.env`` file beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Self

from pydantic import AliasChoices, Field, FilePath, SecretStr, model_validator
from pydantic_settings import BaseSettings, DotEnvSettingsSource, SettingsConfigDict

ENV_FILE = Path(".env")
MOST_SECRET_BYTES = 64_000
SPARE_SESSIONS = 2
"""So that a sample can begin while another one still releases its browser session."""


class Settings(BaseSettings):
    """One object for all services, so that one process can host them all."""

    model_config = SettingsConfigDict(
        env_prefix="EXHIBIT_", env_file=ENV_FILE, env_ignore_empty=True, extra="ignore", populate_by_name=True,
        hide_input_in_errors=True,  # it may be a secret
    )  # fmt: skip

    nats_url: str | None = None
    """Where the bus is. None: a server is started on this machine for as long as the command runs."""
    nats_seed: Path | None = None
    """File with the nkey seed of this process's user of the bus, or a folder of them as `exhibit bus-config` makes it.
    None: a bus that was started on this machine by the same user is found without."""
    nats_ca: FilePath | None = None
    """Certificates (PEM) that the server of a ``tls://`` bus is checked with. None: those of the system."""
    nats_cert: FilePath | None = None
    """The certificate (PEM) of this process, where the bus asks for one; with ``nats_key``."""
    nats_key: FilePath | None = None
    """Private key (PEM) of ``nats_cert``."""
    nats_replicas: int = Field(default=1, ge=1, le=5)
    """Servers of a NATS cluster that hold each stream. Of streams that are there it must be true: `nats stream edit
    --replicas` changes them."""
    evidence_dir: Path = Path("evidence")
    evidence_bucket: str | None = Field(default=None, pattern=r"^s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/.*)?$")
    """``s3://bucket`` or ``s3://bucket/prefix``: evidence is kept there instead of in ``evidence_dir``."""
    s3_endpoint: str = "https://s3.amazonaws.com"
    """The S3 server: ``http://127.0.0.1:9000`` for one on this machine."""
    s3_ca: FilePath | None = None
    """Certificates (PEM) that an ``https://`` S3 server is checked with. None: those of the system."""
    s3_access_key: SecretStr | None = None
    s3_access_key_file: FilePath | None = None
    """Here and below, ``..._file``: a file that the setting is read from, such as a secret of Docker or Kubernetes."""
    s3_secret_key: SecretStr | None = None
    s3_secret_key_file: FilePath | None = None
    s3_region: str = "us-east-1"
    s3_retention_days: int = Field(default=0, ge=0)
    """Days of object lock, during which evidence cannot be deleted; 0: the bucket's default. Needs a server with it."""
    s3_retention_mode: Literal["GOVERNANCE", "COMPLIANCE"] = "GOVERNANCE"
    """Object lock mode. GOVERNANCE: users with a special permission can delete evidence; COMPLIANCE: no user can."""
    evidence_named: bool = False
    """A command names its place of evidence (``--evidence``): then ``last`` is the newest run there, else that of this
    machine."""
    evidence_read_only: bool = False
    """This process only reads evidence: it writes nothing to the folder or bucket, and creates no signing key."""
    signing_key: FilePath | None = None
    """Ed25519 private key (PEM) that seals runs. None: one is made on first use, in ``state_dir``."""
    tsa_url: str | None = Field(default=None, pattern=r"^https?://[^\s/?#@]+(/\S*)?$")
    """Time-stamping authority (RFC 3161) that is asked for a token for each seal. None: no one is. Needs the extra
    ``tsa``."""
    tsa_certificate: FilePath | None = None
    """Certificates (PEM) of the authority, with its root: tokens are checked with them as they come, and by `exhibit
    verify`. None: a token is only checked to be of the seal."""
    tsa_policy: str | None = Field(default=None, pattern=r"^[0-2](\.\d+)+$")
    """Object identifier of the policy that tokens must be given under. None: any."""
    tsa_timeout_s: float = Field(default=15.0, gt=0, le=60)
    """The longest that asking for one token may take; `exhibit run` waits as long at its end."""
    tsa_retry_s: float = Field(default=60.0, gt=0)
    """Pause after the authority has failed; each is twice as long as the one before, up to an hour."""
    state_dir: Path = Path(".exhibit")
    """Where `exhibit up` keeps the bus's streams, and login states; never inside the evidence."""

    chromium: FilePath | None = None
    """The browser to drive. None: Playwright's own where it is installed, else one found on the machine."""
    browser_headed: bool = False
    """Whether the browser opens a window; `exhibit login` does."""
    browser_capacity: int = Field(default=8, ge=1)
    """Sessions one browser pool process holds at a time."""
    action_timeout_s: float = Field(default=15.0, gt=0)
    navigation_timeout_s: float = Field(default=30.0, gt=0)
    settle_bound_s: float = Field(default=5.0, gt=0)
    """The longest that is waited for a page to become quiet."""
    domain_interval_s: float = Field(default=0.0, ge=0)
    """Least time between two documents asked of one registrable domain, by all pools together."""
    domain_max_in_flight: int = Field(default=0, ge=0)
    """Most documents on their way from one registrable domain at a time, to all pools together; 0 is no limit."""
    max_download_bytes: int = Field(default=200_000_000, gt=0)
    browser_max_leases: int = Field(default=500, ge=1)
    """Sessions one browser process serves before another takes its place."""
    browser_memory_mb: int = Field(default=3000, ge=100)
    """Memory of one browser process and its children above which another takes its place."""
    session_max_tabs: int = Field(default=20, ge=1)
    """Tabs that one browser session may have open; more are closed at once."""
    session_max_frames: int = Field(default=500, ge=1)
    """Frames in all tabs of one browser session; with more it ends."""
    session_max_workers: int = Field(default=60, ge=0)
    """Workers of all pages of one browser session; with more it ends."""
    page_memory_mb: int = Field(default=1500, ge=200)
    """Memory of one process that shows pages, of one session each; one that takes more is ended."""
    min_free_memory_mb: int = Field(default=500, ge=0)
    """Below this much memory free on the machine, no new session is leased."""
    upload_dir: Path | None = None
    """Folder with the files that pages may be given. None: only what was downloaded in the same session."""

    planner: Literal["rules", "anthropic", "operator", "replay"] | None = None
    """``rules``, ``anthropic``, ``operator`` or ``replay``. None: anthropic where a key is set, else rules."""
    planner_capacity: int = Field(default=8, ge=1)
    """Samples one planner process works on at a time."""
    max_attempts: int = Field(default=4, ge=1)
    """Tries at one sample before it is given up."""
    anthropic_api_key: SecretStr | None = Field(default=None, validation_alias="ANTHROPIC_API_KEY")
    anthropic_api_key_file: FilePath | None = Field(default=None, validation_alias="ANTHROPIC_API_KEY_FILE")
    anthropic_base_url: str | None = Field(default=None, validation_alias="ANTHROPIC_BASE_URL")
    model: str = "claude-sonnet-5-5"
    """What decides, where the planner is ``anthropic``."""
    fast_model: str = "claude-haiku-5-5"
    """What is asked where a small model will do."""
    fallback_model: str | None = None
    """What decides where ``model`` is overloaded three times in a row. None: the sample is tried again later."""
    prices: str | None = None
    """What models cost, where that is not known here or not so: a JSON object, or the path of a file with one, such as
    ``{"model": {"input": 2, "output": 10, "cache_write": 2.5, "cache_read": 0.2}}``, in dollars per million tokens."""
    ask_model: bool = False
    """Whether `exhibit doctor` asks ``model``, which costs money, to see that it reads its cache."""
    vision_model: str = "claude-sonnet-5-5"
    """What answers questions about pictures, where a key is set."""
    vision_capacity: int = Field(default=8, ge=1)
    """Questions about pictures one vision process works on at a time."""

    workflows_dir: Path = Path("workflows")
    """Folder of the workflow library: one file a workflow. Where the library is on the bus, its files are taken in."""
    workflow_storage: Literal["folder", "bus"] = "folder"
    """Where the library is kept: in ``workflows_dir``, or on the bus, so that several machines share it."""
    tools_dir: Path = Path("tools")
    """Folder with the declarations of the tools that workflows may use."""
    tool_hosts: str = ""
    """Hosts that ``tools.fetch`` and ``tools.curl`` of workflows may reach where no file declares them, with commas
    between: ``api.example``, ``*.wiki.example``, ``127.0.0.1:8000``, ``*`` for all that are public. Empty: none."""
    workflow_embedder: str = "minilm"
    """The model of the search for workflows: ``minilm`` (by the meaning of sentences; needs the extra ``search``, and
    without it is ``hashed-words``), ``wordllama`` (by the meaning of words: less memory, finds less), ``hashed-words``
    (by words), or one of sentence-transformers, such as ``bge-small``."""
    workflow_capacity: int = Field(default=8, ge=1)
    """Invocations from outside that one process of the library works on at a time; the others wait."""
    workflow_flow_capacity: int = Field(default=256, ge=1)
    """Flows that one process of the library runs by turns at a time; each is a process that waits most of the time."""
    workflow_memory_mb: int = Field(default=512, ge=64)
    """Memory of one invocation."""
    build_keep_days: int = Field(default=30, ge=0)
    """Days that the bus keeps a build session after it was closed; 0: without end. Its client keeps its folder."""
    build_keep_mb: int = Field(default=2048, ge=0)
    """Of all closed build sessions on the bus: beyond it the oldest are dropped; 0: without end. What is not closed is
    kept."""

    review_max_decisions: int = Field(default=20_000, ge=1)
    """Decisions that the review of one run takes; more are refused, but for signatures and reopenings."""
    compare_timeout_s: float = Field(default=60.0, gt=0, le=600)
    """The longest that the evidence service compares two runs, for schedules and webhooks; two comparisons are at work
    at a time. `exhibit compare` takes the time that it needs."""

    webhook_url: SecretStr | None = None
    """Where the status record is posted when a run ends. None: nowhere. The whole address is treated as a secret."""
    webhook_url_file: FilePath | None = None
    webhook_secret: SecretStr | None = None
    """Key of the signature of webhooks. Without it none is sent."""
    webhook_secret_file: FilePath | None = None
    webhook_private_hosts: str = ""
    """Rules of hosts with private addresses that webhooks may be sent to, with commas between: ``10.0.0.5:8080``."""
    webhook_timeout_s: float = Field(default=30.0, gt=0, le=30)
    """The longest that one attempt may take, with the name's resolution."""
    webhook_attempts: int = Field(default=14, ge=1)
    """Attempts at one delivery before it is given up."""
    webhook_retry_s: float = Field(default=1.0, gt=0)
    """Pause after the first failed attempt; each is twice as long as the one before, up to an hour."""

    http_port: int | None = Field(default=None, ge=0, le=65535)
    """Where a process that serves tells whether it is alive and ready, and its metrics; `exhibit health` asks there.
    None: nowhere; 0: a free one."""
    http_host: str = "127.0.0.1"
    """The address that ``http_port`` is opened at. Whoever reaches it needs no key: 0.0.0.0 only where a network policy
    says who does."""

    web_proxies: str = ""
    """Addresses of the proxy that the console in the browser believes, with commas between: ``10.0.0.5, 10.1.0.0/24``.
    Empty: none; the console is for the user who has started it."""
    web_address: str | None = Field(default=None, pattern=r"^https?://[a-z0-9.-]+(:[0-9]{1,5})?$")
    """Under which people reach the console through the proxy: ``https://exhibit.example``."""
    web_user_header: str = Field(default="", pattern=r"^[A-Za-z0-9-]*$")
    """The header in which the proxy names who looks."""
    web_roles_header: str = Field(default="", pattern=r"^[A-Za-z0-9-]*$")
    """The header in which it names his roles, with commas between."""
    web_roles: str = ""
    """What the words of that header mean: ``audit-team=preparer, audit-lead=approver``. Empty: they are the roles:
    ``viewer``, ``preparer``, ``reviewer``, ``approver``."""
    web_proxy_secret: SecretStr | None = None
    """What the proxy sends as the header ``exhibit-proxy-secret``. A proxy on the same machine needs one."""
    web_proxy_secret_file: FilePath | None = None
    web_host: str = "127.0.0.1"
    """The address that the console is opened at, for a proxy on another machine."""
    web_reviewer_seed: Path | None = None
    """Seed of the user ``reviewer`` of a bus with users: the rights of whoever is no preparer. None: the console asks
    for him with its own rights."""

    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "WARNING"
    log_format: Literal["text", "json"] = "text"
    """``json``: one object a line, with time, level, service, run, sample, step and trace."""
    trace_file: Path | None = None
    """Where the spans of this process are appended, one JSON object a line. None: to no file."""
    otlp_endpoint: str | None = Field(
        default=None,
        pattern=r"^https?://[^\s/?#@]+(/[^\s?#]*)?$",
        validation_alias=AliasChoices("EXHIBIT_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"),
    )
    """Base address of the collector that gets traces and metrics over HTTP: ``http://127.0.0.1:4318``. None: there is
    none. What else is to be said of it is said in the standard ``OTEL_EXPORTER_OTLP_...`` variables."""

    @model_validator(mode="after")
    def _read_secret_files(self) -> Self:
        for name in SECRETS:
            file: Path | None = getattr(self, f"{name}_file")
            if file is None:
                continue
            if getattr(self, name) is not None:
                raise ValueError(f"{name} and {name}_file are both set: set one of them")
            setattr(self, name, SecretStr(_secret_in(name, file)))
        return self

    @property
    def evidence_place(self) -> str:
        """Folder or URL of the evidence, as ``--evidence`` takes it."""
        return self.evidence_bucket or str(self.evidence_dir)


SECRETS = (
    "s3_access_key", "s3_secret_key", "anthropic_api_key", "webhook_url", "webhook_secret", "web_proxy_secret",
)  # fmt: skip
"""Settings that may be read from a file instead, which no listing of processes or containers shows."""


def _secret_in(name: str, file: Path) -> str:
    """Return what the file holds, without the end of its line. Raises ValueError, which quotes nothing of it."""
    try:
        with file.open(encoding="utf-8") as opened:
            text = opened.read(MOST_SECRET_BYTES + 1).rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as exc:
        why = exc.strerror if isinstance(exc, OSError) else "it is no text"
        raise ValueError(f"{name}_file: {file} cannot be read: {why}") from None
    if not text or len(text) > MOST_SECRET_BYTES or "\n" in text:
        raise ValueError(f"{name}_file: {file} is not one line with a secret")
    return text


def with_capacity(settings: Settings, concurrency: int) -> Settings:
    """Return settings of a process that can work on ``concurrency`` samples at a time."""
    return settings.model_copy(
        update={
            "planner_capacity": max(concurrency, settings.planner_capacity),
            "workflow_capacity": max(concurrency, settings.workflow_capacity),
            "workflow_flow_capacity": max(concurrency, settings.workflow_flow_capacity),
            "browser_capacity": max(concurrency + SPARE_SESSIONS, settings.browser_capacity),
        }
    )


def default_planner(settings: Settings) -> str:
    """Return the planner of a run if its request names none."""
    if settings.planner:
        return settings.planner
    return "anthropic" if settings.anthropic_api_key else "rules"


def env_file_values(env_file: Path = ENV_FILE) -> dict[str, str]:
    """Return what the ``.env`` file says, as the settings read it, with names in capitals; empty without a file."""
    read = DotEnvSettingsSource(Settings, env_file=env_file).env_vars
    return {name.upper(): value for name, value in read.items() if value is not None}
