#!/usr/bin/env python3
"""What batch.sh cannot do in a shell: designs, kills at random moments, and looks into stores.

    batch.py designs COUNT                    lines of small robots for --base base.json
    batch.py kills KILLS DESIGNS STORE COMMAND  starts COMMAND with DESIGNS, kills it KILLS times, then lets it end
    batch.py million STORE COUNT              copies the results of a store until there are COUNT
    batch.py check STORE                      whether SQLite finds it sound
    batch.py sql STORE QUERY                  rows, columns separated by |
"""
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time


def designs(count):
    rng = random.Random(1)
    for i in range(count):
        voxels = [rng.choice([0, 1, 2, 3]) for _ in range(27)]
        voxels[13] = 1
        print(json.dumps({"id": f"r{i}", "voxels": voxels, "phase": [round(rng.random(), 3) for _ in range(27)]}))


def count_of(store):
    try:
        with sqlite3.connect(f"file:{store}?mode=ro", uri=True, timeout=60) as db:
            return db.execute("SELECT count(*) FROM results").fetchone()[0]
    except sqlite3.Error:
        return 0  # it is not there yet


def kills(number, designs, store, command):
    """Half of the kills come at a random moment after the start, the others when something was written and more is
    to come: their list is a part of the designs and then some that take for ever."""
    rng = random.Random(7)
    with open(designs, encoding="utf-8") as file:
        lines = file.readlines()
    endless = [json.dumps({**json.loads(line), "time": 1e6}) + "\n" for line in lines[-16:]]
    for i in range(number):
        if i % 2 == 0:
            process = subprocess.Popen([*command, designs], start_new_session=True)
            time.sleep(rng.uniform(0.0, 0.5))
        else:
            before = count_of(store)
            with open("endless.jsonl", "w", encoding="utf-8") as file:
                file.writelines(lines[: before + len(lines) // number] + endless)
            process = subprocess.Popen([*command, "endless.jsonl"], start_new_session=True)
            while process.poll() is None and count_of(store) < min(before + 1, len(lines)):
                time.sleep(0.005)
            time.sleep(rng.uniform(0.0, 0.3))
            if process.poll() is not None:
                sys.exit("it ended before it was killed")
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        check(store)
        print(f"kill {i + 1}: {count_of(store)} results")
    return subprocess.call([*command, designs])


def check(store):
    if not os.path.exists(store):
        return
    with sqlite3.connect(store, timeout=60) as db:
        answer = db.execute("PRAGMA integrity_check").fetchone()[0]
    if answer != "ok":
        sys.exit(f"{store}: {answer}")


def million(store, count):
    with sqlite3.connect(store) as db:
        have = db.execute("SELECT max(design) FROM designs").fetchone()[0]
        db.execute("PRAGMA synchronous=OFF")
        columns = [row[1] for row in db.execute("PRAGMA table_info(metrics)")][2:]
        while have < count:
            more = min(have, count - have)
            db.execute("INSERT INTO designs SELECT design+?, randomblob(16), id||'-'||(design+?), line FROM designs "
                       "WHERE design<=?", (have, have, more))
            db.execute("INSERT INTO results SELECT design+?, repeat, status, reason, fitness*(1+random()*1e-20), "
                       "steps, time, wall, state_hash, finished+?, message, run FROM results WHERE design<=?",
                       (have, have * 1e-3, more))
            db.execute(f"INSERT INTO metrics SELECT design+?, repeat, {', '.join(columns)} FROM metrics "
                       "WHERE design<=?", (have, more))
            have += more


def main():
    what, arguments = sys.argv[1], sys.argv[2:]
    if what == "designs":
        designs(int(arguments[0]))
    elif what == "kills":
        sys.exit(kills(int(arguments[0]), arguments[1], arguments[2], arguments[3:]))
    elif what == "million":
        million(arguments[0], int(arguments[1]))
    elif what == "check":
        check(arguments[0])
    elif what == "sql":
        with sqlite3.connect(arguments[0]) as db:
            for row in db.execute(arguments[1]):
                print("|".join("" if value is None else str(value) for value in row))
    else:
        sys.exit(__doc__)


main()
