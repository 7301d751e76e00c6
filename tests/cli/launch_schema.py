"""Launch descriptions and the schema of the tree agree."""
import json
import pathlib

import jsonschema

import harness
from harness import Case
from ptx import TRITON, filled

SCHEMA = pathlib.Path("ptx/launch/launch.schema.json")


class Schema(Case):
    def setUp(self):
        super().setUp()
        schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
        jsonschema.Draft7Validator.check_schema(schema)
        self.validator = jsonschema.Draft7Validator(schema)

    def test_examples(self):
        paths = sorted(TRITON.glob("*.launch.json"))
        self.assertGreaterEqual(len(paths), 2)
        for path in paths:
            self.validator.validate(json.loads(path.read_text("utf-8")))

    def test_skeletons_once_filled_in(self):
        paths = sorted(TRITON.glob("*.ptx"))
        self.assertEqual(len(paths), 7)
        for path in paths:
            done = self.run_it("ptx", path, "--skeleton")
            self.assertEqual(done.returncode, 0, done.stderr)
            skeleton = json.loads(done.stdout)
            self.assertFalse(self.validator.is_valid(skeleton))
            self.validator.validate(filled(skeleton))

    def test_what_the_reader_refuses(self):
        path = TRITON / "mm_cp_sm90.launch.json"
        good = json.loads(path.read_text("utf-8"))
        for change in ({"blok": [1, 1, 1]}, {"block": [1, 1]}, {"kernel": 3},
                       {"params": [{"u31": 1}]}, {"params": [{}]},
                       {"params": [{"u32": 1, "buffer": "A"}]},
                       {"params": [{"struct": "0"}]}):
            bad = {**good, "launches": [{**good["launches"][0], **change}]}
            self.assertFalse(self.validator.is_valid(bad), change)
            self.refuses("ptx", TRITON / "mm_cp_sm90.ptx", "--launch",
                         self.file(json.dumps(bad), "launch.json"),
                         says="error: launches[0].")


if __name__ == "__main__":
    harness.main()
