# dorm_embed(TARGET HEADER FILE...): text files as string constants of a header that the build writes. page.css becomes
# kPageCss, and kPageCssSha256 its SHA-256 in base64, as a Content-Security-Policy wants it.
function(dorm_embed target header)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/embedded/${header})
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} "-DFILES=${ARGN}" -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${ARGN} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/embedded)
endfunction()

# Bytes given as hexadecimal digits in base64: three bytes are four letters, and = stands for a missing one.
function(dorm_base64 hex result)
  set(alphabet ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/)
  string(LENGTH ${hex} digits)
  math(EXPR missing "(6 - ${digits} % 6) % 6 / 2")
  string(REPEAT 00 ${missing} zeros)
  string(REGEX MATCHALL "......" groups ${hex}${zeros})
  set(text "")
  foreach(group ${groups})
    foreach(shift 18 12 6 0)
      math(EXPR letter "(0x${group} >> ${shift}) & 63")
      string(SUBSTRING ${alphabet} ${letter} 1 letter)
      string(APPEND text ${letter})
    endforeach()
  endforeach()
  string(LENGTH ${text} letters)
  math(EXPR letters "${letters} - ${missing}")
  string(SUBSTRING ${text} 0 ${letters} text)
  string(REPEAT = ${missing} padding)
  set(${result} ${text}${padding} PARENT_SCOPE)
endfunction()

if(CMAKE_SCRIPT_MODE_FILE)
  # No compiler we know has the limit of 65536 letters that clang warns of.
  set(header "#pragma once\n\n#include <string_view>\n\n#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n")
  foreach(file ${FILES})
    cmake_path(GET file FILENAME name)
    string(REGEX MATCHALL "[a-z0-9]+" words ${name})
    set(constant k)
    foreach(word ${words})
      string(SUBSTRING ${word} 0 1 first)
      string(SUBSTRING ${word} 1 -1 rest)
      string(TOUPPER ${first} first)
      string(APPEND constant ${first}${rest})
    endforeach()
    file(READ ${file} text)
    file(SHA256 ${file} digest)
    dorm_base64(${digest} digest)
    string(APPEND header "\ninline constexpr std::string_view ${constant} = R\"embedded(${text})embedded\";\n"
                         "inline constexpr std::string_view ${constant}Sha256 = \"${digest}\";\n")
  endforeach()
  file(WRITE ${OUTPUT} "${header}")
endif()
