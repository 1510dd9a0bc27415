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
string[] own = [.. args.SkipWhile(Printing.IsOption)];
if (own is ["simulate", ..] && !own.Any(word => word is "--help" or "--help-all" or "-h" or "-?"))
{
    var words = Printing.Take(args)[1..];
    return await SignalHandler.StopsAsync(stopped => SimulateCommand.RunAsync(words, stopped));
}

// Python reads the arguments, also --help.
if (own is ["run", .. var rest])
{
    return await Failures.ReportAsync(() => RunCommand.RunAsync(rest));
}

var root = Commands.Create();
var configured = new ConfigurationOptions(root);
ProgramHelp.AddTo(root);
_ = new Completions(root, configured);
var configuration = new InvocationConfiguration
{
    EnableDefaultExceptionHandler = false,
    // The library's own way fails upon a second signal.
    ProcessTerminationTimeout = null,
};
if (args.Length == 0)
{
    ProgramHelp.ShowAsError(root);
    return Failures.Misused;
}

var parsed = root.Parse(args);
Printing.Read(parsed);
var wrong = await Failures.RefuseAsync(parsed) ?? await Failures.ReportAsync(() =>
{
    parsed = configured.Apply(parsed, args);
    Failures.Locate = message => ConfigurationOptions.Locate(Failures.NameOption(message, parsed));
    return Task.FromResult(0);
});
if (wrong != 0)
{
    return wrong;
}

if (parsed.GetResult("--rate") is OptionResult { Tokens: [var rate] })
{
    // Here, as commands run on a thread of the pool.
    IdleThreads.SleepAt(rate.Value);
}

return await Failures.RefuseAsync(parsed, isTyped: false)
    ?? await SignalHandler.StopsAsync(stopped => parsed.InvokeAsync(configuration, stopped));
