# For CMAKE_PROJECT_INCLUDE of exported C++ projects: what takes longest to compile is a file of its own, so that it is not
# compiled again for a neighbour that is another one.
set_source_files_properties(src/engine/device/cpu/tuned/tiled_convolution.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
