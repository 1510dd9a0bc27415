using System.CommandLine;
using Sc2Bridge.Games;
using Sc2Bridge.Recording.Playback;
using static Sc2Bridge.Cli.OptionKinds;

namespace Sc2Bridge.Cli;

/// <summary><c>sc2bridge replay</c>: a recording, streamed as its match was.</summary>
internal static class ReplayCommand
{
    private const string GameReplay = ".SC2Replay";

    internal static Command Create()
    {
        var file = new Argument<string>("FILE")
        {
            Description = "a recording (.mcap), as `sc2bridge match` leaves them",
        };
        var rate = Text("--rate", "max", "max|16|22.4|HZ", "steps a second to begin with");
        var from = GameLoop("--from", "the game loop to begin at (default: the first)");
        var to = GameLoop("--to", "the last game loop to play (default: the recording's)");
        var repeats = Flag("--loop", "start over at the end, until it is stopped");
        var held = Flag("--paused", "hold it after its first step, until a key or an agent lets it go on");
        var session = new SessionOptionSet("replay");
        var command = new Command("replay", "Plays a recording and streams it to agents as its match was.")
        {
            file, rate, from, to, repeats, held,
        };
        foreach (var option in session)
        {
            command.Add(option);
        }

        command.SetAction((parsed, cancellation) => Failures.ReportAsync(async () =>
        {
            var path = parsed.GetValue(file)!;
            if (path.EndsWith(GameReplay, StringComparison.OrdinalIgnoreCase))
            {
                throw new CommandException(
                    $"{path} is a replay of StarCraft II, which only the game can play: name a recording (.mcap)");
            }

            var shared = session.Read(parsed);
            var options = new PlaybackOptions
            {
                Rate = StepRate.Parse(parsed.GetValue(rate)!),
                From = parsed.GetValue(from),
                To = parsed.GetValue(to),
                Repeats = parsed.GetValue(repeats),
                IsHeld = parsed.GetValue(held),
            };

            // Before anything is written or listened on.
            await using var source = RecordedSource.Open(path, options);
            return await new StreamingSession(shared).RunAsync(
                say => Streamed(source, options, path, say), cancellation);
        }));
        return command;
    }

    private static StreamedMatch Streamed(
        RecordedSource source, PlaybackOptions options, string path, Action<string> say)
    {
        var state = source.Control(new V1.ControlRequest());
        say($"Recording: {path}, game loops {state.FirstGameLoop} to {state.LastGameLoop}"
            + (source.IsWhole ? "" : ", where it ends before its match does"));
        return new StreamedMatch
        {
            Source = source,
            Rate = options.Rate,
            Pace = source,
            Advice = "What was played until there is logged in",
            IsFailure = end => end.Aborted && !(source.IsWhole && end.Equals(source.RecordedEnd)),
        };
    }
}
