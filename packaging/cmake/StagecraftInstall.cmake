# Install rules, and what cpack makes of them (packaging/package.sh): Debian packages of the window, of the command line,
# of the worker and of the GPU module, and an archive of everything that runs from any folder, with its libraries.
# CPackWorkerConfig.cmake makes an archive of the worker alone, for machines that only measure.

include(GNUInstallDirs)
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON) # packages hold no tests
find_program(GZIP_PROGRAM gzip REQUIRED)
set(made ${PROJECT_BINARY_DIR}/packaging)

# stagecraft_install_compressed(COMPONENT SOURCE FOLDER NAME): SOURCE, read when it is installed, as NAME.gz; the same
# bytes each time.
function(stagecraft_install_compressed component source folder name)
    set(compressed ${made}/${component}/${name}.gz)
    install(CODE "
        file(MAKE_DIRECTORY \"${made}/${component}\")
        execute_process(COMMAND \"${GZIP_PROGRAM}\" -9nc \"${source}\" OUTPUT_FILE \"${compressed}\"
            COMMAND_ERROR_IS_FATAL ANY)" COMPONENT ${component})
    install(FILES ${compressed} DESTINATION ${folder} COMPONENT ${component})
endfunction()

# stagecraft_install_documents(COMPONENT): licences and changes, in the folder of the component's package.
function(stagecraft_install_documents component)
    set(folder ${CMAKE_INSTALL_DATADIR}/doc/${CPACK_DEBIAN_${component}_PACKAGE_NAME})
    string(TOLOWER ${component} component)
    install(FILES packaging/copyright DESTINATION ${folder} COMPONENT ${component})
    stagecraft_install_compressed(${component} ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${folder} changelog)
    stagecraft_install_compressed(${component} ${made}/changelog.Debian ${folder} changelog.Debian)
endfunction()

set(CPACK_PACKAGE_NAME stagecraft)
set(CPACK_PACKAGE_VENDOR "Stagecraft")
set(CPACK_PACKAGE_CONTACT "Stagecraft maintainers <maintainers@users.noreply.a-seed-8fa005ca.example>")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGE_FILE_NAME stagecraft-${PROJECT_VERSION}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_GENERATOR DEB TZST)
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 0)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL window cli worker)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_STAGECRAFT_QT_PLUGINS ${QT6_INSTALL_PREFIX}/${QT6_INSTALL_PLUGINS})
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/packaging/cmake/bundle_libraries.cmake)

# Packages for Debian, one a component.
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(version "${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}")
set(CPACK_DEBIAN_PACKAGE_SOURCE stagecraft)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(text "Stagecraft finds out which operators of a neural network should run
concurrently on a device, searches the stages of a schedule by dynamic
programming, and measures or simulates what that gains.")

set(CPACK_DEBIAN_WINDOW_PACKAGE_NAME stagecraft)
set(CPACK_COMPONENT_WINDOW_DESCRIPTION "explorer for inter-operator schedules of neural networks
${text}

This package has the window, and draws the pictures that stagecraft-cli
exports.")
set(CPACK_DEBIAN_WINDOW_PACKAGE_DEPENDS "stagecraft-cli (= ${version})")
set(CPACK_DEBIAN_CLI_PACKAGE_NAME stagecraft-cli)
set(CPACK_COMPONENT_CLI_DESCRIPTION "command line for inter-operator schedules of neural networks
${text}

This package has the command line, which needs no Qt.")
set(CPACK_DEBIAN_CLI_PACKAGE_DEPENDS "stagecraft-worker (= ${version})")
set(CPACK_DEBIAN_CLI_PACKAGE_SUGGESTS "stagecraft, openssh-client, slurm-client, python3-torch")
set(CPACK_DEBIAN_WORKER_PACKAGE_NAME stagecraft-worker)
set(CPACK_COMPONENT_WORKER_DESCRIPTION "measures stages of neural networks for Stagecraft
${text}

This package has the program that measures, started by the command line, by
the window, or over ssh from another machine.")
set(CPACK_DEBIAN_WORKER_PACKAGE_SUGGESTS "stagecraft-gpu")
# One package held all that before.
foreach(component CLI WORKER GPU)
    foreach(relation BREAKS REPLACES)
        set(CPACK_DEBIAN_${component}_PACKAGE_${relation} "stagecraft (<< ${version})")
    endforeach()
endforeach()

# The packages marked [run] in dependencies.txt, the only place that names packages.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS packaging/dependencies.txt)
file(STRINGS packaging/dependencies.txt run_packages REGEX "^[a-z0-9].*\\[run\\]")
list(TRANSFORM run_packages REPLACE " .*" "")
list(JOIN run_packages ", " CPACK_DEBIAN_WINDOW_PACKAGE_RECOMMENDS)

# CUDA and cuDNN come from NVIDIA's packages or archives: their own package can only be recommended.
if(TARGET stagecraft_gpu)
    find_package(CUDAToolkit QUIET)
    set(cuda ${CUDAToolkit_VERSION_MAJOR})
    list(APPEND CPACK_COMPONENTS_ALL gpu)
    set(CPACK_DEBIAN_GPU_PACKAGE_NAME stagecraft-gpu)
    set(CPACK_COMPONENT_GPU_DESCRIPTION "GPU module of Stagecraft's worker
${text}

This package has the module that measures on NVIDIA GPUs. It needs NVIDIA's
driver, the libraries of CUDA ${cuda} and cuDNN 9.")
    set(CPACK_DEBIAN_GPU_PACKAGE_SECTION contrib/science)
    set(CPACK_DEBIAN_GPU_PACKAGE_DEPENDS "stagecraft-worker (= ${version})")
    set(CPACK_DEBIAN_GPU_PACKAGE_RECOMMENDS
        "cuda-nvrtc-${cuda}-${CUDAToolkit_VERSION_MINOR}, libcudnn9-cuda-${cuda}")
    # NVIDIA's libraries are in a folder of their own, where the loader does not look by itself.
    install(FILES packaging/stagecraft-gpu.lintian-overrides RENAME stagecraft-gpu
        DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides COMPONENT gpu)
    stagecraft_install_documents(GPU)
endif()

# Debian's list of changes has the packages' versions; the program's own stands beside it.
set(date $ENV{SOURCE_DATE_EPOCH})
if(NOT date)
    execute_process(COMMAND git -C ${PROJECT_SOURCE_DIR} log -1 --format=%ct OUTPUT_VARIABLE date ERROR_QUIET
        OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
set(ENV{SOURCE_DATE_EPOCH} ${date}) # empty, without git: now
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(CONFIGURE OUTPUT ${made}/changelog.Debian CONTENT "stagecraft (${version}) bookworm; urgency=medium

  * Built from the sources; changelog.gz has what changed.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")

# Libraries that the archive brings are below its own folder. RPATH, unlike RUNPATH, also finds what these need.
set_target_properties(stagecraft stagecraft-cli stagecraft-pictures stagecraft-worker PROPERTIES
    BUILD_WITH_INSTALL_RPATH ON
    INSTALL_RPATH "$ORIGIN/../lib/stagecraft")
foreach(program stagecraft stagecraft-cli stagecraft-pictures stagecraft-worker)
    target_link_options(${program} PRIVATE -Wl,--disable-new-dtags)
endforeach()

install(TARGETS stagecraft stagecraft-pictures RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT window)
install(FILES packaging/stagecraft.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications COMPONENT window)
install(FILES packaging/stagecraft.metainfo.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/metainfo COMPONENT window)
install(FILES packaging/stagecraft-mime.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages RENAME stagecraft.xml
    COMPONENT window)
set(icons ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable)
install(FILES resources/icons/stagecraft.svg DESTINATION ${icons}/apps COMPONENT window)
install(FILES packaging/icons/application-x-stagecraft-session.svg packaging/icons/application-x-onnx.svg
    DESTINATION ${icons}/mimetypes COMPONENT window)
stagecraft_install_documents(WINDOW)

install(TARGETS stagecraft-cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT cli)
stagecraft_install_documents(CLI)
install(TARGETS stagecraft-worker RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT worker)
stagecraft_install_documents(WORKER)

# The command line writes its own manual page and what shells complete it by.
install(CODE "
    file(MAKE_DIRECTORY \"${made}\")
    foreach(words \"man\" \"completion;bash\" \"completion;zsh\" \"completion;fish\")
        list(JOIN words - name)
        execute_process(COMMAND \"$<TARGET_FILE:stagecraft-cli>\" \${words} OUTPUT_FILE \"${made}/\${name}\"
            COMMAND_ERROR_IS_FATAL ANY)
    endforeach()" COMPONENT cli)
stagecraft_install_compressed(cli ${made}/man ${CMAKE_INSTALL_MANDIR}/man1 stagecraft-cli.1)
set(manuals ${PROJECT_SOURCE_DIR}/packaging/man)
foreach(program stagecraft stagecraft-pictures)
    stagecraft_install_compressed(window ${manuals}/${program}.1 ${CMAKE_INSTALL_MANDIR}/man1 ${program}.1)
endforeach()
stagecraft_install_compressed(worker ${manuals}/stagecraft-worker.1 ${CMAKE_INSTALL_MANDIR}/man1 stagecraft-worker.1)
install(FILES ${made}/completion-bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
    RENAME stagecraft-cli COMPONENT cli)
install(FILES ${made}/completion-zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions
    RENAME _stagecraft-cli COMPONENT cli)
install(FILES ${made}/completion-fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
    RENAME stagecraft-cli.fish COMPONENT cli)

include(CPack)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/CPackWorkerConfig.cmake @ONLY CONTENT [[
include("@PROJECT_BINARY_DIR@/CPackConfig.cmake")
set(CPACK_GENERATOR TGZ) # what every machine unpacks
set(CPACK_INSTALL_CMAKE_PROJECTS "@PROJECT_BINARY_DIR@;stagecraft;worker;/")
set(CPACK_PACKAGE_NAME stagecraft-worker)
set(CPACK_PACKAGE_FILE_NAME stagecraft-worker-@PROJECT_VERSION@-@CMAKE_SYSTEM_PROCESSOR@)
]])
