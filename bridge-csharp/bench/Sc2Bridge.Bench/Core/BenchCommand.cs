using System.CommandLine;

namespace Sc2Bridge.Bench;

/// <summary>What the benchmarks' commands have in common: a report that is printed, and kept as JSON.</summary>
internal static class BenchCommand
{
    public static Command Create<T>(
        string name,
        string description,
        IEnumerable<Option> options,
        Func<ParseResult, CancellationToken, Task<T>> measure,
        Action<Output, T> print,
        Func<T, bool>? isGood = null)
    {
        var json = OptionKinds.Text("--json", null, "FILE", "write the results there too");
        var command = new Command(name, description) { json };
        foreach (var option in options)
        {
            command.Add(option);
        }

        command.SetAction((parsed, ct) => Failures.ReportAsync(async () =>
        {
            using var file = ResultFile.Open(parsed.GetValue(json));
            var report = await measure(parsed, ct);
            print(new Output(Consoles.Make()), report);
            file?.Write(JsonReport.Text(report));
            return isGood?.Invoke(report) != false ? 0 : 1;
        }));
        return command;
    }

    /// <summary>A hidden command, which this program starts itself.</summary>
    public static Command Worker(string name, IEnumerable<Option> options, Func<ParseResult, CancellationToken, Task> run)
    {
        var command = new Command(name, "A part of a benchmark (it starts this itself).") { Hidden = true };
        foreach (var option in options)
        {
            command.Add(option);
        }

        command.SetAction((parsed, ct) => Failures.ReportAsync(async () =>
        {
            await run(parsed, ct);
            return 0;
        }));
        return command;
    }

    public static Option<T> Number<T>(string name, string description, T usual) => new(name)
    {
        Description = $"{description} (default: {usual})",
        DefaultValueFactory = _ => usual,
    };

    public static Option<string?> Python() => new("--python")
    {
        HelpName = "PATH",
        Description = "the agents' Python interpreter (default: the one that was set up)",
    };
}
