# Which code kernels are compiled to; in this tree, and in projects that use the installed package.

# Without a GPU nobody runs the machine code, and the assembler takes a quarter of the time.
set(AISP_MACHINE_CODE AUTO CACHE STRING "Machine code beside the PTX: ON, OFF or AUTO, where this machine has a driver")
if(NOT AISP_MACHINE_CODE STREQUAL "AUTO")
  set(machine_code ${AISP_MACHINE_CODE})
elseif(EXISTS /proc/driver/nvidia/version OR EXISTS /dev/nvidiactl OR EXISTS /dev/dxg)
  set(machine_code ON)
else()
  set(machine_code OFF)
endif()
# aisp_architectures(<result> <architecture>…): "80;90" as it is, or its PTX alone.
function(aisp_architectures result)
  set(wanted ${ARGN})
  if(NOT machine_code)
    list(FILTER wanted EXCLUDE REGEX "-real$")
    list(TRANSFORM wanted REPLACE "^([0-9]+a?)$" "\\1-virtual")
  endif()
  set(${result} "${wanted}" PARENT_SCOPE)
endfunction()
