using System.CommandLine;

namespace Sc2Bridge.Bench;

/// <summary>What the benchmarks' commands have in common: a report that is printed, and kept as JSON.</summary>
internal static class BenchCommand
{
    public static Command Create<T>(
        string name, string description, IEnumerable<Symbol> parts, Func<ParseResult, CancellationToken, Task<T>> measure,
        Action<Output, T> print, Func<T, bool>? isGood = null)
    {
        var json = OptionKinds.Json("the results");
        var command = new DocumentedCommand(name, description);
        command.Add(new OptionGroup("options", [.. parts.OfType<Option>(), json]));
        With(command, parts.Except(command.Options));
        command.SetAction(async (parsed, ct) =>
        {
            var path = parsed.GetValue(json);
            if (parts.OfType<Option<string?>>().FirstOrDefault(option => option.Name == "--recording") is { } recording)
            {
                ResultFile.CheckDistinct([path], [(parsed.GetValue(recording), "the recording itself")]);
            }

            using var file = ResultFile.Open(path);
            var report = await measure(parsed, ct);
            if (file?.IsStandardOutput != true)
            {
                print(new Output(Consoles.CreateForOutput()), report);
            }

            file?.Write(BenchJson.Report(report));
            return isGood?.Invoke(report) != false ? 0 : 1;
        });
        return command;
    }

    /// <summary>A hidden command, which this program starts itself.</summary>
    public static Command Worker(string name, IEnumerable<Option> options, Func<ParseResult, CancellationToken, Task> run)
    {
        var command = With(new Command(name, "A part of a benchmark (it starts this itself).") { Hidden = true }, options);
        command.SetAction(async (parsed, ct) =>
        {
            await run(parsed, ct);
            return 0;
        });
        return command;
    }

    public static Option<T> Number<T>(string name, string description, T usual) => new(name)
    {
        Description = $"{description} (default: {usual})",
        DefaultValueFactory = _ => usual,
    };

    /// <summary>Any number of interpreters.</summary>
    public static Option<string[]> Pythons(string more = "") => new("--python")
    {
        HelpName = "PATH",
        Description = $"a Python interpreter with the sc2bridge package; once for each (default: the environment that was set up){more}",
    };

    /// <summary>The named interpreters, or the interpreter that was set up.</summary>
    public static IReadOnlyList<string> Named(string[]? pythons) =>
        pythons is { Length: > 0 } ? pythons : [PythonInterpreter.Find(null)];

    private static Command With(Command command, IEnumerable<Symbol> parts)
    {
        parts.OfType<Option>().ToList().ForEach(command.Add);
        parts.OfType<Command>().ToList().ForEach(command.Add);
        return command;
    }
}
