#!/usr/bin/env python3
"""What ptxas makes of forward branches and divisions, as the clock takes it.

    ptxas.py PTXAS

Branches (ptx/machine/predicated.h): compiles a loop with one over a body, for
bodies that are taken to be predicated and for some that are taken to be jumped
over, and counts branches in the code of sm_90a. Divisions (CountDivisions in
ptx/machine/passed.cc): counts what each more takes, by the same divisor and by
another one, and that none is a call.
"""
import pathlib
import struct
import subprocess
import sys
import tempfile

# Opcodes: the low 12 bits of an instruction of 16 bytes.
BRA, CALL, NOP = 0x947, 0x944, 0x918
FRAME = """.version 8.0
.target sm_90a
.address_size 64
.shared .align 128 .b8 s[8192];
.visible .entry k(.param .u64 a, .param .u32 n, .param .u32 c)
{{
  .reg .b32 %r<60>;
  .reg .b64 %rd<4>;
  .reg .pred %p<3>;
  ld.param.u64 %rd1, [a];
  ld.param.u32 %r1, [n];
  ld.param.u32 %r9, [c];
  cvta.to.global.u64 %rd1, %rd1;
  mov.u32 %r2, %tid.x;
  mov.u32 %r5, %r2;
  mov.u32 %r6, 0;
  mov.u32 %r7, 1;
  mov.u32 %r8, 0;
  mul.wide.u32 %rd2, %r2, 256;
  add.s64 %rd3, %rd1, %rd2;
L:
  bar.sync 0;
  setp.lt.s32 %p1, {test}, %r8;
  {body}
M:
  bar.sync 0;
  add.s32 %r8, %r8, 1;
  add.s64 %rd3, %rd3, 4096;
  setp.lt.s32 %p2, %r8, %r1;
  @%p2 bra L;
  st.global.u32 [%rd1], %r6;
  st.global.u32 [%rd1+4], %r7;
  ret;
}}
"""
OVER = ["@%p1 bra M;"]
MOST = 9  # divisions
WORK = ["mad.lo.s32 %r6, %r6, %r5, %r7;"]
LOAD, STORE = ["ld.global.u32 %r7, [%rd3];"], ["st.global.u32 [%rd3], %r6;"]
LOCAL = ["ld.shared.u32 %r7, [s+64];"]
PREDICATED = {
    "six of arithmetic": 6 * WORK,
    "a load behind 15 of arithmetic": 15 * WORK + LOAD,
    "a load of shared memory": LOCAL,
    "a store": 4 * WORK + STORE,
    "a store to shared memory": ["st.shared.u32 [s+64], %r6;"],
    "an arrival": ["mbarrier.arrive.shared.b64 _, [s+8];"],
    "an arrival that expects bytes":
        ["mbarrier.arrive.expect_tx.shared.b64 _, [s+8], 4096;"],
    "an mbarrier's beginning": ["mbarrier.init.shared.b64 [s+8], 1;"],
    "its end": ["mbarrier.inval.shared.b64 [s+8];"],
    "cp.async": ["cp.async.ca.shared.global [s+1024], [%rd3], 16;"],
}
JUMPED = {
    "ten of arithmetic": 10 * WORK,
    "a load behind 23 of arithmetic": 23 * WORK + LOAD,
    "a fence": ["fence.proxy.async;"],
    "a division": ["div.u32 %r6, %r6, %r5;"],
    "an atomic": ["atom.global.add.u32 %r6, [%rd3], 1;"],
    "a bulk copy":
        ["cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
         "[s+1024], [%rd3], 4096, [s+8];"],
}


def code_of(cubin):
    """The bytes of the kernel's section."""
    data = cubin.read_bytes()
    sections, = struct.unpack_from("<Q", data, 0x28)
    size, count, names = struct.unpack_from("<HHH", data, 0x3a)
    rows = [struct.unpack_from("<IIQQQQIIQQ", data, sections + i * size)
            for i in range(count)]
    for row in rows:
        at = rows[names][4] + row[0]
        if data[at:data.index(b"\0", at)] == b".text.k":
            return data[row[4]:row[4] + row[5]]
    raise ValueError("no code")


def opcodes(ptxas, folder, text):
    ptx, cubin = folder / "k.ptx", folder / "k.cubin"
    ptx.write_text(text)
    subprocess.run([ptxas, "-arch=sm_90a", str(ptx), "-o", str(cubin)],
                   check=True)
    code = code_of(cubin)
    return [struct.unpack_from("<Q", code, at)[0] & 0xfff
            for at in range(0, len(code), 16)]


def branches(ptxas, folder, test, body):
    text = FRAME.format(test=test, body="\n  ".join(body))
    return opcodes(ptxas, folder, text).count(BRA)


def of_branches(ptxas, folder):
    for test in ("%r2", "%r9"):  # by thread, of all threads alike
        without = branches(ptxas, folder, test, OVER + WORK)
        for rows, more in ((PREDICATED, False), (JUMPED, True)):
            for what, body in rows.items():
                found = branches(ptxas, folder, test, OVER + body)
                if (found > without) != more:
                    yield (f"{what}, {test}: {found} branches, {without} "
                           "without it")


def dividing(opcode, count, divisors):
    """Of words of a buffer, by parameters."""
    def each(text):
        return "\n".join(text.format(i=i, at=4 * i) for i in range(MOST))
    work = [f"{opcode} %q{i}, %w{i}, %d{i % divisors};" for i in range(count)]
    work += [f"mov.u32 %q{i}, %w{i};" for i in range(count, MOST)]
    return "\n".join([
        ".version 8.0\n.target sm_90a\n.address_size 64",
        ".visible .entry k(.param .u64 a, .param .align 4 .b8 d[64])\n{",
        f".reg .b64 %rd<3>; .reg .b32 %t, %w<{MOST}>, %d<{MOST}>, %q<{MOST}>;",
        "ld.param.u64 %rd1, [a]; mov.u32 %t, %tid.x;",
        "mul.wide.u32 %rd2, %t, 4096; add.s64 %rd1, %rd1, %rd2;",
        each("ld.global.u32 %w{i}, [%rd1+{at}];"),
        each("ld.param.u32 %d{i}, [d+{at}];"), *work,
        each("st.global.u32 [%rd1+{at}], %q{i};"), "ret;\n}\n"])


def of_divisions(ptxas, folder):
    for opcode in ("div.s32", "rem.s32", "div.u32", "rem.u32"):
        more, less = (22, 11) if opcode.endswith(".s32") else (18, 9)
        for divisors, wanted in ((MOST, more), (1, less)):
            one, all_ = (opcodes(ptxas, folder, dividing(opcode, n, divisors))
                         for n in (1, MOST))
            if CALL in all_:
                yield f"{opcode}: there is a call"
            each = sum(o != NOP for o in all_) - sum(o != NOP for o in one)
            each /= MOST - 1
            if abs(each - wanted) > 3:
                yield (f"{opcode} by {divisors} divisors: {each:.1f} "
                       f"instructions, {wanted} are charged")


def main():
    ptxas = sys.argv[1]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        wrong = [*of_branches(ptxas, folder), *of_divisions(ptxas, folder)]
    print("\n".join(wrong) or "as charged")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
