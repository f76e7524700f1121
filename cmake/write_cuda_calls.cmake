# cmake -DNM=nm -DLIBRARY=libcudart.so.13 -DOUTPUT=calls.cpp -P write_cuda_calls.cmake: for every call that the library
# has, a function of that name that jumps to where aisp_cuda_calls says. Registers and stack are the caller's: it need
# not know what the call takes.
execute_process(COMMAND ${NM} --dynamic --defined-only ${LIBRARY}
                OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL " [TW] (__)?cuda[A-Za-z0-9_]+" names "${symbols}")
list(TRANSFORM names REPLACE " [TW] " "")
list(REMOVE_DUPLICATES names)
list(LENGTH names count)
if(count EQUAL 0)
  message(FATAL_ERROR "${LIBRARY} has no call of the CUDA runtime")
endif()

set(table "")
set(jumps "")
set(offset 0)
foreach(name IN LISTS names)
  string(APPEND table "    \"${name}\",\n")
  string(APPEND jumps "FORWARD(${name}, ${offset})\n")
  math(EXPR offset "${offset} + 8")
endforeach()
set(text "// Written by cmake/write_cuda_calls.cmake. Hidden: a library that this process loads has the runtime's own.
#include <cstddef>

#if defined(__x86_64__)
#define JUMP(offset) \"endbr64\\n jmp *aisp_cuda_calls+\" #offset \"(%rip)\\n\"
#elif defined(__aarch64__)
#define JUMP(offset) \"hint #34\\n adrp x16, aisp_cuda_calls+\" #offset \"\\n\" \\
                     \"ldr x16, [x16, :lo12:aisp_cuda_calls+\" #offset \"]\\n br x16\\n\"
#else
#error the jump to a call of the CUDA runtime is not written for this kind of host
#endif
#define FORWARD(name, offset) \\
  asm(\".text\\n.globl \" #name \"\\n.hidden \" #name \"\\n.type \" #name \", %function\\n\" #name \":\\n\" JUMP(offset));

extern \"C\" {
extern const std::size_t aisp_cuda_call_count = ${count};
extern const char* const aisp_cuda_call_names[${count}] = {
${table}};
[[gnu::visibility(\"hidden\")]] void* aisp_cuda_calls[${count}];
}

${jumps}")
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "${text}" @ONLY)  # writes only what changed
