"""Writes tile/arch/tcgen05_transfer.inc: tcgen05.ld and st, one function per number of registers, because inline assembly
needs every register spelled out.

    python3 tools/generate_tcgen05.py > tile/arch/tcgen05_transfer.inc
"""

from generate_wgmma import lines_of, registers

COUNTS = [1, 2, 4, 8, 16, 32, 64, 128]


def joined(words, indent):
    text = lines_of(words)
    text[-1] = text[-1].rstrip(",")
    return f"\n{indent}".join(text)


def register_text(first, count):
    return "".join(f'        "{line}"\n' for line in lines_of(registers(first, count).split(" ")))


def operands(letter, count):
    return joined([f'"{letter}"(values[{i}]),' for i in range(count)], "          ")


def load(count):
    name, repeat, second = count, count + 1, count + 2
    return (f"template <TmemShape shape, int gap = 0>\n"
            f"TILE_DEVICE void tmem_load(std::uint32_t (&values)[{count}], TmemAddress from) {{\n"
            f"  if constexpr (shape == TmemShape::l16x32bx2)\n"
            f'    asm volatile(\n        "tcgen05.ld.sync.aligned.16x32bx2.x{count}.b32"\n{register_text(0, count)}'
            f'        ", [%{count}], %{count + 1};"\n        : {operands("=r", count)}\n'
            f'        : "r"(from), "n"(gap));\n'
            f"  else\n"
            f'    asm volatile(\n        "tcgen05.ld.sync.aligned.%{repeat}.x%{second}.b32"\n{register_text(0, count)}'
            f'        ", [%{name}];"\n        : {operands("=r", count)}\n'
            f'        : "r"(from), "C"(detail::TmemShapeName<shape>::text),\n'
            f'          "n"({count} / registers_per_repeat(shape)));\n}}\n')


def store(count):
    name, repeat, second = 0, count + 1, count + 2
    return (f"template <TmemShape shape, int gap = 0>\n"
            f"TILE_DEVICE void tmem_store(TmemAddress to, const std::uint32_t (&values)[{count}]) {{\n"
            f"  if constexpr (shape == TmemShape::l16x32bx2)\n"
            f'    asm volatile(\n        "tcgen05.st.sync.aligned.16x32bx2.x{count}.b32 [%0], %{count + 1},"\n'
            f'{register_text(1, count)}        ";" ::"r"(to),\n          {operands("r", count)},\n'
            f'          "n"(gap)\n        : "memory");\n'
            f"  else\n"
            f'    asm volatile(\n        "tcgen05.st.sync.aligned.%{repeat}.x%{second}.b32 [%{name}],"\n'
            f'{register_text(1, count)}        ";" ::"r"(to),\n          {operands("r", count)},\n'
            f'          "C"(detail::TmemShapeName<shape>::text),\n'
            f'          "n"({count} / registers_per_repeat(shape))\n        : "memory");\n}}\n')


print("// Written by tools/generate_tcgen05.py: tcgen05.ld and st, one function per number of registers.")
for count in COUNTS:
    print(load(count))
    print(store(count))
