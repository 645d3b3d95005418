#!/usr/bin/env python3
"""What batch.sh cannot do in a shell: designs, kills at random moments, and looks into stores.

    batch.py designs COUNT [STEPS]            lines of small robots for --base base.json
    batch.py kills KILLS SEED STORE COMMAND   starts COMMAND, kills it KILLS times, then lets it end
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


def kills(number, seed, store, command):
    """Half of the kills come at a random moment after the start, the others when something was written."""
    rng = random.Random(seed)
    middle = 0
    for i in range(number):
        before = count_of(store)
        process = subprocess.Popen(command, start_new_session=True)
        if i % 2 == 0:
            time.sleep(rng.uniform(0.0, 0.5))
        else:
            wanted = before + rng.randint(1, 40)
            while process.poll() is None and count_of(store) < wanted:
                time.sleep(0.005)
            time.sleep(rng.uniform(0.0, 0.3))
        ended = process.poll() is not None
        if not ended:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        check(store)
        after = count_of(store)
        middle += not ended and after > 0
        print(f"kill {i + 1}: {after} results{' (it had ended)' if ended else ''}")
    status = subprocess.call(command)
    print(f"{middle} kills with results in the store")
    return status if middle > 0 else 1


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
        sys.exit(kills(int(arguments[0]), int(arguments[1]), arguments[2], arguments[3:]))
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
