using System.CommandLine;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Streaming;
using static Sc2Bridge.Terminal.OptionKinds;

namespace Sc2Bridge.Cli;

/// <summary>
/// <c>sc2bridge replay</c>: streams a recording or a replay. The bridge plays a recording itself; the game plays a replay.
/// </summary>
internal static class ReplayCommand
{
    internal static DocumentedCommand Create()
    {
        var file = new Argument<string>("FILE")
        {
            Description = "a recording (.mcap), which is played as it was recorded, or a replay (.SC2Replay), which the game plays",
        };
        var rate = Text(
            "--rate", "max", "max|16|22.4|HZ|realtime",
            "steps a second at the start; with `realtime`, a replay runs on the game's own clock");
        var from = GameLoop("--from", "the first game loop (default: the first in the file)");
        var to = GameLoop("--to", "the last game loop (default: the last in the file)");
        var repeats = Flag("--loop", "start a recording again when it ends, until the command is stopped");
        var paused = Flag("--paused", "pause after the first step, until a key or an agent resumes the playback");
        var replayOptions = new GameReplayOptionSet();
        var session = new SessionOptionSet(
            "replay",
            openDescription: "open the live page in a browser, and wait for it; then the default rate is 22.4, a recording is repeated, and only "
                + "agents of `--agent` are started");
        var command = new DocumentedCommand("replay", "Plays a recording or a replay, and streams it to agents like a match.")
        {
            Examples =
            [
                ("look through a recording on the live page", "replay match.mcap --open"),
                ("test a bot offline, on the observations of a recorded match", "replay match.mcap --agent my_bot:MyBot"),
            ],
            CommonOptions = [rate, from, to, repeats, paused, .. session.CommonOptions],
        };
        command.Add(file);
        command.Add([new("pace", rate, from, to, repeats, paused), .. session.Groups, .. replayOptions.Groups]);

        command.SetAction((parsed, cancellation) =>
        {
            var path = parsed.GetValue(file)!;
            var sessionOptions = session.Read(parsed);
            var opensPage = sessionOptions.OpensPage;
            if (opensPage)
            {
                sessionOptions = sessionOptions with
                {
                    Agents = session.NamesAgents(parsed) ? sessionOptions.Agents : [],
                    WaitFor = Math.Max(1, sessionOptions.WaitFor),
                };
            }

            var options = new PlaybackOptions
            {
                Rate = StepRate.Parse(
                    opensPage && !OptionSet.IsGiven(parsed, rate) ? "22.4" : parsed.GetValue(rate)!),
                From = parsed.GetValue(from),
                To = parsed.GetValue(to),
                Repeats = parsed.GetValue(repeats) || (opensPage && !Replay.HasReplayExtension(path)),
                IsPaused = parsed.GetValue(paused),
            };
            return Replay.HasReplayExtension(path)
                ? PlayReplayAsync(path, options, replayOptions, parsed, sessionOptions, cancellation)
                : PlayRecordingAsync(path, options, OptionSet.FirstGiven(parsed, replayOptions.AllOptions), sessionOptions, cancellation);
        });
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

        // The recording is checked before files are written and servers listen.
        await using var source = RecordedSource.Open(path, options);
        return await new StreamingSession(session).RunAsync(
            [print => CreateMatch(source, options, path, print)], cancellation);
    }

    private static async Task<int> PlayReplayAsync(
        string path, PlaybackOptions options, GameReplayOptionSet replayOptions, ParseResult parsed, SessionOptions session,
        CancellationToken cancellation)
    {
        if (options.Repeats)
        {
            throw new CommandException(
                $"--loop: the game plays a replay once. Record it first (sc2bridge record {path}), and replay the "
                + "recording");
        }

        var settings = replayOptions.Read(parsed, options);
        settings.Validate();
        var replay = Replay.Read(path);
        var chosen = replayOptions.ReadGame(parsed);
        return await new StreamingSession(
            session with { RecordingFile = replayOptions.ReadRecordingFile(parsed, session.OutputFolder) }).RunAsync(
            [print => CreateMatch(replay, settings, GameChooser.Choose(chosen, replay, print), print)], cancellation);
    }

    private static StreamedMatch CreateMatch(Replay replay, ReplaySettings settings, ChosenGame chosen, Action<string> print)
    {
        print($"Replay: {replay.Path}");
        var source = new ReplaySource(replay, settings, chosen.CreateReplayGame());
        return new StreamedMatch
        {
            Source = source,
            Rate = settings.Rate,
            Advice = "The logs up to that point are in",
        };
    }

    private static StreamedMatch CreateMatch(
        RecordedSource source, PlaybackOptions options, string path, Action<string> print)
    {
        var state = source.Control(new V1.ControlRequest());
        print($"Recording: {path}, game loops {state.FirstGameLoop} to {state.LastGameLoop}"
            + (source.IsComplete ? "" : "; it ends before its match does"));
        return new StreamedMatch
        {
            Source = source,
            Rate = options.Rate,
            Advice = "The logs up to that point are in",
            IsFailure = end => end.Aborted && !(source.IsComplete && end.Equals(source.RecordedEnd)),
        };
    }
}
