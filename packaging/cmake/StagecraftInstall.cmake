# Install rules, and the Debian packages: cpack --config build/release/CPackConfig.cmake makes that of everything,
# CPackWorkerConfig.cmake that of the worker alone, for machines that only measure (with -G TGZ, an archive).

include(GNUInstallDirs)

install(TARGETS stagecraft stagecraft-cli stagecraft-pictures RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS stagecraft-worker RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT worker)
install(FILES packaging/stagecraft.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
install(FILES packaging/stagecraft-mime.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages
    RENAME stagecraft.xml)
install(FILES resources/icons/stagecraft.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps)
install(FILES packaging/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/stagecraft)

# The program writes its own manual page and what shells complete it by.
set(for_shells ${PROJECT_BINARY_DIR}/for_shells)
install(CODE "
    file(MAKE_DIRECTORY ${for_shells})
    foreach(words \"man\" \"completion;bash\" \"completion;zsh\" \"completion;fish\")
        list(JOIN words - name)
        execute_process(COMMAND $<TARGET_FILE:stagecraft-cli> \${words} OUTPUT_FILE ${for_shells}/\${name}
            COMMAND_ERROR_IS_FATAL ANY)
    endforeach()")
install(FILES ${for_shells}/man DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 RENAME stagecraft-cli.1)
install(FILES ${for_shells}/completion-bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
    RENAME stagecraft-cli)
install(FILES ${for_shells}/completion-zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions
    RENAME _stagecraft-cli)
install(FILES ${for_shells}/completion-fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
    RENAME stagecraft-cli.fish)

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
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/CPackWorkerConfig.cmake @ONLY CONTENT [[
include("@PROJECT_BINARY_DIR@/CPackConfig.cmake")
set(CPACK_INSTALL_CMAKE_PROJECTS "@PROJECT_BINARY_DIR@;stagecraft;worker;/")
set(CPACK_PACKAGE_NAME stagecraft-worker)
set(CPACK_PACKAGE_FILE_NAME stagecraft-worker-@PROJECT_VERSION@)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "measures stages of neural networks for stagecraft on another machine")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "")
set(CPACK_DEBIAN_PACKAGE_CONFLICTS stagecraft)
]])
