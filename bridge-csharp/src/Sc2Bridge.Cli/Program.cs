using System.CommandLine;
using System.CommandLine.Invocation;
using System.CommandLine.Parsing;
using System.Text;
using Sc2Bridge.Admission;
using Sc2Bridge.Cli;
using Sc2Bridge.Streaming;
using Sc2Bridge.Terminal;

// Windows needs UTF-8 too: its console code page lacks some printed characters, and programs that read the output expect UTF-8.
if (OperatingSystem.IsWindows())
{
    Console.OutputEncoding = Encoding.UTF8;
}

TerminalWriter.Install();

// If the limit of open files is too low, any part of the program could fail later.
if (new AdmissionLimits().Problem is { } tooFewFiles)
{
    await Console.Error.WriteLineAsync($"sc2bridge: {tooFewFiles}");
    return 1;
}

// The simulated game has the same single-dash arguments as the real game.
string[] own = [.. args.SkipWhile(Printing.IsOption)];
if (own is ["simulate", ..] && !own.Any(word => word is "--help" or "--help-all" or "-h" or "-?"))
{
    var words = Printing.RemoveOptions(args)[1..];
    return await SignalHandler.RunStoppableAsync(stopped => SimulateCommand.RunAsync(words, stopped));
}

// For the command "run", Python reads all arguments, including --help.
if (own is ["help", "run", ..])
{
    own = ["run", "--help"];
}

if (own is ["run", .. var rest])
{
    if (Printing.IsOption(args[0]))
    {
        await Console.Error.WriteLineAsync($"sc2bridge: run does not take {args[0]}: leave it out");
        return Failures.UsageError;
    }

    return await Failures.RunAndReportAsync(() => RunCommand.RunAsync(rest));
}

var root = Commands.Create();
var configured = new ConfigurationOptions(root);
ProgramHelp.AddTo(root);
_ = new Completions(root, configured);
var configuration = new InvocationConfiguration
{
    EnableDefaultExceptionHandler = false,
    // The signal handler of System.CommandLine fails on a second signal, so it is turned off.
    ProcessTerminationTimeout = null,
};
if (args.Length == 0)
{
    ProgramHelp.PrintCommandsAsError(root);
    return Failures.UsageError;
}

var parsed = root.Parse(args);
Printing.ApplyOptions(parsed);
var wrong = await Failures.PrintUsageErrorAsync(parsed) ?? await Failures.RunAndReportAsync(() =>
{
    parsed = configured.Apply(parsed, args);
    Failures.AddLocation = message => ConfigurationOptions.AddLocation(Failures.PrefixOption(message, parsed));
    return Task.FromResult(0);
});
if (wrong != 0)
{
    return wrong;
}

if (parsed.GetResult("--rate") is OptionResult { Tokens: [var rate] })
{
    // The spinning of idle threads must be turned off before the command runs on a thread of the pool.
    IdleThreads.DisableSpinningIfUsefulAt(rate.Value);
}

return await Failures.PrintUsageErrorAsync(parsed, isTyped: false)
    ?? await SignalHandler.RunStoppableAsync(stopped => Failures.RunAndReportAsync(() => parsed.InvokeAsync(configuration, stopped)));
