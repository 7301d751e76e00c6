"""Cubins as sections, to compare what ptxas made of two texts.

`.nv_debug_ptx_txt` is the PTX itself, which ptxas stores beside the code of a
module with debug sections: it cannot be the same for two texts, and is left
out; so are the offsets of sections behind it. Everything else has to agree.
"""
import struct

PTX_TEXT = ".nv_debug_ptx_txt"


def sections(path):
    """Name -> (type, flags, link, info, alignment, entry size, bytes)."""
    data = path.read_bytes()
    assert data[:5] == b"\x7fELF\x02", path
    at, = struct.unpack_from("<Q", data, 0x28)
    size, count, names = struct.unpack_from("<HHH", data, 0x3a)
    rows = [struct.unpack_from("<IIQQQQIIQQ", data, at + i * size)
            for i in range(count)]
    text = data[rows[names][4]:][:rows[names][5]]
    found = {"": (data[:0x20], data[0x30:0x38])}  # the ELF header, no offsets
    for name, kind, flags, _, offset, length, link, info, align, entry in rows:
        name = text[name:text.index(b"\0", name)].decode()
        body = b"" if kind == 8 else data[offset:offset + length]  # NOBITS
        assert name not in found or not name, name
        if name:
            found[name] = (kind, flags, length, link, info, align, entry, body)
    return found


def differences(one, other):
    """Names of the sections in which two cubins differ."""
    a, b = sections(one), sections(other)
    return sorted(name for name in a.keys() | b.keys()
                  if name != PTX_TEXT and a.get(name) != b.get(name))
