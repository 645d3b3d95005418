"""The examples run; evolve.py, killed again and again, ends with the same best robot."""

import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import time

import pytest

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "examples" / "python"


def run(name, *options, folder):
    done = subprocess.run([sys.executable, str(FOLDER / name), *options], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_evolve_killed_and_started_again(tmp_path):
    options = ["--generations", "6", "--folder"]
    straight = run("evolve.py", *options, "straight", folder=tmp_path).splitlines()
    assert (tmp_path / "straight" / "best.html").exists()
    chance = random.Random(3)
    kills = 0
    while kills < 3:
        process = subprocess.Popen([sys.executable, str(FOLDER / "evolve.py"), *options, "killed"], cwd=tmp_path,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(chance.uniform(0.3, 1.2))
        process.send_signal(signal.SIGKILL)
        process.wait()
        kills += 1
    again = run("evolve.py", *options, "killed", folder=tmp_path).splitlines()
    assert straight[-1].startswith("best robot") and again[-1] == straight[-1]


def test_closed_loop(tmp_path):
    text = run("closed_loop.py", "--generations", "1", folder=tmp_path)
    assert "generation 1: mean" in text and (tmp_path / "trained" / "weights.npy").exists()


def test_design_study(tmp_path):
    text = run("design_study.py", "--side", "2", folder=tmp_path)
    assert "furthest" in text
    assert len((tmp_path / "study" / "study.csv").read_text().splitlines()) == 5


def test_notebook(tmp_path, monkeypatch):
    """Its cells run, in order, without Jupyter."""
    monkeypatch.chdir(tmp_path)
    notebook = json.loads((FOLDER / "notebook.ipynb").read_text(encoding="utf-8"))
    assert notebook["nbformat"] == 4
    names = {"__name__": "__main__", "display": lambda *things: None}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), "notebook.ipynb", "exec"), names)
    assert os.path.exists("walk.html")
