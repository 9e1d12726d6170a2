# Install rules.
include(GNUInstallDirs)
