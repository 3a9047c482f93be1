# cmake -D ROOT=... -D OUT=... -D TOOLCHAIN=... -P build_identity.cmake: writes a header that names the build: a hash of the sources of
# the library and the laboratory, the compiler and its flags. The same sources and compiler give the same name; nothing else does.
file(GLOB_RECURSE files RELATIVE ${ROOT} ${ROOT}/src/* ${ROOT}/include/* ${ROOT}/lab/*)
list(SORT files)
set(content "${TOOLCHAIN}\n")
foreach(file ${files})
  file(SHA256 ${ROOT}/${file} hash)
  string(APPEND content "${file} ${hash}\n")
endforeach()
string(SHA256 identity "${content}")
string(SUBSTRING ${identity} 0 12 identity)
file(CONFIGURE OUTPUT ${OUT} CONTENT "#define DORM_BUILD_IDENTITY \"${identity}\"\n")
