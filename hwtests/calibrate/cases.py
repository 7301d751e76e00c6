"""A reading of programs that differ by parameters: measured on a GPU, and the
recorded ones beside the model's.

    cases.main(cases.Reading(...), __doc__)
"""
import dataclasses
import json
import pathlib
import statistics
import sys
import tempfile
from typing import Callable

import loops

MEASURED = ("hw", "--spans", "--seed", "1", "--timeout", "20", "--runs")
MODELLED = ("run", "--timing-only")


@dataclasses.dataclass
class Reading:
    name: str
    parameters: tuple           # their names
    unit: str
    asked: Callable             # () -> values of the parameters, of each program
    # (command, values, arguments of the command) -> what it says, in order
    said: Callable
    launches: int
    share: float                # the model may be so far off,
    mean: float                 # and so far on average

    def measure(self, command, out):
        pathlib.Path(out).mkdir(parents=True, exist_ok=True)
        with open(pathlib.Path(out) / "readings.jsonl", "a",
                  encoding="utf-8") as file:
            for case in self.asked():
                each = self.said(command, case, *MEASURED, str(self.launches))
                print(json.dumps({
                    "name": self.name,
                    "parameters": dict(zip(self.parameters, case)),
                    "unit": self.unit, "median": each[len(each) // 2],
                    "p10": each[len(each) // 10],
                    "p90": each[len(each) * 9 // 10],
                    "repeats": self.launches}), file=file, flush=True)

    def show(self, command):
        rows = json.loads(loops.DATA.read_text())["readings"][self.name]["rows"]
        count = len(self.parameters)
        measured = {tuple(row[:count]): row[count] for row in rows}
        errors, wrong = [], set(measured) ^ set(self.asked())
        for case in self.asked():
            model = self.said(command, case, *MODELLED)[0]
            here = measured.get(case, 0)
            error = model / here - 1 if here else 1
            errors.append(abs(error))
            if abs(error) > self.share:
                wrong.add(case)
            print(f"{here:7.1f} {model:7.1f} {100 * error:+4.0f} %  "
                  f"{' '.join(map(str, case))}")
        print(f"mean {100 * sum(errors) / len(errors):.1f} %")
        if wrong or sum(errors) > self.mean * len(errors):
            sys.exit(f"off, or not recorded: {sorted(wrong)}")


def listed(said):
    """Of launches as of a run."""
    return said if isinstance(said, list) else [said]


def turn_of(command, source, few, many, *args):
    """Cycles of an iteration of a program whose `K` says how many there are."""
    with tempfile.TemporaryDirectory() as folder:
        file = f"{folder}/turns.tile"
        pathlib.Path(file).write_text(source, encoding="utf-8")
        less, more = (listed(loops.said(command, file, turns, *args)["cycles"])
                      for turns in (few, many))
    return sorted((b - statistics.median(less)) / (many - few) for b in more)


def main(reading, usage):
    if len(sys.argv) == 4 and sys.argv[1] == "measure":
        reading.measure(*sys.argv[2:])
    elif len(sys.argv) == 3 and sys.argv[1] == "show":
        reading.show(sys.argv[2])
    else:
        sys.exit(usage)
