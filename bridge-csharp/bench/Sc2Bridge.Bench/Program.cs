using System.CommandLine;
using System.CommandLine.Invocation;
using Sc2Bridge.Bench;
using Sc2Bridge.Streaming;

TerminalWriter.Install();

// As the launchers pass it: `sc2bridge bench delivery`.
if (args is ["bench", .. var rest])
{
    args = rest;
}

// The game with the benchmark's frames is started as the real one is, with single-dash arguments of its own.
if (args is [FrameGame.Name, ..])
{
    return await FrameGame.RunAsync(args[1..], CancellationToken.None);
}

var root = new RootCommand("sc2bridge-bench: what the bridge costs, and how its ways compare.")
{
    CodecCommand.Create(),
    CompareCommand.Create(),
    DeliveryCommand.Create(),
    FanOutCommand.Create(),
    AllocationsCommand.Create(),
    ActingCommand.Create(),
    SimulatorCommand.Create(),
    RecordCommand.Create(),
    ReadCommand.Create(),
    BrokerCommand.Create(),
};
// The launcher knows two of its commands as its own.
HelpText.ProgramName = args is ["codec" or "compare", ..] ? "sc2bridge" : "sc2bridge bench";
ProgramHelp.AddTo(root);
var configuration = new InvocationConfiguration
{
    EnableDefaultExceptionHandler = false,
    ProcessTerminationTimeout = null,
};
var parsed = root.Parse(args);
Printing.ApplyOptions(parsed);
if (parsed.GetResult(SendingProcess.Paced) is not null || parsed.CommandResult.Command.Name is FanOutCommand.Name or BrokerCommand.Name)
{
    // As `match` does at this rate. Here, because commands run on a thread of the pool.
    IdleThreads.DisableSpinning();
}

return (args.Length > 0 ? await Failures.PrintUsageErrorAsync(parsed) : null)
    ?? await SignalHandler.RunStoppableAsync(stopped => Failures.RunAndReportAsync(() => parsed.InvokeAsync(configuration, stopped)));
