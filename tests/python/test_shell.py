# SPDX-License-Identifier: Apache-2.0
"""Completions and manual pages, which the command makes of its own options."""

import re
import shutil
import subprocess

import pytest
from command import DORM, commands, dorm

TABLE = commands()
VERBS = list(TABLE)


def options_of(verb):
    return {name for option in TABLE[verb]["options"] for name in option["names"] if name.startswith("--")}


def complete(*words):
    """What bash offers at the end of the line."""
    script = f"""source <({DORM} completion bash)
COMP_WORDS=({" ".join(f"'{w}'" for w in words)}); COMP_CWORD={len(words) - 1}
_dorm; printf '%s\\n' "${{COMPREPLY[@]}}" """
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return set(done.stdout.split())


def test_bash_offers_verbs_options_and_files(tmp_path, monkeypatch):
    assert "train" in VERBS and "eval" in VERBS
    assert complete("dorm", "") >= {verb.split()[0] for verb in VERBS}
    assert complete("dorm", "clicks", "") >= {"gains", "propensity", "evaluate", "interleave", "simulate"}
    assert complete("dorm", "clicks", "si") == {"simulate"}
    assert complete("dorm", "tr") == {"train"}
    for verb in VERBS:
        assert complete("dorm", *verb.split(), "--") >= options_of(verb), verb
    monkeypatch.chdir(tmp_path)
    (tmp_path / "letor.txt").touch()
    assert complete("dorm", "eval", "let") == {"letor.txt"}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_verb_and_option_is_in_the_completion(shell):
    text = dorm("completion", shell).stdout
    for verb in VERBS:
        assert all(name in text for name in verb.split())
        for option in options_of(verb):
            assert option in text or f"-l {option[2:]}" in text, (verb, option)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_completion_is_a_script_of_its_shell(shell, tmp_path):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    script = tmp_path / "completion"
    script.write_text(dorm("completion", shell).stdout)
    subprocess.run([shell, "-n", script], check=True)


def test_manual_pages_hold_what_help_prints(tmp_path):
    dorm("manual", tmp_path)
    assert {p.name for p in tmp_path.iterdir()} == {"dorm.1", *(f"dorm-{verb.replace(' ', '-')}.1" for verb in VERBS)}
    for verb in VERBS:
        page = (tmp_path / f"dorm-{verb.replace(' ', '-')}.1").read_text()
        assert page.startswith(".TH dorm\\-" + verb.replace(" ", "\\-") + " 1 ")
        plain = page.replace("\\-", "-")
        for option in options_of(verb):
            assert option in plain, (verb, option)
        for form in re.findall(r"^Usage: (dorm .*)", dorm(*verb.split(), "--help").stdout, re.MULTILINE):
            assert form in plain


def test_manual_pages_are_good_roff(tmp_path):
    if shutil.which("groff") is None:
        pytest.skip("groff is not installed")
    dorm("manual", tmp_path)
    for page in sorted(tmp_path.iterdir()):
        done = subprocess.run(
            ["groff", "-man", "-Tutf8", "-ww", page], capture_output=True, text=True, check=True, errors="replace"
        )
        assert done.stderr == "", page.name
