#!/usr/bin/env python3
"""The command runs on any machine with the glibc of Debian 12 or newer.

    static_binary.py BINARY        # e.g. build/tilesim
    static_binary.py --self-test

It may need glibc's own libraries, nothing else, and no symbol version above
GLIBC_2.36. Reads what readelf prints (binutils, part of build-essential).
"""

import os
import re
import subprocess
import sys

ALLOWED = re.compile(
    r"^(libc\.so\.6|libm\.so\.6|libpthread\.so\.0|libdl\.so\.2|librt\.so\.1"
    r"|ld-linux[\w-]*\.so\.\d)$")
NEWEST = (2, 36)


def findings(dynamic, versions):
    """Judges the text of `readelf -d` and of `readelf -V`."""
    for library in re.findall(r"\(NEEDED\).*\[(.+)\]", dynamic):
        if not ALLOWED.match(library):
            yield f"needs {library}"
    for tag in re.findall(r"\((RPATH|RUNPATH)\)", dynamic):
        yield f"has a {tag}"
    for name in sorted(set(re.findall(r"\bName: (\S+)", versions))):
        glibc = re.fullmatch(r"GLIBC_(\d+)\.(\d+)(\.\d+)?", name)
        if not glibc and name.startswith("GLIBC"):
            yield f"needs {name}"
        elif glibc and (int(glibc[1]), int(glibc[2])) > NEWEST:
            yield f"needs {name}, newer than GLIBC_2.36"


def readelf(option, binary):
    return subprocess.run(["readelf", "-W", option, binary], check=True,
                          capture_output=True, text=True,
                          env={**os.environ, "LC_ALL": "C"}).stdout


def self_test():
    needed = " 0x01 (NEEDED)   Shared library: [{}]\n".format
    name = "  0x0010:   Name: {}  Flags: none  Version: 2\n".format
    assert list(findings(
        needed("libc.so.6") + needed("libm.so.6") +
        needed("ld-linux-x86-64.so.2"),
        name("GLIBC_2.2.5") + name("GLIBC_2.36"))) == []
    assert list(findings(needed("libstdc++.so.6"), "")) == \
        ["needs libstdc++.so.6"]
    assert list(findings("", name("GLIBC_2.38"))) == \
        ["needs GLIBC_2.38, newer than GLIBC_2.36"]
    assert list(findings("", name("GLIBCXX_3.4.30"))) == \
        ["needs GLIBCXX_3.4.30"]
    assert list(findings(" (RUNPATH)  Library runpath: [x]", "")) == \
        ["has a RUNPATH"]
    # A real program that needs libc: readelf's output has the expected form.
    assert "(NEEDED)" in readelf("-d", os.path.realpath("/bin/ls"))
    assert "Name: GLIBC_" in readelf("-V", os.path.realpath("/bin/ls"))
    print("self-test passed")


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    binary = sys.argv[1]
    found = list(findings(readelf("-d", binary), readelf("-V", binary)))
    for finding in found:
        print(f"{binary}: {finding}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
