"""pytest for ctest: exits with 77 where pytest or NumPy is missing.

    run_tests.py BINARY
"""
import importlib.util
import os
import pathlib
import sys

SKIPPED = 77


def main(binary):
    missing = [name for name in ("pytest", "numpy")
               if importlib.util.find_spec(name) is None]
    if missing:
        print("skipped: this Python has no", " and no ".join(missing))
        return SKIPPED
    os.environ["TILESIM"] = str(pathlib.Path(binary).resolve())
    import pytest
    return pytest.main(["-q", "-p", "no:cacheprovider",
                        str(pathlib.Path(__file__).parent)])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
