"""Programs that are installed have the files beside them that they include, and
are checked there.

    installed_examples.py TILESIM BUILD
"""
import pathlib
import subprocess
import sys
import tempfile

import clean_root

INCLUDES = "hopper/hgemm_v07.tile"


def main(command, build):
    with tempfile.TemporaryDirectory() as folder:
        clean_root.must(
            clean_root.sh("cmake", "--install", build, "--prefix", folder),
            "cmake --install")
        [examples] = pathlib.Path(folder).rglob("doc/tilesim/examples")
        lacking = clean_root.missing_includes(examples)
        if lacking:
            sys.exit(f"not installed: {', '.join(lacking)}")
        out = clean_root.must(
            subprocess.run([command, "check", str(examples / INCLUDES), "-D",
                            "M=128", "-D", "N=128", "-D", "K=64"],
                           capture_output=True, text=True, check=False,
                           timeout=60, cwd=folder), "check")
        if ": clean" not in out:
            sys.exit(out)


if __name__ == "__main__":
    main(*sys.argv[1:])
