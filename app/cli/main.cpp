// stagecraft-cli: does everything that the desktop program does, without a display.

#include "cli/run_cli.h"

int main(int argc, char **argv)
{
    return stagecraft::runCli(argc, argv);
}
