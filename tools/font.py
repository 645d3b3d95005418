#!/usr/bin/env python3
"""Writes src/picture/font_data.c: the outlines of the letters that pictures need, from two TrueType fonts.

Usage: font.py /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf /usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf > src/picture/font_data.c
Needs only Python's own library.
"""
import struct
import sys

LETTERS = "".join(map(chr, range(32, 127))) + "°±²³µ·×–−∞≤≥"
EM = 1000  # units of the outlines per em

LICENCE = """/* Outlines of the letters of pictures: made by tools/font.py from DejaVu Sans, which is Bitstream Vera with changes
 * that are in the public domain. Bitstream Vera:
 *
 * Copyright (c) 2003 by Bitstream, Inc. All Rights Reserved. Bitstream Vera is a trademark of Bitstream, Inc.
 *
 * Permission is hereby granted, free of charge, to any person obtaining a copy of the fonts accompanying this
 * license ("Fonts") and associated documentation files (the "Font Software"), to reproduce and distribute the
 * Font Software, including without limitation the rights to use, copy, merge, publish, distribute, and/or sell
 * copies of the Font Software, and to permit persons to whom the Font Software is furnished to do so, subject to
 * the following conditions: The above copyright and trademark notices and this permission notice shall be
 * included in all copies of one or more of the Font Software typefaces. The Font Software may be modified,
 * altered, or added to, and in particular the designs of glyphs or characters in the Fonts may be modified and
 * additional glyphs or characters may be added to the Fonts, only if the fonts are renamed to names not
 * containing either the words "Bitstream" or the word "Vera". This License becomes null and void to the extent
 * applicable to Fonts or Font Software that has been modified and is distributed under the "Bitstream Vera"
 * names. The Font Software may be sold as part of a larger software package but no copy of one or more of the
 * Font Software typefaces may be sold by itself.
 *
 * THE FONT SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT
 * LIMITED TO ANY WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT OF
 * COPYRIGHT, PATENT, TRADEMARK, OR OTHER RIGHT. IN NO EVENT SHALL BITSTREAM OR THE GNOME FOUNDATION BE LIABLE FOR
 * ANY CLAIM, DAMAGES OR OTHER LIABILITY, INCLUDING ANY GENERAL, SPECIAL, INDIRECT, INCIDENTAL, OR CONSEQUENTIAL
 * DAMAGES, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF THE USE OR INABILITY TO USE
 * THE FONT SOFTWARE OR FROM OTHER DEALINGS IN THE FONT SOFTWARE.
 *
 * Except as contained in this notice, the names of Gnome, the Gnome Foundation, and Bitstream Inc., shall not be
 * used in advertising or otherwise to promote the sale, use or other dealings in this Font Software without prior
 * written authorization from the Gnome Foundation or Bitstream Inc., respectively. */
"""


class Font:
    def __init__(self, path):
        self.data = open(path, "rb").read()
        count = struct.unpack(">H", self.data[4:6])[0]
        self.tables = {}
        for i in range(count):
            tag, _, offset, length = struct.unpack(">4sIII", self.data[12 + 16 * i : 28 + 16 * i])
            self.tables[tag.decode()] = (offset, length)
        self.units = self.short("head", 18)
        self.long_loca = self.short("head", 50) == 1
        self.advances = self.short("hhea", 34)
        self.map = self.read_map()

    def short(self, table, at, signed=False):
        return struct.unpack(">h" if signed else ">H", self.data[self.tables[table][0] + at :][:2])[0]

    def read_map(self):
        base = self.tables["cmap"][0]
        for i in range(self.short("cmap", 2)):
            platform, encoding, offset = struct.unpack(">HHI", self.data[base + 4 + 8 * i :][:8])
            if (platform, encoding) != (3, 1):
                continue
            at = base + offset
            segments = struct.unpack(">H", self.data[at + 6 :][:2])[0] // 2
            words = lambda k: struct.unpack(f">{segments}H", self.data[at + 14 + k :][: 2 * segments])
            ends, starts = words(0), words(2 * segments + 2)
            deltas, ranges = words(4 * segments + 2), words(6 * segments + 2)
            found = {}
            for s in range(segments):
                for code in range(starts[s], ends[s] + 1):
                    if ranges[s] == 0:
                        glyph = (code + deltas[s]) & 0xFFFF
                    else:
                        place = at + 16 + 6 * segments + 2 * s + ranges[s] + 2 * (code - starts[s])
                        glyph = struct.unpack(">H", self.data[place:][:2])[0]
                        glyph = (glyph + deltas[s]) & 0xFFFF if glyph else 0
                    found[code] = glyph
            return found
        raise SystemExit("no map of letters")

    def advance(self, glyph):
        return self.short("hmtx", 4 * min(glyph, self.advances - 1))

    def contours(self, glyph):
        base = self.tables["loca"][0]
        begin, end = struct.unpack(">II" if self.long_loca else ">HH", self.data[base + (4 if self.long_loca else 2) * glyph :][: 8 if self.long_loca else 4])
        if not self.long_loca:
            begin, end = 2 * begin, 2 * end
        if begin == end:
            return []
        at = self.tables["glyf"][0] + begin
        count = struct.unpack(">h", self.data[at:][:2])[0]
        return self.simple(at + 10, count) if count >= 0 else self.composite(at + 10)

    def simple(self, at, count):
        ends = struct.unpack(f">{count}H", self.data[at:][: 2 * count])
        at += 2 * count
        at += 2 + struct.unpack(">H", self.data[at:][:2])[0]
        flags = []
        while len(flags) < ends[-1] + 1:
            flag = self.data[at]
            at += 1
            times = 1
            if flag & 8:
                times += self.data[at]
                at += 1
            flags += [flag] * times
        axes = []
        for small, same in ((2, 16), (4, 32)):
            value, values = 0, []
            for flag in flags:
                if flag & small:
                    value += self.data[at] if flag & same else -self.data[at]
                    at += 1
                elif not flag & same:
                    value += struct.unpack(">h", self.data[at:][:2])[0]
                    at += 2
                values.append(value)
            axes.append(values)
        points = [(x, y, f & 1) for x, y, f in zip(*axes, flags)]
        begin, out = 0, []
        for e in ends:
            out.append(points[begin : e + 1])
            begin = e + 1
        return out

    def composite(self, at):
        out = []
        while True:
            flags, glyph = struct.unpack(">HH", self.data[at:][:4])
            at += 4
            dx, dy = struct.unpack(">hh" if flags & 1 else ">bb", self.data[at:][: 4 if flags & 1 else 2])
            at += 4 if flags & 1 else 2
            scale = 1.0
            if flags & 8:
                scale = struct.unpack(">h", self.data[at:][:2])[0] / 16384
                at += 2
            elif flags & 0xC0:
                raise SystemExit("a letter is turned")
            out += [[(scale * x + dx, scale * y + dy, on) for x, y, on in c] for c in self.contours(glyph)]
            if not flags & 32:
                return out


def main():
    print(LICENCE + '#include "picture/font.h"\n\n/* clang-format off */')
    entries = []
    for name, path in zip(("regular", "bold"), sys.argv[1:3]):
        font = Font(path)
        scale = EM / font.units
        numbers, glyphs = [], []
        for letter in LETTERS:
            glyph = font.map[ord(letter)]
            glyphs.append((ord(letter), round(scale * font.advance(glyph)), len(numbers) // 2))
            for contour in font.contours(glyph):
                for i, (x, y, on) in enumerate(contour):
                    numbers += [2 * round(scale * x) + (0 if on else 1), 2 * round(scale * y) + (i == len(contour) - 1)]
        glyphs.append((0, 0, len(numbers) // 2))
        print(f"\nstatic const int16_t {name}_points[] = {{")
        line = "   "
        for n in numbers:
            if len(line) + len(str(n)) + 2 > 110:
                print(line)
                line = "   "
            line += f" {n},"
        print(line + "\n};")
        print(f"static const vxe_glyph {name}_glyphs[] = {{")
        line = "   "
        for g in glyphs:
            text = " {%d, %d, %d}," % g
            if len(line) + len(text) > 110:
                print(line)
                line = "   "
            line += text
        print(line + "\n};")
        entries.append(f"    {{{name}_glyphs, {len(LETTERS)}, {name}_points}},")
    print("\nconst vxe_font vxe_fonts[2] = {\n" + "\n".join(entries) + "\n};")


main()
