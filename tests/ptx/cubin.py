"""Cubins as sections, to compare what ptxas made of two texts.

`.nv_debug_ptx_txt` is the PTX itself, which ptxas stores beside the code of a
module with debug sections: it cannot be the same for two texts, and is left
out; so are the offsets of sections behind it. Everything else has to agree.
"""
import hashlib
import struct

PTX_TEXT = "nv_debug_ptx_txt"  # .nv_debug_..., .nv.merc.nv_debug_...
NOBITS = 8


def key(path):
    """Section -> hash of its header and bytes."""
    data = path.read_bytes()
    assert data[:5] == b"\x7fELF\x02", path
    at, = struct.unpack_from("<Q", data, 0x28)
    size, count, names = struct.unpack_from("<HHH", data, 0x3a)
    rows = [struct.unpack_from("<IIQQQQIIQQ", data, at + i * size)
            for i in range(count)]
    text = data[rows[names][4]:][:rows[names][5]]
    # The ELF header, without the offsets.
    found = {"": hashlib.sha256(data[:0x20] + data[0x30:0x40]).hexdigest()}
    for index, row in enumerate(rows):
        name, kind, flags, _, offset, length, link, info, align, entry = row
        name = text[name:text.index(b"\0", name)].decode()
        if name.endswith(PTX_TEXT) or kind == 0:
            continue
        body = b"" if kind == NOBITS else data[offset:offset + length]
        header = repr((kind, flags, length, link, info, align, entry))
        found[f"{index} {name}"] = hashlib.sha256(header.encode() +
                                                  body).hexdigest()
    return found


def different(one, other):
    """The sections in which two cubins differ."""
    return sorted(name for name in one.keys() | other.keys()
                  if one.get(name) != other.get(name))
