#pragma once

// One function per command: adds it to the program, with its options and help.

namespace CLI {
class App;
}

namespace stagecraft {

struct CommandLine;

void addModelsCommand(CLI::App &app, CommandLine &line);
void addDevicesCommand(CLI::App &app, CommandLine &line);
void addFitCommand(CLI::App &devices, CommandLine &line); // below devices
void addInfoCommand(CLI::App &app, CommandLine &line);
void addOptimizeCommand(CLI::App &app, CommandLine &line);
void addKitCommand(CLI::App &app, CommandLine &line);
void addEditCommand(CLI::App &app, CommandLine &line);
void addMeasureCommand(CLI::App &app, CommandLine &line);
void addCompareCommand(CLI::App &app, CommandLine &line);
void addSweepCommand(CLI::App &app, CommandLine &line);
void addReproduceCommand(CLI::App &app, CommandLine &line);
void addSpecializeCommand(CLI::App &app, CommandLine &line);
void addCoRunCommand(CLI::App &app, CommandLine &line);
void addExportCommand(CLI::App &app, CommandLine &line);
void addConvertCommand(CLI::App &app, CommandLine &line);
void addRunCommand(CLI::App &app, CommandLine &line);
void addLayoutCommand(CLI::App &app, CommandLine &line);
void addMemoryCommand(CLI::App &app, CommandLine &line);
void addTuneCommand(CLI::App &app, CommandLine &line);
void addLatenciesCommand(CLI::App &app, CommandLine &line);
void addTimelineCommand(CLI::App &app, CommandLine &line);
void addProfileCommand(CLI::App &app, CommandLine &line);
void addVerifyCommand(CLI::App &app, CommandLine &line);
void addCompletionCommand(CLI::App &app, CommandLine &line);
void addManCommand(CLI::App &app, CommandLine &line);
void addHelpCommand(CLI::App &app, CommandLine &line);

} // namespace stagecraft
