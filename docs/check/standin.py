"""Stand-ins for Python packages that cannot be had everywhere.

A bridge to DuckDB and Polars in Node.js reads the files and evaluates the
expressions; the snippets themselves run unchanged.
"""

import json
import subprocess
import types

import numpy as np


class Bridge:
    """A process of bridge.mjs."""

    def __init__(self, script):
        self.process = subprocess.Popen(["node", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, **request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"node ended with {self.process.wait()}")
        answer = json.loads(line)
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer["result"]

    def sql(self, text):
        """Returns the rows of each statement."""
        return self.ask(sql=text)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


# The types of columns in pandas after pyarrow has read them; integers with nulls
# become float64 there.
PANDAS = {
    "VARCHAR": "object", "BOOLEAN": "bool", "DOUBLE": "float64",
    "BIGINT": "int64", "UBIGINT": "uint64", "INTEGER": "int32",
}


def read_parquet(bridge, pd):
    """Returns what pandas.read_parquet does with pyarrow, but for its options."""

    def read(path):
        rows, = bridge.sql(f"select * from read_parquet('{path}')")
        described, = bridge.sql(f"describe select * from read_parquet('{path}')")
        columns = {}
        for d in described:
            values = [row[d["column_name"]] for row in rows]
            kind = PANDAS[d["column_type"]]
            if kind in ("int64", "uint64", "int32"):
                # Large integers come as text.
                values = [None if v is None else int(v) for v in values]
                if None in values:
                    kind = "float64"
            if kind == "float64":
                values = [np.nan if v is None else float(v) for v in values]
            columns[d["column_name"]] = pd.Series(values, dtype=kind)
        return pd.DataFrame(columns)

    return read


class Recorded:
    """An expression of Polars that is noted down, and evaluated by collect."""

    def __init__(self, bridge, node):
        self.__dict__.update(bridge=bridge, node=node)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)

        def call(*args):
            if name == "collect":
                return self.bridge.ask(polars={"of": self.node, "call": name, "args": []})
            return self.record(name, args)

        return call

    def record(self, name, args):
        return Recorded(self.bridge, {"of": self.node, "call": name, "args": [noted(a) for a in args]})

    def __add__(self, other):
        return self.record("__add__", [other])

    def __sub__(self, other):
        return self.record("__sub__", [other])

    def __mul__(self, other):
        return self.record("__mul__", [other])

    def __truediv__(self, other):
        return self.record("__truediv__", [other])


def noted(value):
    if isinstance(value, Recorded):
        return value.node
    if isinstance(value, (list, tuple)):
        return {"list": [noted(v) for v in value]}
    return {"value": value}


def polars(bridge):
    """Returns a module polars whose expressions are evaluated by the bridge."""
    module = types.ModuleType("polars")
    for name in ("col", "scan_parquet"):

        def begin(*args, name=name):
            return Recorded(bridge, {"call": name, "args": [noted(a) for a in args]})

        setattr(module, name, begin)
    return module
