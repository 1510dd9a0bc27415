using System.CommandLine;

namespace Sc2Bridge.Cli;

/// <summary>The program's commands.</summary>
internal static class Commands
{
    internal static RootCommand Create() => new("sc2bridge: StarCraft II observations, streamed to agents as they are made.")
    {
        MatchCommand.Create(),
        LadderCommand.Create(),
        ReplayCommand.Create(),
        RecordCommand.Create(),
        WorkCommand.Create(),
        RelayCommand.Create(),
        SimulateCommand.Create(),
        RunCommand.Create(),
        InspectCommand.Create(),
        ExportCommand.Create(),
        DoctorCommand.Create(),
        InitCommand.Create(),
        CompletionCommand.Create(),
        BenchCommands.Create("codec", "Measures the codecs and compressions over a match (in a clone only)."),
        BenchCommands.Create("compare", "Compares the transports, side by side, from the game to the agent (in a clone only)."),
        BenchCommands.Create("bench", "Benchmarks of the bridge itself: delivery, fan-out, allocations, recording … (in a clone only)"),
    };
}
