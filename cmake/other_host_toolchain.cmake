# Debian's cross compiler for the other kind of host, and the emulator that runs what it makes: tools/other_host.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR $ENV{AISP_OTHER_HOST})  # aarch64 or x86_64
set(CMAKE_CXX_COMPILER ${CMAKE_SYSTEM_PROCESSOR}-linux-gnu-g++)
set(CMAKE_C_COMPILER ${CMAKE_SYSTEM_PROCESSOR}-linux-gnu-gcc)  # GoogleTest asks for one
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${CMAKE_SYSTEM_PROCESSOR} -L /usr/${CMAKE_SYSTEM_PROCESSOR}-linux-gnu)
