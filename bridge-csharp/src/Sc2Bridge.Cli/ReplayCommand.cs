using System.CommandLine;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Streaming;
using static Sc2Bridge.Terminal.OptionKinds;

namespace Sc2Bridge.Cli;

/// <summary>
/// <c>sc2bridge replay</c>: a recording, streamed as its match was; or a replay of the game, which the game plays.
/// </summary>
internal static class ReplayCommand
{
    internal static DocumentedCommand Create()
    {
        var file = new Argument<string>("FILE")
        {
            Description = "a recording (.mcap), which is played as it was, or a replay (.SC2Replay), which the game plays",
        };
        var rate = Text(
            "--rate", "max", "max|16|22.4|HZ|realtime",
            "steps a second at the start; `realtime` lets the game's own clock run a replay");
        var from = GameLoop("--from", "the first game loop (default: the file's)");
        var to = GameLoop("--to", "the last game loop (default: the file's)");
        var repeats = Flag("--loop", "play a recording again at its end, until it is stopped");
        var held = Flag("--paused", "pause after the first step, until a key or an agent lets it go on");
        var inGame = new GameReplayOptionSet();
        var session = new SessionOptionSet(
            "replay",
            opening: "open the live page in a browser, and wait for it; then the usual rate is 22.4, a recording is repeated, and only "
                + "agents of `--agent` are started");
        var command = new DocumentedCommand("replay", "Plays a recording or a replay and streams it to agents as its match was.")
        {
            Examples =
            [
                ("look through a recording on the live page", "replay match.mcap --open"),
                ("test a bot offline, on the observations of a recorded match", "replay match.mcap --agent my_bot:MyBot"),
            ],
            Common = [rate, from, to, repeats, held, .. session.Common],
        };
        command.Add(file);
        command.Add([new("pace", rate, from, to, repeats, held), .. session.Groups, .. inGame.Groups]);

        command.SetAction((parsed, cancellation) => Failures.ReportAsync(() =>
        {
            var path = parsed.GetValue(file)!;
            var shared = session.Read(parsed);
            var opens = shared.OpensPage;
            if (opens)
            {
                shared = shared with
                {
                    Agents = session.NamesAgents(parsed) ? shared.Agents : [],
                    WaitFor = Math.Max(1, shared.WaitFor),
                };
            }

            var options = new PlaybackOptions
            {
                Rate = StepRate.Parse(
                    opens && !OptionSet.IsGiven(parsed, rate) ? "22.4" : parsed.GetValue(rate)!),
                From = parsed.GetValue(from),
                To = parsed.GetValue(to),
                Repeats = parsed.GetValue(repeats) || (opens && !Replay.IsNamedSo(path)),
                IsHeld = parsed.GetValue(held),
            };
            return Replay.IsNamedSo(path)
                ? PlayReplayAsync(path, options, inGame, parsed, shared, cancellation)
                : PlayRecordingAsync(path, options, OptionSet.FirstGiven(parsed, inGame.All), shared, cancellation);
        }));
        return command;
    }

    private static async Task<int> PlayRecordingAsync(
        string path, PlaybackOptions options, Option? wrong, SessionOptions session, CancellationToken cancellation)
    {
        if (wrong is not null)
        {
            throw new CommandException(
                $"{wrong.Name} is for a replay, which the game plays (.SC2Replay): {path} is played as it was "
                + "recorded");
        }

        // Before anything is written or listened on.
        await using var source = RecordedSource.Open(path, options);
        return await new StreamingSession(session).RunAsync(
            [say => Streamed(source, options, path, say)], cancellation);
    }

    private static async Task<int> PlayReplayAsync(
        string path, PlaybackOptions options, GameReplayOptionSet inGame, ParseResult parsed, SessionOptions session,
        CancellationToken cancellation)
    {
        if (options.Repeats)
        {
            throw new CommandException(
                $"--loop: the game plays a replay once. Record it first (sc2bridge record {path}), and replay the "
                + "recording");
        }

        var settings = inGame.Read(parsed, options);
        settings.Validate();
        var replay = Replay.Read(path);
        var chosen = inGame.Game(parsed);
        return await new StreamingSession(
            session with { RecordingFile = inGame.RecordingFile(parsed, session.OutputFolder) }).RunAsync(
            [say => Streamed(replay, settings, GameChooser.Choose(chosen, replay, say), say)], cancellation);
    }

    private static StreamedMatch Streamed(Replay replay, ReplaySettings settings, ChosenGame chosen, Action<string> say)
    {
        say($"Replay: {replay.Path}");
        var source = new ReplaySource(replay, settings, chosen.ForReplays());
        return new StreamedMatch
        {
            Source = source,
            Rate = settings.Rate,
            Advice = "What was played until there is logged in",
        };
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
            Advice = "What was played until there is logged in",
            IsFailure = end => end.Aborted && !(source.IsWhole && end.Equals(source.RecordedEnd)),
        };
    }
}
