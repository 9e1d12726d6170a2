# CPack runs this before it writes a package. Into an archive go the libraries that its programs need, since nothing else
# brings them there: below lib/stagecraft, with Qt's plugins, which bin/qt.conf names. Left out are those that every
# Debian 12 has and that have to fit its loader, and NVIDIA's, which belong to its driver.

if(CPACK_GENERATOR STREQUAL "DEB")
    return()
endif()

file(GLOB programs ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/bin/*)
set(libraries ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/lib/stagecraft)
set(plugins)
if(EXISTS ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/bin/stagecraft)
    foreach(name platforms/libqxcb platforms/libqoffscreen platforms/libqwayland* xcbglintegrations/*
            platforminputcontexts/* iconengines/* imageformats/libqsvg imageformats/libqjpeg imageformats/libqgif
            platformthemes/libqxdgdesktopportal wayland-*/*)
        file(GLOB found ${CPACK_STAGECRAFT_QT_PLUGINS}/${name}.so)
        foreach(plugin IN LISTS found)
            cmake_path(GET plugin PARENT_PATH folder)
            cmake_path(GET folder FILENAME kind)
            file(INSTALL ${plugin} DESTINATION ${libraries}/plugins/${kind})
            list(APPEND plugins ${plugin})
        endforeach()
    endforeach()
    file(WRITE ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/bin/qt.conf "[Paths]\nPlugins=../lib/stagecraft/plugins\n")
endif()
file(GET_RUNTIME_DEPENDENCIES
    EXECUTABLES ${programs}
    MODULES ${plugins}
    RESOLVED_DEPENDENCIES_VAR needed
    UNRESOLVED_DEPENDENCIES_VAR missing
    PRE_EXCLUDE_REGEXES "^(ld-linux.*|lib(c|m|dl|rt|pthread|resolv|util|stdc\\+\\+|gcc_s))\\.so")
if(missing)
    message(FATAL_ERROR "The archive would lack ${missing}: not found on this machine")
endif()
foreach(library IN LISTS needed)
    file(INSTALL ${library} DESTINATION ${libraries} FOLLOW_SYMLINK_CHAIN)
endforeach()
