"""Mutants of what a browser may reach and press: hosts, private addresses, secrets, leases, paces."""

from __future__ import annotations

from benchmarks.mutants.mutant import Module, Mutant

_HOSTS = ("unit/shared/test_hosts.py", "unit/browser_pool/test_pool_policy.py")

HOSTS = (
    Module(
        "shared/hosts.py",
        _HOSTS,
        (
            Mutant(
                'return origin.host.endswith(f".{self.host}")',
                "return origin.host.endswith(self.host)",
                "`*.example.com` does not let in `badexample.com`",
            ),
            Mutant(
                "if self.port is not None and self.port != origin.port:",
                "if self.port is not None and self.port > origin.port:",
                "a rule with a port lets in no other port",
            ),
            Mutant(
                "return not address.is_global or address.is_multicast",
                "return not address.is_global",
                "multicast addresses are private",
            ),
            Mutant(
                "if address.sixtofour is not None or address.teredo is not None:",
                "if address.teredo is not None:",
                "a tunnel to a private address is private",
            ),
            Mutant(
                'if own is None and (host == "localhost" or host.endswith(".localhost")):',
                'if own is None and host == "localhost":',
                "names below localhost are loopback",
            ),
            Mutant(
                'split_port(parts.netloc.rpartition("@")[2])\n    host = canonical_host',
                'split_port(parts.netloc.partition("@")[0])\n    host = canonical_host',
                "the host of an address stands behind the user",
            ),
            Mutant(
                "one.port is not None and other.port is not None and one.port != other.port:",
                "one.port is not None and other.port is not None and one.port > other.port:",
                "a login of one port goes to no other",
            ),
            Mutant(
                "if address in _NAT64 or address in",
                "if address in",
                "a private address behind NAT64 is private",
            ),
        ),
    ),
    Module(
        "shared/network/host_policy.py",
        _HOSTS,
        (
            Mutant(
                "if inside is None or fits_any(origin, bounds.private):",
                "if inside is None or fits_any(origin, bounds.allowed):",
                "an allowed host is no private one unless the spec names it",
            ),
            Mutant(
                'url.lower().startswith(("http", "ws"))',
                'url.lower().startswith("http")',
                "a WebSocket to what is no address is refused",
            ),
            Mutant(
                'if origin.scheme not in ("http", "https"):',
                'if origin.scheme not in ("http", "https", "ftp"):',
                "only http and https are opened",
            ),
            Mutant(
                "    if not fits_any(origin, bounds.allowed):\n",
                "    if bounds.allowed and not fits_any(origin, bounds.allowed):\n",
                "a session without hosts opens nothing",
            ),
        ),
    ),
    Module(
        "shared/network/host_access.py",
        (*_HOSTS, "handlers/workflows/test_http_tools.py"),
        (
            Mutant(
                "if inside is not None and not fits_any(origin, self.private):",
                "if inside is not None and not fits_any(origin, self.allowed):",
                "a tool reaches a private address only where it is named as one",
            ),
            Mutant(
                'if "@" in url.partition("://")[2].partition("/")[0]:',
                'if "@" in url.partition("://")[0]:',
                "a tool opens no address with a password",
            ),
            Mutant(
                'return host is not None and not rule.startswith("*") and',
                "return host is not None and",
                "a rule for names below a domain makes no address private by name",
                equal="`*.` stays before the host here, and no host of that form is a private address or localhost",
            ),
        ),
    ),
    Module(
        "shared/task/allowed_hosts.py",
        ("unit/planner/test_planner_addresses.py",),
        (
            Mutant(
                'return (host,) if host and "\\x00" not in host else ()',
                "return (host,) if host else ()",
                "a host that a row chooses is never a private one",
            ),
            Mutant(
                "if spec.allowed_hosts:",
                "if not spec.allowed_hosts:",
                "the hosts of a spec hold for every row",
            ),
        ),
    ),
    Module(
        "services/browser_pool/safety/policy.py",
        ("unit/browser_pool/test_pool_policy.py",),
        (
            Mutant(
                '*("0.", "10.", "127.", "169.254.", "192.168.",',
                '*("0.", "10.", "127.", "192.168.",',
                "requests to link-local addresses are paused and decided",
            ),
            Mutant(
                'return [f"{text}/" if known.port == DEFAULT_PORTS[scheme] else f"{text}:{known.port}/"]',
                'return [f"{text}/", f"{text}:"]',
                "a private host that is named with a port passes at that port only",
            ),
        ),
    ),
    Module(
        "services/browser_pool/adapters/guard/session_guard.py",
        ("unit/browser_pool/test_session_guard.py",),
        (
            Mutant(
                "if not fits_any(origin, self.bounds.private):\n            return False",
                "if not fits_any(origin, self.bounds.allowed):\n            return False",
                "a secret is typed over http at a host that is named private only",
            ),
            Mutant(
                "if isinstance(origin, str) or not fits_any(origin, self.bounds.allowed):\n            return False",
                "if isinstance(origin, str):\n            return False",
                "a secret is typed at an allowed host only",
            ),
            Mutant(
                "is not None or (self.proxied and not addresses)",
                "is not None or self.proxied",
                "a public address that is called private gets no secret over http",
            ),
            Mutant(
                "if refusal is None and not hop:",
                "if refusal is None:",
                "a redirect takes no second turn of its domain",
            ),
            Mutant(
                '(self.sealed, "tab", False) else SEALED',
                "(self.sealed, where, False) else SEALED",
                "beside a stored page nothing is opened",
            ),
            Mutant(
                "return SEALED if self.sealed else part_refusal(url, addresses, self.bounds)",
                "return part_refusal(url, addresses, self.bounds)",
                "a stored page opens no WebSocket",
            ),
            Mutant(
                "            if elsewhere:\n                return elsewhere",
                "            if not elsewhere:\n                return elsewhere",
                "a session with a login begins at one of its hosts",
            ),
            Mutant(
                "refusal = refusal or document_refusal(url, await self._addresses(url), self.bounds)",
                "refusal = refusal or document_refusal(url, (), self.bounds)",
                "a name that resolves to a private address is refused",
            ),
        ),
    ),
    Module(
        "services/browser_pool/login_hosts.py",
        ("unit/browser_pool/test_login_hosts.py",),
        (
            Mutant(
                'return all(fits_any(Origin("https", one, 0), hosts) for one in names)',
                'return any(fits_any(Origin("https", one, 0), hosts) for one in names)',
                "a cookie of all names below a domain goes to no session that may open one of them only",
            ),
            Mutant(
                "if not allowed or share_a_host(hosts, allowed):",
                "if not allowed or not share_a_host(hosts, allowed):",
                "a login goes to a session of its own hosts only",
            ),
        ),
    ),
    Module(
        "shared/secrets/redaction.py",
        ("unit/browser_pool/test_pool_redaction.py", "unit/browser_pool/test_pool_snapshot.py"),
        (
            Mutant(
                "frozenset(plain | escaped | in_address | twice | in_script",
                "frozenset(plain | escaped | twice | in_script",
                "a secret in an address is hidden",
            ),
            Mutant(
                "| in_names | _in_base64(secret))",
                "| in_names)",
                "a secret in base64 is hidden",
            ),
            Mutant(
                "if len(secret) >= 2 * SHORT]", "if len(secret) >= 20 * SHORT]", "a secret that was cut off is hidden"
            ),
            Mutant(
                "ordered = sorted(found, key=len, reverse=True)",
                "ordered = sorted(found, key=len)",
                "no rest of a longer secret remains",
            ),
            Mutant(
                "if is_word(secret):\n        return",
                "if not is_word(secret):\n        return",
                "a secret with digits is hidden wherever it stands",
            ),
        ),
    ),
)

PRESSES = (
    Module(
        "shared/task/presses.py",
        ("unit/shared/test_unnamed_presses.py", "unit/planner/test_planner_route.py"),
        (
            Mutant(
                'or (role != "link" and self.says(at, name))',
                'or (role == "link" and self.says(at, name))',
                "a button that holds the words of an irreversible step is pressed once",
            ),
            Mutant(
                "return found and not self.is_of_another(at, text)",
                "return found",
                "the button of another step is not taken for the irreversible one",
            ),
        ),
    ),
    Module(
        "shared/pages/effects/unnamed_presses.py",
        ("unit/shared/test_unnamed_presses.py",),
        (
            Mutant(
                "return not facts.leads and any(",
                "return any(",
                "a link must be called exactly as the task names it",
            ),
            Mutant(
                '{"post", "put", "patch", "delete"}',
                '{"post", "put", "patch"}',
                "a request that deletes is withheld",
            ),
            Mutant(
                "or (searches and facts.fields <= 1 and generic)",
                "or (searches and generic)",
                "a form with more than a search field is sent only where the task names it",
            ),
            Mutant(
                "return has_word(facts.question, ENDING) and has_word(facts.name, AGREEING)",
                "return has_word(facts.question, AGREEING) and has_word(facts.name, AGREEING)",
                "to a question about a deletion nobody agrees unasked",
            ),
            Mutant(
                'if method != "post" or (',
                'if method == "delete" or (',
                "what is sent by put or patch is no reading",
            ),
        ),
    ),
)

POOL = (
    Module(
        "services/browser_pool/leases.py",
        ("unit/browser_pool/test_pool_leases.py",),
        (
            Mutant(
                "return len(leases.held) >= leases.capacity or",
                "return len(leases.held) > leases.capacity or",
                "no more sessions are leased than there is room for",
            ),
            Mutant(
                "if key not in busy and now_s - lease.used_at_s",
                "if now_s - lease.used_at_s",
                "a session at work does not expire",
            ),
            Mutant(
                "now_s - lease.began_at_s >= lease.max_s",
                "now_s - lease.used_at_s >= lease.max_s",
                "a session has a deadline, however much it is used",
            ),
            Mutant(
                "(leases.short_of_memory and bool(leases.held))",
                "leases.short_of_memory",
                "one session is always possible",
            ),
        ),
    ),
    Module(
        "services/browser_pool/safety/politeness.py",
        ("unit/browser_pool/test_pool_politeness.py", "handlers/browser_pool/test_pool_pacing.py"),
        (
            Mutant(
                "Slot(owner=owner, until=go_at + hold_s)",
                "Slot(owner=owner, until=now + hold_s)",
                "a document that waits for its turn holds its slot from then on",
            ),
            Mutant(
                "if limits.max_in_flight and len(live) >= limits.max_in_flight:",
                "if limits.max_in_flight and len(live) > limits.max_in_flight:",
                "no more documents are on their way than the site may be asked for",
            ),
            Mutant(
                "go_at = max(now, pace.next_at, pace.last_at + limits.interval_s)",
                "go_at = max(now, pace.next_at)",
                "of two intervals the longer one is kept",
            ),
            Mutant(
                "strikes = pause.strikes + 1 if fresh else pause.strikes",
                "strikes = pause.strikes + 1",
                "documents that were on their way together are one strike",
            ),
            Mutant("TOO_BUSY = frozenset({429, 503})", "TOO_BUSY = frozenset({503})", "429 makes a pause"),
            Mutant(
                "return PaceLimits(limits.interval_s, 1) if pause.strikes else limits",
                "return limits",
                "after a pause one document goes first",
            ),
        ),
    ),
    Module(
        "services/browser_pool/adapters/guard/pacing.py",
        ("handlers/browser_pool/test_pool_pacing.py",),
        (
            Mutant(
                "taken = self._pauses[domain].until <= self.now()",
                "taken = True",
                "a turn that came during a pause is given back",
            ),
            Mutant(
                "late = granted is not None and granted.go_at > deadline",
                "late = granted is not None and granted.go_at < deadline",
                "a turn that comes too late is refused, with the reason",
            ),
        ),
    ),
    Module(
        "services/browser_pool/safety/limits.py",
        ("unit/browser_pool/test_pool_limits.py",),
        (
            Mutant("if use.frames > limits.frames:", "if use.frames > 2 * limits.frames:", "frames have a limit"),
            Mutant(
                "if over or free_mb >= least_free_mb or not sizes_mb:",
                "if over or not sizes_mb:",
                "no page is ended while the machine has memory left",
            ),
        ),
    ),
    Module(
        "shared/bus/verdict.py",
        ("unit/shared/test_verdict.py",),
        (
            Mutant(
                "attempt >= (max_attempts or BUG_ATTEMPTS):",
                "attempt > (max_attempts or BUG_ATTEMPTS):",
                "a message is tried as often as its consumer says",
            ),
            Mutant(
                "for_ever = max_attempts is None and isinstance(error, TransientError)",
                "for_ever = max_attempts is None",
                "a bug does not block all messages behind it",
            ),
            Mutant("return min(cap_s,", "return max(cap_s,", "a message is tried again soon"),
        ),
    ),
)
