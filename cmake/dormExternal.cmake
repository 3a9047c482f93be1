# dorm_external(NAME): the target dorm_external::NAME of a library that brings no CMake configuration; no target where it is
# not found. Installed with the package: its users look on their own machine, and it holds no path of the one that built it.
set(DORM_EXTERNAL_zstd zstd.h zstd) # a header and the libraries
set(DORM_EXTERNAL_psl libpsl.h psl)
set(DORM_EXTERNAL_cbc CbcModel.hpp Cbc Cgl OsiClp Clp Osi CoinUtils)

function(dorm_external name)
  set(libraries ${DORM_EXTERNAL_${name}})
  list(POP_FRONT libraries header)
  find_path(DORM_${name}_INCLUDE ${header} PATH_SUFFIXES coin coin-or)
  set(paths "")
  foreach(library ${libraries})
    find_library(DORM_${library}_LIBRARY ${library})
    mark_as_advanced(DORM_${library}_LIBRARY)
    list(APPEND paths ${DORM_${library}_LIBRARY})
  endforeach()
  mark_as_advanced(DORM_${name}_INCLUDE)
  if(TARGET dorm_external::${name} OR "${DORM_${name}_INCLUDE};${paths}" MATCHES "-NOTFOUND")
    return()
  endif()
  add_library(dorm_external::${name} INTERFACE IMPORTED)
  target_include_directories(dorm_external::${name} INTERFACE ${DORM_${name}_INCLUDE})
  target_link_libraries(dorm_external::${name} INTERFACE ${paths})
endfunction()
