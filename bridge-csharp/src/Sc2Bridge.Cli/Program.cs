using System.CommandLine;
using System.CommandLine.Invocation;
using System.CommandLine.Parsing;
using System.Text;
using Sc2Bridge.Admission;
using Sc2Bridge.Cli;
using Sc2Bridge.Streaming;
using Sc2Bridge.Terminal;

// As everywhere else: the code page that Windows has for consoles lacks some of what is printed, and who reads it takes it for UTF-8.
if (OperatingSystem.IsWindows())
{
    Console.OutputEncoding = Encoding.UTF8;
}

TerminalWriter.Set();

// Fewer files than the program itself has would fail it anywhere.
if (new AdmissionLimits().Problem is { } tooFewFiles)
{
    await Console.Error.WriteLineAsync($"sc2bridge: {tooFewFiles}");
    return 1;
}

// The simulated game is started as the real one is, with single-dash arguments of its own.
if (args is ["simulate", .. var rest] && !rest.Any(word => word is "--help" or "--help-all" or "-h" or "-?"))
{
    return await SignalHandler.StopsAsync(stopped => SimulateCommand.RunAsync(rest, stopped));
}

// Python reads the arguments, also --help.
if (args is ["run", .. var words])
{
    return await Failures.ReportAsync(() => RunCommand.RunAsync(words));
}

var root = new RootCommand("sc2bridge: StarCraft II observations, streamed to agents as they are made.")
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
    BenchCommands.Create("codec", "Measures the codecs and compressions over a match."),
    BenchCommands.Create("compare", "Compares the transports, side by side, from the game to the agent."),
    BenchCommands.Create("bench", "Benchmarks of the bridge itself: delivery, fan-out, allocations, recording …"),
};
ProgramHelp.AddTo(root);
var configuration = new InvocationConfiguration
{
    EnableDefaultExceptionHandler = false,
    // The library's own way fails upon a second signal.
    ProcessTerminationTimeout = null,
};
var parsed = root.Parse(args);
Printing.Read(parsed);
if (parsed.GetResult("--rate") is OptionResult { Tokens: [var rate] })
{
    // Here, as commands run on a thread of the pool.
    IdleThreads.SleepAt(rate.Value);
}

return (args.Length > 0 ? await Failures.RefuseAsync(parsed) : null)
    ?? await SignalHandler.StopsAsync(stopped => parsed.InvokeAsync(configuration, stopped));
