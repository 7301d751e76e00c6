# What `cmake --install` installs and `cpack` packs: the command, its manual
# pages and completions (which `./dev package` has the command write),
# examples, licences.
include(GNUInstallDirs)

# The tests are not packed: they need not be built either.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)

set(files ${CMAKE_BINARY_DIR}/package/files)
install(TARGETS tilesim RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${files}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
  OPTIONAL)
foreach(place
    "tilesim.bash;bash-completion/completions;tilesim"
    "tilesim.zsh;zsh/vendor-completions;_tilesim"
    "tilesim.fish;fish/vendor_completions.d;tilesim.fish")
  list(GET place 0 from)
  list(GET place 1 folder)
  list(GET place 2 name)
  install(FILES ${files}/completions/${from}
    DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder} RENAME ${name} OPTIONAL)
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples
  DESTINATION ${CMAKE_INSTALL_DOCDIR}
  FILES_MATCHING PATTERN "*.tile" PATTERN "*.inc" PATTERN "*.md"
  PATTERN "*.yml" PATTERN "*.yaml" PATTERN "*.py" PATTERN "*.sbatch"
  PATTERN "*.svg")
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR})
# Where Debian has them.
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE
  DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
install(FILES ${files}/LICENSES DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)

set(CPACK_PACKAGE_NAME tilesim)
set(CPACK_PACKAGE_CONTACT "tilesim developers <tilesim@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY
  "tile programs for Hopper and Blackwell, run and checked without a GPU")
set(CPACK_PACKAGE_FILE_NAME
  "tilesim-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR}")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= 2.36)")
include(CPack)
