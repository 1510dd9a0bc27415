using System.CommandLine;

namespace Sc2Bridge.Bench;

/// <summary>What the benchmarks' commands have in common: a report that is printed, and kept as JSON.</summary>
internal static class BenchCommand
{
    /// <summary>A command that measures.</summary>
    /// <typeparam name="T">Its report.</typeparam>
    /// <param name="name">As it is written.</param>
    /// <param name="description">For <c>--help</c>.</param>
    /// <param name="options">Its own options; <c>--json</c> is every command's.</param>
    /// <param name="measure">Measures.</param>
    /// <param name="print">Prints the report.</param>
    /// <param name="isGood">Whether what was wanted was reached; null where nothing is.</param>
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

    /// <summary>A number.</summary>
    public static Option<T> Number<T>(string name, string description, T usual) => new(name)
    {
        Description = $"{description} (default: {usual})",
        DefaultValueFactory = _ => usual,
    };

    /// <summary>What is sent.</summary>
    public static Option<string?> Frames() => new("--frames")
    {
        HelpName = "DIR",
        Description = "serialized ResponseObservations (*.pb) to send in rotation; else late steps of a simulated match",
    };

    /// <summary>The interpreter of the agents.</summary>
    public static Option<string?> Python() => new("--python")
    {
        HelpName = "PATH",
        Description = "the agents' Python interpreter (default: the one that was set up)",
    };
}
