"""The rule table as data: what rules_test.py and table.py share."""
import dataclasses
import pathlib
import re
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
OPEN = "not enforced"
AS_HERE = "as here"
# What a row may be in PTX (README.md); those before ":" are followed by a
# reason.
PTX = (AS_HERE, "ptxas", "launch", "not tried", "no form:", "open:")
SAYS_NO = "by construction"
TOOL = ("parser", "legality", "run", "checker")


@dataclasses.dataclass
class Rule:
    id: str
    ops: list
    section: str
    says: str
    enforced: str
    code: str
    bug: str
    repair: str
    sentences: list
    ptx: str = ""                                   # what it is in PTX
    practice: list = dataclasses.field(default_factory=list)
    line: int = None

    @property
    def by(self):
        """Who enforces it, as one word, or that nobody does."""
        return self.enforced.partition(":")[0]

    @property
    def what(self):
        """The checker, the reason, or what a program would have to do."""
        return self.enforced.partition(":")[2].strip()


@dataclasses.dataclass
class Demotion:
    """A rule that is a warning in PTX, or part of it: the practice profile."""
    id: str
    code: str
    of: str    # in the message; "": whatever it says
    why: str
    page: str
    test: str  # a launch at which it is found
    strictly: str = ""  # told as this by the letter; "": as `code`


@dataclasses.dataclass
class Table:
    rules: list
    reasons: dict       # reason -> sentence ids
    sentences: dict     # id -> section
    ops: list           # as in ir/ops.def, in its order
    codes: set
    practice: list
    free_ops: dict      # reason -> ops of which the ISA asks nothing


def read(path):
    return path.read_text(encoding="utf-8")


def tsv(path):
    rows = [line.split("\t") for line in read(path).splitlines()
            if not line.startswith("#")]
    return {row[0]: row[1] for row in rows}


def load(here=HERE, root=ROOT):
    rules = tomllib.loads(read(here / "rules.toml"))["rule"]
    left_out = tomllib.loads(read(here / "not_applicable.toml"))
    practice = tomllib.loads(read(here / "practice.toml"))["practice"]
    return Table(
        rules=[Rule(**row) for row in rules],
        reasons={row["reason"]: row["sentences"] for row in left_out["reason"]},
        sentences=tsv(here / "sentences.tsv"),
        ops=re.findall(r"^TILE_OP\((\w+)\)", read(root / "ir/ops.def"), re.M),
        codes=set(re.findall(r'^CODE\("([^"]+)"', read(root / "ir/codes.def"),
                             re.M)),
        practice=[Demotion(**row) for row in practice],
        free_ops={row["reason"]: row["ops"] for row in left_out["op"]})


def mnemonics(ops, root=ROOT):
    """Op -> its mnemonic: the op manual lists both in the order of ops.def."""
    listed = re.findall(r"^\* \[`([^`]+)`\]", read(root / "ir/ops.md"), re.M)
    if len(listed) != len(ops):
        raise ValueError(f"ir/ops.md lists {len(listed)} ops, ir/ops.def "
                         f"{len(ops)}: write the op manual anew")
    return dict(zip(ops, listed))
