using System.CommandLine;
using static Sc2Bridge.Terminal.OptionKinds;

namespace Sc2Bridge.Bench;

/// <summary>The options of <c>sc2bridge compare</c>.</summary>
internal static class CompareCommand
{
    internal static Command Create()
    {
        var quick = Flag("--quick", "the modes at 16 and 22.4 steps a second, within a minute");
        var recording = Text(
            "--recording", null, "FILE", "compare over this recording (.mcap); else over a simulated match");
        var attach = Text(
            "--attach", null, "HOST:PORT", "compare over the match of a game that runs already, from where it is");
        var from = GameLoop("--from", "the game loop of the recording to begin at (default: the first)");
        var map = Text(
            "--map", null, "NAME",
            "the simulated match's map (default: Cinder Fortress LE; Four Winds LE has the largest observations)");
        var only = new Option<string[]>("--only")
        {
            HelpName = "WORD",
            Description = "only tables and measurements whose name has this word; once for each",
        };
        var rounds = Number("--rounds", 0, "N", "rounds of each measurement, 0 for the usual number", 0, 1_000);
        var seconds = Seconds("--seconds", null, "how long each measurement is received in a round");
        var json = Text("--json", null, "FILE", "write the results there too, every round of every measurement");
        var csv = Text("--csv", null, "FILE", "write a row for each measurement there");
        var html = Text(
            "--html", null, "FILE", "write the report there: one page with its pictures, which needs no network");
        var picture = Text("--picture", null, "FILE.png", "draw the results there (needs matplotlib)");
        var folder = Text(
            "--out", null, "DIR",
            "keep each run there as it is made: the same command goes on where a stopped one was");
        var background = Flag("--background", "run it in the background, with --out DIR: it returns at once");
        var status = Flag("--status", "how far the comparison in --out DIR is");
        var detached = new Option<bool>(CompareBackground.Option) { Hidden = true };
        var pythons = new Option<string[]>("--python")
        {
            HelpName = "PATH",
            Description = "a Python interpreter with the sc2bridge package; once for each (default: the one that was "
                + "set up); the first is the baseline's",
        };
        var command = new Command("compare", "Compares the transports, side by side, from the game to the agent.")
        {
            quick, recording, attach, from, map, only, rounds, seconds, json, csv, html, picture, folder, background,
            status, detached, pythons, Send(), Receive(),
        };
        command.SetAction((parsed, cancellation) => Failures.ReportAsync(() =>
        {
            string Folder(Option option) => parsed.GetValue(folder) ?? throw new CommandException(
                $"{option.Name} needs --out DIR, where the comparison keeps what it makes");
            return parsed.GetValue(status) ? Task.FromResult(ComparisonState.Print(Folder(status)))
                : parsed.GetValue(background) ? CompareBackground.StartAsync(
                    Folder(background),
                    Environment.GetCommandLineArgs().Skip(1).Where(word => word != background.Name),
                    cancellation)
                : new CompareSession(Options(parsed)).RunAsync(cancellation);
        }));
        return command;

        CompareOptions Options(ParseResult parsed) => new()
        {
            Quick = parsed.GetValue(quick),
            Recording = parsed.GetValue(recording),
            Attach = parsed.GetValue(attach),
            From = parsed.GetValue(from),
            Map = parsed.GetValue(map),
            Only = parsed.GetValue(only) ?? [],
            Rounds = (int)parsed.GetValue(rounds),
            Seconds = parsed.GetValue(seconds)?.TotalSeconds,
            JsonFile = parsed.GetValue(json),
            CsvFile = parsed.GetValue(csv),
            HtmlFile = parsed.GetValue(html),
            PictureFile = parsed.GetValue(picture),
            Folder = parsed.GetValue(folder),
            IsDetached = parsed.GetValue(detached),
            Pythons = parsed.GetValue(pythons) is { Length: > 0 } named ? named : [PythonInterpreter.Find(null)],
        };
    }

    // What the command itself starts: each takes orders from its standard input.
    private static Command Send()
    {
        var sender = new Option<Sender>("--sender");
        var host = new Option<string>("--host") { Required = true };
        var socket = new Option<string>("--socket") { Required = true };
        var command = new Command("send", "Sends measurements, as the comparison orders (it starts this itself).")
        {
            sender, host, socket,
        };
        command.Hidden = true;
        command.SetAction((parsed, cancellation) => Failures.ReportAsync(async () =>
        {
            await SendingProcess.RunAsync(
                parsed.GetValue(sender), parsed.GetValue(host)!, parsed.GetValue(socket)!, cancellation);
            return 0;
        }));
        return command;
    }

    private static Command Receive()
    {
        var command = new Command("receive", "Hears measurements, as the comparison orders (it starts this itself).");
        command.Hidden = true;
        command.SetAction((_, cancellation) => Failures.ReportAsync(async () =>
        {
            await ReceivingProcess.RunAsync(cancellation);
            return 0;
        }));
        return command;
    }
}

/// <summary>What <c>sc2bridge compare</c> was asked for.</summary>
internal sealed record CompareOptions
{
    /// <summary>Within a minute.</summary>
    internal bool Quick { get; init; }

    /// <summary>What is received; null for a simulated match.</summary>
    internal string? Recording { get; init; }

    /// <summary>The running game whose match is received; null for none.</summary>
    internal string? Attach { get; init; }

    /// <summary>From which game loop of it.</summary>
    internal uint? From { get; init; }

    /// <summary>The simulated match's map; null for the usual one.</summary>
    internal string? Map { get; init; }

    /// <summary>Words of what is wanted; none for all.</summary>
    internal IReadOnlyList<string> Only { get; init; } = [];

    /// <summary>Rounds; 0 for the plan's own.</summary>
    internal int Rounds { get; init; }

    /// <summary>Seconds of a measurement; null for the plan's own.</summary>
    internal double? Seconds { get; init; }

    /// <summary>Where the results go as JSON; null for nowhere.</summary>
    internal string? JsonFile { get; init; }

    /// <summary>Where they go as CSV; null for nowhere.</summary>
    internal string? CsvFile { get; init; }

    /// <summary>Where the report goes; null for nowhere.</summary>
    internal string? HtmlFile { get; init; }

    /// <summary>Where the picture goes; null for nowhere.</summary>
    internal string? PictureFile { get; init; }

    /// <summary>Where runs are kept; null for nowhere.</summary>
    internal string? Folder { get; init; }

    /// <summary>Whether it leaves who started it, once it has checked all this.</summary>
    internal bool IsDetached { get; init; }

    /// <summary>Python interpreters, at least one.</summary>
    internal required IReadOnlyList<string> Pythons { get; init; }
}
