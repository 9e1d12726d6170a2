# How every target of this project is compiled.

# ThreadSanitizer sees instrumented code and the standard library, but not the inside of GCC's OpenMP runtime and of Qt.
# With LLVM's runtime instead (libomp-dev), Archer tells it when the threads of a team start, synchronise and end; calls
# from uninstrumented libraries are ignored.
set(STAGECRAFT_SANITIZER_ENVIRONMENT "")
if(STAGECRAFT_SANITIZE MATCHES "address")
    set(STAGECRAFT_SANITIZER_ENVIRONMENT
        "LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/packaging/leaks_of_libraries.txt:print_suppressions=0")
endif()
if(STAGECRAFT_SANITIZE STREQUAL "thread")
    file(GLOB llvm_folders /usr/lib/llvm-*/lib)
    find_library(ARCHER_LIBRARY archer HINTS ${llvm_folders})
    find_library(LLVM_OPENMP_LIBRARY omp HINTS ${llvm_folders})
    set(STAGECRAFT_SANITIZER_ENVIRONMENT "TSAN_OPTIONS=ignore_noninstrumented_modules=1:history_size=4")
    if(ARCHER_LIBRARY AND LLVM_OPENMP_LIBRARY)
        list(APPEND STAGECRAFT_SANITIZER_ENVIRONMENT
            "OMP_TOOL_LIBRARIES=${ARCHER_LIBRARY}" "LD_PRELOAD=${LLVM_OPENMP_LIBRARY}")
    else()
        message(WARNING "Without libomp-dev ThreadSanitizer reports false races in OpenMP code")
    endif()
endif()

# Several files of a target are compiled as one (a unity build): they read the same headers and instantiate the same
# templates once. STAGECRAFT_UNITY=OFF compiles each separately: for clang-tidy, and to check that each includes what it
# uses.
function(stagecraft_compile_options target)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ${STAGECRAFT_UNITY} UNITY_BUILD_BATCH_SIZE 8)
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual)
    if(STAGECRAFT_UNITY) # a type of one .cpp file may well hold another of the same file
        target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
    endif()
    # GCC 12 reports overlaps in std::string that do not exist (GCC bug 105329).
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
    if(STAGECRAFT_SANITIZE) # its checks hide from GCC that a variant's member was made before it is destroyed
        target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
    endif()
    if(STAGECRAFT_WARNINGS_AS_ERRORS)
        target_compile_options(${target} PRIVATE -Werror)
    endif()
    if(STAGECRAFT_SANITIZE)
        target_compile_options(${target} PRIVATE -fsanitize=${STAGECRAFT_SANITIZE} -fno-omit-frame-pointer
            -fno-sanitize-recover=all) # what is found ends the program, and fails its test
        target_link_options(${target} PUBLIC -fsanitize=${STAGECRAFT_SANITIZE})
    endif()
endfunction()

# Code that is never hot is optimised less in a development build, which saves a quarter of its compile time.
function(stagecraft_optimise_less target)
    target_compile_options(${target} PRIVATE $<$<CONFIG:RelWithDebInfo>:-O1>)
endfunction()

# stagecraft_library(search SOURCES a.cpp ... LINK graph schedule ... [PRIVATE_LINK ...]): target stagecraft_search.
# A LINK name that is a part of this project has no prefix.
function(stagecraft_library name)
    cmake_parse_arguments(ARG "" "" "SOURCES;LINK;PRIVATE_LINK" ${ARGN})
    set(target stagecraft_${name})
    add_library(${target} STATIC ${ARG_SOURCES})
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    cmake_path(GET CMAKE_CURRENT_SOURCE_DIR PARENT_PATH include_root)
    target_include_directories(${target} PUBLIC ${include_root})
    stagecraft_link(${target} PUBLIC ${ARG_LINK})
    stagecraft_link(${target} PRIVATE ${ARG_PRIVATE_LINK})
    stagecraft_compile_options(${target})
endfunction()

# stagecraft_messages(worker_messages worker.proto): target stagecraft_worker_messages from a Protobuf file. Generated
# code is compiled without our warnings, and its headers are system headers for other targets.
function(stagecraft_messages name proto)
    find_package(Protobuf REQUIRED GLOBAL)
    set(target stagecraft_${name})
    add_library(${target} STATIC)
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_link_libraries(${target} PUBLIC protobuf::libprotobuf)
    protobuf_generate(TARGET ${target} LANGUAGE cpp PROTOS ${CMAKE_CURRENT_SOURCE_DIR}/${proto}
        IMPORT_DIRS ${CMAKE_CURRENT_SOURCE_DIR} PROTOC_OUT_DIR ${CMAKE_CURRENT_BINARY_DIR})
    target_include_directories(${target} SYSTEM PUBLIC ${CMAKE_CURRENT_BINARY_DIR})
endfunction()

function(stagecraft_link target visibility)
    foreach(library IN LISTS ARGN)
        if(library MATCHES "^[a-z_]+$")
            set(library stagecraft_${library})
        endif()
        target_link_libraries(${target} ${visibility} ${library})
    endforeach()
endfunction()

# Labels of test programs: core, programs (the command line, the worker), window (its panels, and programs that draw them
# without a window), gpu or project (its sources, its package), by what they test; also threads if they use several
# threads, and peers if other programs check results for minutes. tests_LABEL builds the programs with a label, ctest -L LABEL runs them.
function(stagecraft_label_test name)
    cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/tests OUTPUT_VARIABLE folder)
    if("project" IN_LIST ARGN OR "window" IN_LIST ARGN)
        set(label "")
    elseif(folder MATCHES "^(widgets|app/desktop)")
        set(label window)
    elseif(folder MATCHES "^app")
        set(label programs)
    else()
        string(REGEX REPLACE "/.*" "" label ${folder})
    endif()
    foreach(each ${label} ${ARGN})
        set_property(TEST ${name} APPEND PROPERTY LABELS ${each})
        if(NOT TARGET tests_${each})
            add_custom_target(tests_${each})
        endif()
        add_dependencies(tests_${each} ${name})
    endforeach()
endfunction()

# stagecraft_test(tst_endings LINK search ... [LABELS threads]): a Qt Test program from tst_endings.cpp, run by ctest
# without a display. MOC names headers with Q_OBJECT classes.
function(stagecraft_test name)
    cmake_parse_arguments(ARG "" "" "LINK;SOURCES;MOC;LABELS" ${ARGN})
    stagecraft_test_program(${name} ${name}.cpp SOURCES ${ARG_SOURCES} MOC ${ARG_MOC} LINK ${ARG_LINK})
    target_compile_definitions(${name} PRIVATE
        STAGECRAFT_SOURCE_DIR="${PROJECT_SOURCE_DIR}" STAGECRAFT_BIN_DIR="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
    stagecraft_add_test(${name} LABELS ${ARG_LABELS})
endfunction()

# stagecraft_test_program(tst_half tst_full.cpp SOURCES ... LINK ...): only the program, from the test tst_full.cpp.
function(stagecraft_test_program name test)
    cmake_parse_arguments(ARG "" "" "LINK;SOURCES;MOC" ${ARGN})
    # AUTOMOC would start CMake for each test, and compile another file.
    set(generated ${CMAKE_CURRENT_BINARY_DIR}/${name}_moc)
    cmake_path(GET test STEM stem)
    set(mocs ${generated}/${stem}.moc)
    stagecraft_moc(${test} ${mocs})
    foreach(header IN LISTS ARG_MOC)
        cmake_path(GET header STEM stem)
        stagecraft_moc(${header} ${generated}/moc_${stem}.cpp)
        list(APPEND mocs ${generated}/moc_${stem}.cpp)
    endforeach()
    add_executable(${name} ${test} ${ARG_SOURCES} ${mocs})
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests ${generated})
    stagecraft_link(${name} PRIVATE Qt6::Test ${ARG_LINK})
    stagecraft_test_options(${name})
    if(ARG_LINK MATCHES "widgets|desktop")
        target_precompile_headers(${name} REUSE_FROM window_test_headers)
    else()
        target_precompile_headers(${name} REUSE_FROM test_headers)
    endif()
endfunction()

function(stagecraft_moc source output)
    add_custom_command(OUTPUT ${output}
        COMMAND Qt6::moc ${CMAKE_CURRENT_SOURCE_DIR}/${source} -o ${output}
        DEPENDS ${source}
        VERBATIM)
endfunction()

# stagecraft_add_test(tst_half [LABELS threads]): ctest runs the program.
function(stagecraft_add_test name)
    cmake_parse_arguments(ARG "" "" "LABELS" ${ARGN})
    add_test(NAME ${name} COMMAND ${name})
    set(environment QT_QPA_PLATFORM=offscreen ${STAGECRAFT_SANITIZER_ENVIRONMENT})
    set(seconds 300)
    if(STAGECRAFT_SANITIZE) # slower, five to twenty times
        set(seconds 1800)
        list(APPEND environment QTEST_FUNCTION_TIMEOUT=1800000)
    endif()
    set_tests_properties(${name} PROPERTIES ENVIRONMENT "${environment}" TIMEOUT ${seconds})
    stagecraft_label_test(${name} ${ARG_LABELS})
endfunction()

# Most of the compile time of a test is spent on headers of Qt and std: they are compiled once for all tests.
# stagecraft_test_headers(test_headers LINK Qt6::Test HEADERS <QTest> ...): a target whose precompiled headers others
# reuse.
function(stagecraft_test_headers name)
    cmake_parse_arguments(ARG "" "" "LINK;HEADERS" ${ARGN})
    set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "// Headers alone.\n")
    add_library(${name} OBJECT ${source})
    target_link_libraries(${name} PRIVATE ${ARG_LINK})
    stagecraft_test_options(${name})
    target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
endfunction()

# Compile options of all tests and of their headers.
function(stagecraft_test_options name)
    stagecraft_compile_options(${name})
    stagecraft_optimise_less(${name})
    # The path of a test, which no test asks Qt for, must not be in shared headers; ccache reads -fpch-preprocess.
    target_compile_options(${name} PRIVATE
        -UQT_TESTCASE_BUILDDIR -UQT_TESTCASE_SOURCEDIR $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
endfunction()
