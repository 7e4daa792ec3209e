"""Mutants of what keeps evidence true: hash chains, the seal and its check, signatures, and what a run admits."""

from __future__ import annotations

from benchmarks.mutants.mutant import Module, Mutant

_CHAIN = ("unit/shared/test_sealed_chain.py",)
_VERIFY = (
    *("unit/shared/test_sealed_folder.py", "unit/shared/test_sealed_rounds.py"),
    "handlers/evidence/test_sealed_run.py",
)
_SIGNED = ("unit/shared/test_signatures.py",)
_ADMIT = ("handlers/evidence/test_forged_events.py", "handlers/evidence/test_forged_responses.py")

CHAIN = (
    Module(
        "shared/evidence_format/chain.py",
        _CHAIN,
        (
            Mutant(
                "if own.get(PREVIOUS) != head or stated != sha256(_sorted_json(own)):",
                "if stated != sha256(_sorted_json(own)):",
                "a step that was removed or moved breaks the chain",
            ),
            Mutant(
                "if own.get(PREVIOUS) != head or stated",
                "if own.get(PREVIOUS) != head and stated",
                "a step whose content was changed breaks the chain",
            ),
            Mutant(
                "return start_hash(run_id=run_id, sample_id=sample_id, attempt=attempt)",
                "return start_hash(run_id=run_id, attempt=attempt)",
                "the log of one sample does not fit another",
            ),
        ),
    ),
    Module(
        "shared/evidence_format/signing.py",
        ("unit/shared/test_sealed_keys.py", *_VERIFY),
        (
            Mutant(
                "base64.b64decode(signature, validate=True)",
                "base64.b64decode(signature)",
                "a signature with other letters in it is not the one that was made",
                equal="the seal's base64 is compared with its canonical form before, and a signature of rubbish fails",
            ),
            Mutant(
                "if settings.evidence_bucket is None and path",
                "if settings.evidence_bucket is not None and path",
                "the key that seals runs never lies inside the evidence",
            ),
        ),
    ),
    Module(
        "shared/evidence_format/verify/compare.py",
        _VERIFY,
        (
            Mutant(
                "return (entry.sha256, entry.size_bytes) == (digest.sha256, digest.size_bytes)",
                "return entry.size_bytes == digest.size_bytes",
                "a changed byte is found",
            ),
            Mutant("for path in came - renamed]", "for path in renamed]", "a file that was added is found"),
            Mutant(
                "gone = [path for path in sealed if path not in actual]",
                "gone = [path for path in sealed if path not in actual and sealed[path].size_bytes]",
                "a file that was removed is found, also an empty one",
            ),
            Mutant(
                "if name in table and not _shows(",
                "if name not in table and not _shows(",
                "a cell of the table that was altered is named",
            ),
        ),
    ),
    Module(
        "shared/evidence_format/verify/verify_manifest.py",
        _VERIFY,
        (
            Mutant(
                "return [] if head == manifest.chain_sha256 else",
                "return [] if manifest.chain_sha256 else",
                "a sample that was cut off the end of the manifest is told",
            ),
            Mutant(
                '("found", "attempted", "done", "review", "failed", "excepted")',
                '("found", "attempted", "review", "failed", "excepted")',
                "the population of a manifest adds up, whoever sealed it",
            ),
            Mutant(
                "if results != [manifest.result_sha256]:",
                "if not results:",
                "a manifest names the result that it is about",
            ),
            Mutant(
                "if (manifest.status, manifest.reason, manifest.attempted) != ",
                "if (link.status, manifest.reason, manifest.attempted) != ",
                "the manifests of run and sample say the same status",
            ),
        ),
    ),
    Module(
        "shared/evidence_format/verify/samples.py",
        _VERIFY,
        (
            Mutant("if head != log.head_sha256:", "if not head:", "a log that was cut or made anew is told"),
            Mutant(
                "if broken is not None:",
                "if broken == 1:",
                "a log whose chain is broken at any step is told",
            ),
            Mutant(
                "here = (result.sample_id, result.status, result.reason, result.attempt)",
                "here = (result.sample_id, manifest.status, result.reason, result.attempt)",
                "a result and its manifest say the same status",
            ),
        ),
    ),
    Module(
        "shared/evidence_format/verify/seal.py",
        _VERIFY,
        (
            Mutant(
                "key is not None and own.fingerprint == key.fingerprint",
                "key is not None",
                "a run that a stranger has sealed anew is not called the known key's",
            ),
            Mutant(
                "if own is None or own.fingerprint != seal.fingerprint or",
                "if own is None or",
                "the fingerprint of a seal is that of its key",
            ),
            Mutant(
                "elif encode_file(seal) == written and _plain_base64(seal.signature):",
                "elif encode_file(seal) == written:",
                "a letter of the signature that decoders ignore was changed, and it is told",
            ),
            Mutant(
                "if after.previous_sha256 != chain.sha256(written):",
                "if not after.previous_sha256:",
                "an earlier round that was exchanged is told",
            ),
            Mutant(
                "for number in range(latest.round - 1, 0, -1):",
                "for number in range(latest.round - 1, 1, -1):",
                "the first round of a run is checked too",
            ),
        ),
    ),
    Module(
        "shared/evidence_format/verify/verify_run.py",
        _VERIFY,
        (
            Mutant(
                'return self.whole and self.signed == "by_known_key"',
                'return self.whole and self.signed != "no"',
                "a run that another key has sealed is not called good",
            ),
            Mutant(
                "lost = sorted(listed ^ {",
                "lost = sorted(listed & {",
                "samples that the population file names and the manifest lacks are told",
            ),
            Mutant(
                "if path in actual and actual[path].sha256 != name",
                "if path in actual and not actual[path].sha256",
                "an object with other bytes than its name says is told",
            ),
            Mutant(
                "if noted and noted.lower() != checked.manifest_sha256:",
                "if noted and not checked.manifest_sha256:",
                "a run that was taken back to an earlier round is known by the hash that was noted",
            ),
        ),
    ),
    Module(
        "shared/evidence_format/seals/timestamp.py",
        ("handlers/evidence/test_timestamps.py",),
        (
            Mutant(
                "imprint.message != hashlib.sha256(seal).digest():",
                "not imprint.message:",
                "the token of another seal is told without the certificates of an authority",
            ),
            Mutant(
                "if nonce is not None and said_of.nonce != nonce:",
                "if nonce is not None and not said_of.nonce:",
                "the answer to an earlier query is not taken again",
            ),
            Mutant(
                "if policy and said_of.policy.dotted_string != policy:",
                "if policy and not said_of.policy.dotted_string:",
                "a token that was given under another policy is refused",
            ),
            Mutant(
                "            _check_signature(response, seal, authority)",
                "            pass",
                "a forged token, and one of a stranger, are told",
            ),
        ),
    ),
    Module(
        "shared/evidence_format/seals/transparency.py",
        ("handlers/evidence/test_seal_list.py",),
        (
            Mutant(
                "if broken is not None:",
                "if broken == 0:",
                "a list of seals of which a line was changed or removed is told",
            ),
            Mutant(
                "if one.run_id == run_id and one.place not in there",
                "if one.run_id == run_id and not there",
                "a run that was taken back to an earlier round is known by a list that was published",
            ),
            Mutant(
                "elif listed.seals[number - 1] != one:",
                "elif listed.seals[number - 1].place != one.place:",
                "a seal that was made anew is told by the list",
            ),
        ),
    ),
)

SIGNATURES = (
    Module(
        "shared/bus/signing/signatures.py",
        _SIGNED,
        (
            Mutant(
                "    if service not in subject.signers:\n",
                "    if not service:\n",
                "a service sends what is its own, and not what another one signs",
            ),
            Mutant(
                "% (PURPOSE, where.encode(), data)",
                '% (PURPOSE, b"", data)',
                "signed bytes are of no use under the name of another run or sample",
            ),
            Mutant(
                "    if subject is None:\n        return False",
                "    if subject is None:\n        return True",
                "an event of no known kind is believed by nobody",
            ),
            Mutant(
                "service = known.service_of(key) if _KEY.fullmatch(key) else None",
                'service = known.service_of(key) or "planner"',
                "a key of no service signs nothing",
            ),
            Mutant(
                "if not _is_signed(key, written, where, data):",
                "if not written:",
                "a signature of other bytes is none",
            ),
        ),
    ),
)

ADMIT = (
    Module(
        "services/evidence/state/admission.py",
        _ADMIT,
        (
            Mutant(
                "    if step.step != last + 1:\n",
                "    if step.step <= last:\n",
                "no step of a log is left out",
            ),
            Mutant(
                "not log.steps or message.planner_id == log.planner_id:",
                "not log.steps or message.planner_id:",
                "an attempt is that of the planner that began it",
            ),
            Mutant(
                "    if attempt <= state.attempt_base:\n",
                "    if attempt < state.attempt_base:\n",
                "an attempt of an earlier round is not filed in this one",
            ),
            Mutant(
                "    if state.current_summary is not None:\n        return SEALED\n    if state.has_ended(sample_id):",
                "    if state.current_summary is None:\n        return SEALED\n    if state.has_ended(sample_id):",
                "nothing is filed in a run that is sealed",
            ),
            Mutant(
                "    if state.has_ended(sample_id):\n",
                "    if not state.has_sample(sample_id):\n",
                "the first result of a sample counts",
            ),
            Mutant(
                "if (one.filename, one.artifact.sha256) not in stored:",
                "if one.filename not in {name for name, _ in stored}:",
                "a result names files with the bytes that were filed",
            ),
            Mutant(
                "if logged_value(value) not in log.logged:",
                "if not log.logged:",
                "a value of a result was logged by a step",
            ),
            Mutant(
                'if (value.origin == "api") != (value.response is not None):',
                'if value.origin == "api" and value.response is None:',
                "only a value that an API gave names a response",
            ),
            Mutant(
                "    if message.samples < known:\n",
                "    if message.samples > known:\n",
                "a population does not count fewer samples than are known",
            ),
            Mutant(
                "if (message.steps != len(log.steps) and not given_up) or",
                "if (message.steps > len(log.steps) and not given_up) or",
                "a result counts all steps that are filed",
            ),
        ),
    ),
    Module(
        "services/evidence/ingest/admit.py",
        _ADMIT,
        (
            Mutant(
                "    if result == told:\n",
                "    if result.status == told.status:\n",
                "a second result of an attempt that says something else is refused",
            ),
            Mutant(
                'return "filed" if await _is_filed(deps, step) else',
                'return "filed" if step.step in log.steps else',
                "a step that is filed already and says something else is refused",
            ),
            Mutant(
                'return "filed" if same else await _refuse',
                'return "filed" if filed else await _refuse',
                "a sample that is filed already and says something else is refused",
            ),
        ),
    ),
    Module(
        "services/evidence/state/settling.py",
        ("handlers/evidence/test_settlements.py",),
        (
            Mutant(
                'released=tuple(sorted(claimed)) if request.verdict == "again" else (),',
                "released=tuple(sorted(claimed)),",
                "a press is released only where a person has said that it is to be made again",
            ),
            Mutant(
                "if len(claimed) > 1 and not request.every_press:",
                "if len(claimed) > 2 and not request.every_press:",
                "several presses are made again only where a person allows every one",
            ),
            Mutant(
                "    if not is_unknown(result):\n",
                "    if is_unknown(result) and earlier:\n",
                "only a sample of unknown outcome is settled",
            ),
        ),
    ),
)
