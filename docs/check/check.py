#!/usr/bin/env python3
"""Runs the snippets of docs/results.md, and compares what they compute with weft.

    check.py WEFT CHECKOUT [BRIDGE]

It makes the results that they read, in the folder in which it is called. A snippet
for which something is lacking is said to be skipped. Without BRIDGE, the path of
bridge.mjs, only packages of Python count.
"""

import importlib.util
import json
import math
import re
import shutil
import subprocess
import sys
from pathlib import Path

import standin

VARIANTS = ["ECMP", "OPS", "ARCANE"]

INSTALLED = {name for name in ("pandas", "pyarrow", "polars") if importlib.util.find_spec(name)}


class Failed(Exception):
    pass


def expect(what, got, want):
    """Compares numbers up to rounding, means to a picosecond; all else exactly."""
    if isinstance(want, (int, float)) and not isinstance(want, bool):
        same = got is not None and math.isclose(float(got), want, rel_tol=1e-9, abs_tol=1e-6)
    else:
        same = got == want
    if not same:
        raise Failed(f"{what}: {got}, and weft says {want}")


def weft(*args):
    done = subprocess.run([WEFT, *args], capture_output=True, text=True)
    if done.returncode != 0:
        raise Failed(f"weft {' '.join(args)}: {done.stderr}")
    return done.stdout


# The results that the snippets read.


def run(scenario):
    Path("run.json").write_text(weft("run", str(scenario), "--json"))


def study(scenario):
    """Makes a small study that has one run without a result."""
    folder = "out/uplink-faults"
    small = "topology.radix=8", "until=100us", "measure.from=10us", "measure.to=40us", "seeds=2"
    weft("study", "run", str(scenario), "--report=false", "--json", *(a for s in small for a in ("--set", s)))
    first = json.loads(weft("runs", folder, "--json").splitlines()[0])
    weft("runs", "remove", folder, first["key"])
    failed = {k: first[k] for k in ("key", "name", "cell", "seed", "program")}
    failed |= {"status": "failed", "message": "removed by the check of the documents"}
    path = Path(folder, "runs", first["key"][:2], first["key"] + ".failed.json")
    path.write_text(json.dumps(failed))
    Path("runs.jsonl").write_text(weft("runs", folder, "--json"))
    weft("study", "table", folder, "--parquet", "table.parquet")


# What the snippets are compared with.


def summaries():
    return {v["name"]: v for v in json.loads(Path("run.json").read_text())["variants"]}


def groups(summary):
    """The parts of a summary by the name of the traffic group."""
    return {g["name"]: g for g in summary.get("groups", [])} or {"flows": summary}


def cells():
    """The cells of the study by their labels; each maps metrics to estimates."""
    table = json.loads(weft("study", "table", "out/uplink-faults", "--json"))
    out = {}
    for cell in table["cells"]:
        labels = tuple(a["levels"][level] for a, level in zip(table["axes"], cell["levels"]))
        out[labels] = {m["name"]: e for m, e in zip(table["metrics"], cell["estimates"])}
    return out


def port_bytes(bridge, variant):
    rows, = bridge.sql(f"select name, accepted_bytes from 'out/slow-uplink/{variant}/ports.parquet'")
    return {r["name"]: int(r["accepted_bytes"]) for r in rows}


# The snippets in their order: how each is recognised, and what is asked of what it
# leaves. A snippet is Python's variables, or the rows of each statement of SQL.


def pandas_of_runs(left):
    want = summaries()
    arcane = want["ARCANE"]
    expect("p99", left["p99"], arcane["fct_us"]["p99"])
    expect("mean", left["fct_us"].mean(), arcane["fct_us"]["mean"])
    expect("unfinished", left["fct_us"].isna().sum(), arcane["unfinished"])
    for name, group in groups(arcane).items():
        row = left["by_group"].loc[name]
        expect(f"messages of {name}", row["count"], group["messages"] - group["unfinished"])
    for v in left["summaries"].to_dict("records"):
        expect(f"p99 of {v['name']}", v["fct_us.p99"], want[v["name"]]["fct_us"]["p99"])
    expect("variants", list(left["summaries"].name), VARIANTS)
    gbps = left["gbps"]
    expect("ports", len(gbps.columns), 8)
    if "groups" not in arcane and BRIDGE:
        # Without a measured window, counters of ports are over the whole run, too.
        counted = port_bytes(BRIDGE, "ARCANE")
        for port in gbps.columns:
            expect(f"bytes of {port}", gbps[port].sum() * 20e-6 * 1e9 / 8, counted[port])


def sql_of_runs(left):
    want = summaries()
    percentiles, ports = left
    expect("rows", len(percentiles), len(VARIANTS))
    for row in percentiles:
        name = row["filename"].split("/")[-2]
        expect(f"p99 of {name}", row["p99_us"], want[name]["fct_us"]["p99"])
        expect(f"unfinished of {name}", row["unfinished"], want[name]["unfinished"])
    queues = [int(r["queue_max_bytes"]) for r in ports]
    expect("order", queues, sorted(queues, reverse=True))
    drops = want["OPS"]["drops_by_reason"]["queue_full"]
    if drops == 0 or sum(int(r["drops_queue_full"]) for r in ports) not in range(1, drops + 1):
        raise Failed(f"drops of {ports}, and weft says {drops} in all")


def polars_of_runs(left):
    want = groups(summaries()["ARCANE"])
    rows = left["printed"][0]
    if hasattr(rows, "to_dicts"):
        rows = rows.to_dicts()
    expect("groups", sorted(r["group"] for r in rows), sorted(want))
    for r in rows:
        expect(f"p99 of {r['group']}", r["p99_us"], want[r["group"]]["fct_us"]["p99"])


def pandas_of_studies(left):
    want = cells()
    runs, means, table = left["runs"], left["means"], left["table"]
    listed = [json.loads(line) for line in Path("runs.jsonl").read_text().splitlines()]
    expect("runs", len(runs), len(listed))
    if (runs.status == "done").all():
        raise Failed("no run failed, so that nothing shows what snippets make of one")
    expect("means", len(means), len(want))
    for labels, mean in means.items():
        expect(f"mean of {labels}", mean, want[labels]["fct_p99_us"]["mean"])
    expect("rows of the table", len(table), len(want))
    for row in table.to_dict("records"):
        estimate = want[row["variant"], row["load"], row["fault"]]
        expect(f"mean of {row}", row["slowdown_p99"], estimate["slowdown_p99"]["mean"])
        expect(f"values of {row}", row["slowdown_p99_n"], estimate["slowdown_p99"]["n"])


def sql_of_studies(left):
    want = cells()
    table, means = left
    for rows in left:
        expect("rows", len(rows), len(want))
    for row in table:
        estimate = want[row["variant"], row["load"], row["fault"]]["fct_p99_us"]
        for column, key in ("", "mean"), ("_low", "low"), ("_high", "high"):
            expect(f"{key} of {row}", row["fct_p99_us" + column], estimate[key])
    for row in means:
        estimate = want[row["variant"], row["load"], row["fault"]]["fct_p99_us"]
        expect(f"mean of {row}", row["fct_p99_us"], estimate["mean"])
        expect(f"runs of {row}", row["runs"], estimate["n"])


CHECKS = [
    ("python", "import json, numpy as np, pandas as pd", pandas_of_runs),
    ("sql", "quantile_disc", sql_of_runs),
    ("python", "import polars", polars_of_runs),
    ("python", "runs.jsonl", pandas_of_studies),
    ("sql", "runs.jsonl", sql_of_studies),
]


def snippets(text):
    found = re.findall(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [(language, code) for language, code in found if language in ("python", "sql")]


def run_python(code):
    """Runs a snippet and returns its variables, and what it printed."""
    printed = []
    variables = {"print": lambda *args: printed.extend(args), "__name__": "snippet"}
    exec(compile(code, "snippet", "exec"), variables)
    return {**variables, "printed": printed}


def lacking(language, code):
    """Says what a snippet needs and there is not, and puts stand-ins in place."""
    if language == "sql":
        return None if BRIDGE else "DuckDB for Node.js is not installed"
    if "pandas" in code:
        if "pandas" not in INSTALLED:
            return "pandas is not installed"
        if "pyarrow" not in INSTALLED:
            if not BRIDGE:
                return "neither pyarrow nor DuckDB for Node.js is installed"
            import pandas as pd

            pd.read_parquet = standin.read_parquet(BRIDGE, pd)
    if "polars" in code and "polars" not in INSTALLED:
        if not BRIDGE:
            return "Polars is installed neither for Python nor for Node.js"
        sys.modules["polars"] = standin.polars(BRIDGE)
    return None


def check_snippets(text):
    found = snippets(text)
    if len(found) != len(CHECKS):
        raise Failed(f"there are {len(found)} snippets and {len(CHECKS)} checks; add the missing one to CHECKS")
    for (language, code), (wanted, mark, check) in zip(found, CHECKS):
        if language != wanted or mark not in code:
            raise Failed(f"{check.__name__} is for a snippet of {wanted} with {mark!r}, and this is another:\n{code}")
        if language == "python":
            compile(code, "snippet", "exec")
        if why := lacking(language, code):
            print(f"SKIPPED: {check.__name__}: {why}")
            continue
        try:
            check(BRIDGE.sql(code) if language == "sql" else run_python(code))
        except Exception as e:
            raise Failed(f"{check.__name__}: {type(e).__name__}: {e}\n{code}") from e
        print(f"ok: {check.__name__}")


if __name__ == "__main__":
    WEFT, checkout, BRIDGE = sys.argv[1], Path(sys.argv[2]), None
    if len(sys.argv) > 3:
        BRIDGE = standin.Bridge(sys.argv[3])
    document = (checkout / "docs/results.md").read_text()
    try:
        for name in sorted({"pyarrow", "polars"} - INSTALLED):
            print(f"{name} is not installed for Python; " + ("its part is played by Node.js" if BRIDGE else "nor for Node.js"))
        study(checkout / "scenarios/studies/uplink-faults.yaml")
        for scenario in "scenarios/arcane/slow-uplink.yaml", "docs/check/crowded.yaml":
            print(f"with {scenario}:")
            # Both write there, and weft keeps the results of one file from another.
            shutil.rmtree("out/slow-uplink", ignore_errors=True)
            run(checkout / scenario)
            check_snippets(document)
    except Failed as e:
        sys.exit(f"FAILED: {e}")
    finally:
        if BRIDGE:
            BRIDGE.close()
