# What `cmake --install BUILD --component c --prefix FOLDER` writes: the C library as a folder that can be moved, with what CMake and
# pkg-config need to find it. `npm run build:c` runs it for build/c.
include(CMakePackageConfigHelpers)

set(PACKAGE ${CMAKE_BINARY_DIR}/package)
string(REGEX REPLACE "^v" "" GGSL_LLAMA_VERSION ${LLAMA_TAG})
get_target_property(GGSL_SOVERSION ggsl_shared SOVERSION)
configure_file(cmake/ggsl.pc.in ${PACKAGE}/ggsl.pc @ONLY)
configure_file(cmake/ggslConfig.cmake.in ${PACKAGE}/ggslConfig.cmake @ONLY)
# before 1.0 a minor version may change what programs see
write_basic_package_version_file(${PACKAGE}/ggslConfigVersion.cmake VERSION ${GGSL_VERSION} COMPATIBILITY SameMinorVersion)

install(TARGETS ggsl_shared LIBRARY DESTINATION lib COMPONENT c)
install(FILES ${GGSL_OUTPUT}/libggsl.a DESTINATION lib COMPONENT c)
install(FILES include/ggsl.h include/ggsl.hpp DESTINATION include COMPONENT c)
install(FILES ${PACKAGE}/ggsl.pc DESTINATION lib/pkgconfig COMPONENT c)
install(FILES ${PACKAGE}/ggslConfig.cmake ${PACKAGE}/ggslConfigVersion.cmake DESTINATION lib/cmake/ggsl COMPONENT c)
install(FILES ../LICENSE DESTINATION share/doc/ggsl COMPONENT c)
