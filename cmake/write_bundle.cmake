# Several files as one: for each a line `@@ <name> <bytes>`, then its text. FILES and the folder ROOT that names begin at.
set(bundle "")
separate_arguments(files UNIX_COMMAND "${FILES}")
foreach(name IN LISTS files)
  file(READ ${ROOT}/${name} text)
  string(LENGTH "${text}" bytes)
  string(APPEND bundle "@@ ${name} ${bytes}\n${text}")
endforeach()
file(WRITE ${OUTPUT} "${bundle}")
