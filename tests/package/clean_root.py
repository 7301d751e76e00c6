#!/usr/bin/env python3
"""The tarball and the .deb hold what they must, and run in a clean Debian.

    clean_root.py FOLDER [MIRROR]    # where ./dev package wrote them

Exits with 0 if all that could be tried went well; what was skipped is named.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

MIRROR = "http://deb.debian.org/debian"
DOC = "usr/share/doc/tilesim"
INCLUDE = re.compile(r'^\s*include\s+"([^"]+)"', re.MULTILINE)
HOLDS = (
    "usr/bin/tilesim", "usr/share/man/man1/tilesim.1.gz",
    "usr/share/man/man1/tilesim-check.1.gz",
    "usr/share/bash-completion/completions/tilesim",
    "usr/share/zsh/vendor-completions/_tilesim",
    "usr/share/fish/vendor_completions.d/tilesim.fish",
    f"{DOC}/copyright", f"{DOC}/LICENSES", f"{DOC}/README.md",
    f"{DOC}/examples/hopper/hgemm_v07.tile",
)
# What is run in the root, and what its output must have.
COMMANDS = (
    ("tilesim --version", "tilesim "),
    (f"tilesim check /{DOC}/examples/hopper/hgemm_v05.tile", ": clean"),
    (f"tilesim run /{DOC}/examples/hopper/hgemm_v05.tile -D M=128 -D N=128 "
     "-D K=64", "MMA sums             bit for bit"),
    # Has an `include`.
    (f"tilesim check /{DOC}/examples/hopper/hgemm_v07.tile", ": clean"),
    ("tilesim explain race/war", "race/war"),
)
# What reads manual pages and completions, and what is then asked: in a root that
# has them, so that what dpkg put where is what they find.
READERS = ("man-db", "bash-completion")
READ = (
    ("man -P cat tilesim-check", "tilesim check [options] FILE"),
    ("bash -c 'source /usr/share/bash-completion/bash_completion; "
     "_completion_loader tilesim; COMP_WORDS=(tilesim chec); COMP_CWORD=1; "
     "COMP_LINE=\"tilesim chec\"; COMP_POINT=12; _tilesim; "
     "echo \"${COMPREPLY[@]}\"'", "check"),
)


def sh(*command, **options):
    return subprocess.run(command, capture_output=True, text=True,
                          errors="replace", check=False, **options)


def must(done, what):
    if done.returncode != 0:
        sys.exit(f"{what} failed ({done.returncode}):\n"
                 f"{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def only(folder, pattern):
    found = sorted(folder.glob(pattern))
    if len(found) != 1:
        sys.exit(f"{folder} has {len(found)} of {pattern}")
    return found[0]


def missing_includes(examples):
    """Files that programs of a folder include and that are not there."""
    return sorted({
        str(path.parent / include)
        for path in examples.rglob("*")
        if path.suffix in (".tile", ".inc")
        for include in INCLUDE.findall(path.read_text())
        if not (path.parent / include).is_file()})


def holds(root, name):
    missing = [path for path in HOLDS if not (root / path).is_file()]
    if missing:
        sys.exit(f"{name} lacks {', '.join(missing)}")
    lacking = missing_includes(root / DOC / "examples")
    if lacking:
        sys.exit(f"{name} lacks what its examples include: "
                 f"{', '.join(lacking)}")
    print(f"{name}: holds the command, manual pages, completions, examples "
          "and licences")


def entered(root):
    """The words that run a command inside, or None."""
    for way in (["chroot", str(root)],
                ["unshare", "--map-root-user", "--root", str(root)]):
        if sh(*way, "/bin/true").returncode == 0:
            return way
    return None


def run_in(way, name, commands=COMMANDS):
    for command, words in commands:
        out = must(sh(*way, "/bin/sh", "-c", command, timeout=300),
                   f"{name}: {command}")
        if words not in out:
            sys.exit(f"{name}: {command} does not say {words!r}:\n{out}")
        first = next(line for line in out.splitlines() if words in line)
        print(f"{name}: $ {command}\n    {first}")


def debian(folder, mirror):
    """A minimal Debian, or why there is none."""
    if shutil.which("debootstrap") is None:
        return None, "there is no debootstrap"
    root = folder / "debian"
    done = sh("debootstrap", "--variant=minbase", "bookworm", str(root),
              mirror, timeout=900)
    if done.returncode != 0:
        last = (done.stdout + done.stderr).strip().splitlines()[-1:]
        return None, f"debootstrap failed: {' '.join(last)}"
    return root, ""


def read_in(way, name):
    done = sh(*way, "/bin/sh", "-c", "apt-get -qq update && apt-get -qq install "
              f"-y --no-install-recommends {' '.join(READERS)}", timeout=300)
    if done.returncode != 0:
        print(f"skipped: {' and '.join(READERS)} in the clean Debian: apt-get "
              f"ends with {done.returncode}")
        return
    run_in(way, name, READ)


def in_debian(folder, deb, tarball, mirror):
    root, why = debian(folder, mirror)
    way = entered(root) if root else None
    if way is None:
        why = why or "neither chroot nor unshare is permitted"
        print(f"skipped: a clean Debian 12: {why}")
        return
    shutil.copy(deb, root / "tilesim.deb")
    must(sh(*way, "/usr/bin/dpkg", "-i", "/tilesim.deb"), "dpkg -i")
    run_in(way, f"{deb.name} in {way[0]}")
    read_in(way, f"{deb.name} in {way[0]}")
    must(sh(*way, "/usr/bin/dpkg", "--purge", "tilesim"), "dpkg --purge")
    if (root / "usr/bin/tilesim").exists():
        sys.exit("dpkg --purge leaves the command behind")
    must(sh("tar", "-xzf", str(tarball), "-C", str(root),
            "--strip-components=1"), "tar")
    run_in(way, f"{tarball.name} in {way[0]}")


def main(where, mirror=MIRROR):
    packages = pathlib.Path(where).resolve()
    deb = only(packages, "tilesim_*.deb")
    tarball = only(packages, "tilesim-*.tar.gz")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for package, unpack in (
                (deb, ["dpkg-deb", "-x", str(deb)]),
                (tarball, ["tar", "--strip-components=1", "-xzf",
                           str(tarball), "-C"])):
            root = folder / package.suffix
            root.mkdir()
            must(sh(*unpack, str(root)), unpack[0])
            holds(root, package.name)
        in_debian(folder, deb, tarball, mirror)


if __name__ == "__main__":
    main(*sys.argv[1:])
