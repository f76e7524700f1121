# cmake -DOUTPUT=… "-DSOURCES=a|b|c" -P write_unit.cmake: the sources one after the other in one file, their unnamed
# namespaces with a name each, so that equal names in them do not meet.
string(REPLACE "|" ";" sources "${SOURCES}")
file(WRITE ${OUTPUT} "")
foreach(source IN LISTS sources)
  cmake_path(GET source PARENT_PATH folder)
  cmake_path(GET folder FILENAME folder)
  cmake_path(GET source STEM stem)
  set(name ${folder}_${stem})
  file(READ ${source} text)
  string(REPLACE "\nnamespace {\n" "\nnamespace ${name} {\n" text "${text}")
  file(APPEND ${OUTPUT} "#line 1 \"${source}\"\n${text}\n")
endforeach()
