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
var parsed = root.Parse(args);
if (args.Length > 0)
{
    var wrong = await Failures.RefuseAsync(parsed) ?? await Failures.ReportAsync(() =>
    {
        parsed = configured.Apply(parsed, args);
        Failures.Locate = ConfigurationOptions.Locate;
        return Task.FromResult(0);
    });
    if (wrong != 0)
    {
        return wrong;
    }
}

if (parsed.GetResult("--rate") is OptionResult { Tokens: [var rate] })
{
    // Here, as commands run on a thread of the pool.
    IdleThreads.SleepAt(rate.Value);
}

return (args.Length > 0 ? await Failures.RefuseAsync(parsed, isTyped: false) : null)
    ?? await SignalHandler.StopsAsync(stopped => parsed.InvokeAsync(configuration, stopped));
