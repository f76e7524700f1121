# A raw string literal holds at most 64 KiB on some compilers; hex bytes have no limit and no escapes.
file(READ ${INPUT} hex HEX)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
file(WRITE ${OUTPUT} "#include <string_view>
namespace aisp::embedded {
static constexpr unsigned char data[] = {${bytes}0x00};
extern const std::string_view ${SYMBOL};
const std::string_view ${SYMBOL}{reinterpret_cast<const char*>(data), sizeof(data) - 1};
}  // namespace aisp::embedded
")
