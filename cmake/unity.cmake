# dorm_unity(TARGET [FOLDER=OTHER...]): compiles the files of each folder as one, which takes less than half the time of compiling
# them one by one; those of a small FOLDER together with those of OTHER, whose headers they share. Names in anonymous namespaces
# are therefore unique within a folder and those that join it. -DDORM_UNITY=OFF compiles file by file.
function(dorm_unity target)
  if(NOT DORM_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  get_target_property(base ${target} SOURCE_DIR)
  foreach(source ${sources})
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${base})
    cmake_path(GET source PARENT_PATH room)
    cmake_path(RELATIVE_PATH room BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    foreach(join ${ARGN})
      string(REPLACE "=" ";" join ${join})
      list(GET join 0 small)
      if(room STREQUAL small)
        list(GET join 1 room)
        break()
      endif()
    endforeach()
    string(MAKE_C_IDENTIFIER ${room} group)
    set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${group})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# dorm_cold(TARGET FOLDER...): folders that are compiled as one and in which no time is spent, such as readers of options and
# writers of files, are compiled by -O1: in half the time.
function(dorm_cold target)
  get_target_property(folder ${target} BINARY_DIR)
  foreach(room ${ARGN})
    string(MAKE_C_IDENTIFIER ${room} group)
    set_source_files_properties(${folder}/CMakeFiles/${target}.dir/Unity/unity_${group}_cxx.cxx TARGET_DIRECTORY ${target}
                                PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-O1>)
  endforeach()
endfunction()
