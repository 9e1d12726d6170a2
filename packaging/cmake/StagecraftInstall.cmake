# Install rules, and the Debian package: cpack --config build/release/CPackConfig.cmake

include(GNUInstallDirs)

install(TARGETS stagecraft stagecraft-cli stagecraft-worker RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES packaging/stagecraft.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
install(FILES packaging/stagecraft-mime.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages
    RENAME stagecraft.xml)
install(FILES resources/icons/stagecraft.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps)
install(FILES packaging/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/stagecraft)

# The packages marked [run] in dependencies.txt, the only place that names packages.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS packaging/dependencies.txt)
file(STRINGS packaging/dependencies.txt run_packages REGEX "^[a-z0-9].*\\[run\\]")
list(TRANSFORM run_packages REPLACE " .*" "")
list(JOIN run_packages ", " run_packages)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME stagecraft)
set(CPACK_PACKAGE_VENDOR "Stagecraft")
set(CPACK_PACKAGE_CONTACT "the Stagecraft developers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "explorer for inter-operator schedules of convolutional networks")
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "${run_packages}")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
include(CPack)
