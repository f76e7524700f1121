"""Writes tile/arch/wgmma_instructions.inc: one function per N, because inline assembly needs every register spelled out.

    python3 tools/generate_wgmma.py > tile/arch/wgmma_instructions.inc
"""

WIDTHS = [8, 16, 24, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240, 256]
# kind: (K, text of the types, may be read transposed)
FLOATS = {
    "bf16": (16, "f32.bf16.bf16", True),
    "f16": (16, "f32.f16.f16", True),
    "tf32": (8, "f32.tf32.tf32", False),
    "e4m3": (32, "f32.e4m3.e4m3", False),
    "e5m2": (32, "f32.e5m2.e5m2", False),
    "e4m3_e5m2": (32, "f32.e4m3.e5m2", False),
    "e5m2_e4m3": (32, "f32.e5m2.e4m3", False),
}
INTEGERS = {"s8": (32, "s32.s8.s8", False)}


def registers(first, count):
    return "{" + ", ".join(f"%{first + i}" for i in range(count)) + "}"


def lines_of(words, width=88):
    line, lines = "", []
    for word in words:
        if len(line) + len(word) > width:
            lines.append(line.rstrip())
            line = ""
        line += word + " "
    return lines + [line.rstrip()]


def instruction(kind, table, n, from_registers):
    k, types, transposable = table[kind]
    count = n // 2
    a_count = 4 if from_registers else 1
    a = registers(count, 4) if from_registers else f"%{count}"
    b = count + a_count
    tail = "p, 1" + ("" if kind in INTEGERS else ", 1")
    operands = []
    if transposable:
        tail += f", %{b + 2}" if from_registers else f", %{b + 2}, %{b + 3}"
        if not from_registers:
            operands.append('"n"(transpose_a ? 1 : 0)')
        operands.append('"n"(transpose_b ? 1 : 0)')
    if kind in INTEGERS:
        tail = "p"
    text = (f'"{{\\n  .reg .pred p;\\n  setp.ne.b32 p, %{b + 1}, 0;\\n"\n'
            f'        "  wgmma.mma_async.sync.aligned.m64n{n}k{k}.{types}\\n"\n')
    text += "".join(f'        "  {line}\\n"\n' for line in lines_of((registers(0, count) + ",").split(" ")))
    text += f'        "  {a}, %{b}, {tail};\\n}}"'
    letter = "r" if kind in INTEGERS else "f"
    accumulators = lines_of([f'"+{letter}"(d[{i}]),' for i in range(count)])
    accumulators[-1] = accumulators[-1].rstrip(",")
    inputs = [f'"r"(a[{i}])' for i in range(4)] if from_registers else ['"l"(a)']
    inputs += ['"l"(b)', '"r"(accumulate)'] + operands
    return (f"    asm volatile(\n        {text}\n        : " + "\n          ".join(accumulators) +
            "\n        : " + ", ".join(inputs) + ");\n")


def function(n, table, from_registers):
    value = "int" if table is INTEGERS else "float"
    a = "const std::uint32_t (&a)[4]" if from_registers else "std::uint64_t a"
    flags = "bool transpose_b" if from_registers else "bool transpose_a, bool transpose_b"
    body = ""
    for kind in table:
        body += f"  {'} else ' if body else ''}if constexpr (kind == MatrixKind::{kind}) {{\n"
        body += instruction(kind, table, n, from_registers)
    return (f"template <MatrixKind kind, {flags}>\n"
            f"TILE_DEVICE void wgmma_instruction({value} (&d)[{n // 2}], {a}, std::uint64_t b, int accumulate) {{\n"
            f"{body}  }}\n}}\n")


def main():
    print("// Written by tools/generate_wgmma.py: one function per N of wgmma, A from shared memory or registers.")
    for n in WIDTHS:
        for table in (FLOATS, INTEGERS):
            for from_registers in (False, True):
                print(function(n, table, from_registers))


if __name__ == "__main__":
    main()
