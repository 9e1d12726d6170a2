# How every target of this project is compiled.

# ThreadSanitizer sees instrumented code and the standard library, but not the inside of GCC's OpenMP runtime and of Qt.
# With LLVM's runtime instead (libomp-16-dev), Archer tells it when the threads of a team start, synchronise and end; calls
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
    set(STAGECRAFT_SANITIZER_ENVIRONMENT "TSAN_OPTIONS=ignore_noninstrumented_modules=1:history_size=4:die_after_fork=0")
    if(ARCHER_LIBRARY AND LLVM_OPENMP_LIBRARY)
        list(APPEND STAGECRAFT_SANITIZER_ENVIRONMENT
            "OMP_TOOL_LIBRARIES=${ARCHER_LIBRARY}" "LD_PRELOAD=${LLVM_OPENMP_LIBRARY}")
    else()
        message(WARNING "Without libomp-16-dev ThreadSanitizer reports false races in OpenMP code")
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
    set(include_root ${PROJECT_SOURCE_DIR})
    if(CMAKE_CURRENT_SOURCE_DIR MATCHES "^${PROJECT_SOURCE_DIR}/(core|app)/")
        string(APPEND include_root /${CMAKE_MATCH_1})
    endif()
    target_include_directories(${target} PUBLIC ${include_root})
    stagecraft_link(${target} PUBLIC ${ARG_LINK})
    stagecraft_link(${target} PRIVATE ${ARG_PRIVATE_LINK} fmt::fmt)
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

# stagecraft_headers(cli <CLI/CLI.hpp> ...): headers of others that most files of stagecraft_cli include, compiled once, and
# groups of files twice as large, which by themselves would take long to compile.
function(stagecraft_headers name)
    if(STAGECRAFT_UNITY)
        target_precompile_headers(stagecraft_${name} PRIVATE ${ARGN})
        target_compile_options(stagecraft_${name} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>) # for ccache
        set_target_properties(stagecraft_${name} PROPERTIES UNITY_BUILD_BATCH_SIZE 16)
    endif()
endfunction()

function(stagecraft_link target visibility)
    foreach(library IN LISTS ARGN)
        if(library MATCHES "^[a-z0-9_]+$")
            set(library stagecraft_${library})
        endif()
        target_link_libraries(${target} ${visibility} ${library})
    endforeach()
endfunction()

# stagecraft_test(stages/tst_endings LINK search ... [LABELS threads] [ONNX] [GROUP openmp]): a suite of Qt Test,
# stages/tst_endings.cpp, which ctest runs without a display. The suites of a CMakeLists.txt are one program, suites_FOLDER:
# they are linked once. What runs elsewhere is a program of its own, suites_FOLDER_threads or suites_FOLDER_plain (see
# stagecraft_labels_of_suite), and so is a GROUP. The target tst_endings builds what the suite needs. MOC names headers with
# Q_OBJECT classes; ONNX links the messages of ONNX files.
function(stagecraft_test name)
    cmake_parse_arguments(ARG "ONNX" "GROUP" "LINK;SOURCES;MOC;LABELS" ${ARGN})
    stagecraft_labels_of_suite(labels ${ARG_LABELS})
    stagecraft_folder_of_tests(folder)
    string(REPLACE "/" "_" program suites_${folder})
    if(ARG_GROUP)
        string(APPEND program _${ARG_GROUP})
    elseif("threads" IN_LIST labels)
        string(APPEND program _threads)
    elseif("plain" IN_LIST labels AND folder MATCHES "^(core|app$|app/worker)")
        string(APPEND program _plain)
    endif()
    stagecraft_suites(${program} SUITES ${name}.cpp SOURCES ${ARG_SOURCES} MOC ${ARG_MOC} LINK ${ARG_LINK})
    if(ARG_ONNX)
        find_package(Protobuf REQUIRED) # before ONNX, whose targets link it
        find_package(ONNX REQUIRED)
        target_link_libraries(${program} PRIVATE onnx_proto)
    endif()
    cmake_path(GET name FILENAME suite)
    stagecraft_add_suite(${suite} PROGRAM ${program} LABELS ${labels})
endfunction()

# stagecraft_suites(suites_gpu SUITES tst_plan.cpp SOURCES ... LINK ...): makes the program or adds to it.
function(stagecraft_suites program)
    cmake_parse_arguments(ARG "" "" "SUITES;SOURCES;MOC;LINK" ${ARGN})
    set(generated ${CMAKE_CURRENT_BINARY_DIR}/${program}_moc)
    if(NOT TARGET ${program})
        set(support ${PROJECT_SOURCE_DIR}/tests/support)
        add_executable(${program} ${support}/suite_main.cpp ${support}/places.cpp)
        set_target_properties(${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
        target_include_directories(${program} PRIVATE ${PROJECT_SOURCE_DIR}/tests ${generated})
        target_link_libraries(${program} PRIVATE Qt6::Test)
        stagecraft_test_options(${program})
        if(ARG_LINK MATCHES "widgets|desktop")
            target_precompile_headers(${program} REUSE_FROM window_test_headers)
        else()
            target_precompile_headers(${program} REUSE_FROM test_headers)
        endif()
    endif()
    # AUTOMOC would start CMake for each program, and compile another file.
    get_target_property(sources ${program} SOURCES)
    foreach(suite IN LISTS ARG_SUITES)
        cmake_path(GET suite STEM stem)
        stagecraft_moc(${suite} ${generated}/${stem}.moc)
        target_sources(${program} PRIVATE ${suite} ${generated}/${stem}.moc)
        # One without a namespace of its own is compiled by itself: moc loses count of braces in some raw strings.
        file(STRINGS ${suite} own_namespace REGEX "^namespace ${stem} ")
        if(NOT own_namespace)
            set_source_files_properties(${suite} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
        endif()
    endforeach()
    foreach(header IN LISTS ARG_MOC)
        cmake_path(GET header STEM stem)
        if(NOT ${generated}/moc_${stem}.cpp IN_LIST sources)
            stagecraft_moc(${header} ${generated}/moc_${stem}.cpp)
            target_sources(${program} PRIVATE ${generated}/moc_${stem}.cpp)
        endif()
    endforeach()
    foreach(source IN LISTS ARG_SOURCES)
        cmake_path(ABSOLUTE_PATH source NORMALIZE)
        if(NOT ${source} IN_LIST sources)
            target_sources(${program} PRIVATE ${source})
        endif()
    endforeach()
    stagecraft_link(${program} PRIVATE ${ARG_LINK})
endfunction()

function(stagecraft_moc source output)
    add_custom_command(OUTPUT ${output}
        COMMAND Qt6::moc ${CMAKE_CURRENT_SOURCE_DIR}/${source} -o ${output}
        DEPENDS ${source}
        VERBATIM)
endfunction()

# stagecraft_add_suite(tst_half PROGRAM suites_gpu_half [SUITE tst_full] LABELS ...): ctest runs the suite of the program.
function(stagecraft_add_suite name)
    cmake_parse_arguments(ARG "" "PROGRAM;SUITE" "LABELS" ${ARGN})
    if(NOT ARG_SUITE)
        set(ARG_SUITE ${name})
    endif()
    add_test(NAME ${name} COMMAND ${ARG_PROGRAM} ${ARG_SUITE})
    set(environment QT_QPA_PLATFORM=offscreen STAGECRAFT_SOURCE_DIR=${PROJECT_SOURCE_DIR} ${STAGECRAFT_SANITIZER_ENVIRONMENT})
    set(seconds 300)
    if(STAGECRAFT_SANITIZE) # slower, five to twenty times
        set(seconds 1800)
        list(APPEND environment QTEST_FUNCTION_TIMEOUT=1800000)
    endif()
    set_tests_properties(${name} PROPERTIES ENVIRONMENT "${environment}" TIMEOUT ${seconds} LABELS "${ARG_LABELS}")
    add_custom_target(${name} DEPENDS ${ARG_PROGRAM})
    foreach(label IN LISTS ARG_LABELS)
        if(NOT TARGET tests_${label})
            add_custom_target(tests_${label})
        endif()
        add_dependencies(tests_${label} ${name})
    endforeach()
endfunction()

function(stagecraft_folder_of_tests result)
    cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/tests OUTPUT_VARIABLE folder)
    set(${result} ${folder} PARENT_SCOPE)
endfunction()

# Labels of a suite. What it tests: core, programs (the command line, the worker), window (its panels, and programs that draw
# them without a window), gpu or project (its sources, its package). Also threads if it uses several threads, peers if
# other programs check results for minutes, speed if it searches whole networks. And where CI runs it, each in its
# strictest build: sanitized (core, command line, worker) or plain (everything else, and what is labelled peers or speed).
# tests_LABEL builds what suites with a label need, ctest -L LABEL runs them.
function(stagecraft_labels_of_suite result)
    set(labels ${ARGN})
    stagecraft_folder_of_tests(folder)
    if(NOT "project" IN_LIST labels AND NOT "window" IN_LIST labels)
        if(folder MATCHES "^(widgets|app/desktop)")
            list(APPEND labels window)
        elseif(folder MATCHES "^app")
            list(APPEND labels programs)
        else()
            string(REGEX REPLACE "/.*" "" label ${folder})
            list(APPEND labels ${label})
        endif()
    endif()
    if(labels MATCHES "window|gpu|project|peers|speed")
        list(APPEND labels plain)
    else()
        list(APPEND labels sanitized)
    endif()
    set(${result} ${labels} PARENT_SCOPE)
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
    set_target_properties(${name} PROPERTIES UNITY_BUILD_BATCH_SIZE 6)
    stagecraft_optimise_less(${name})
    target_compile_options(${name} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>) # for ccache
endfunction()
