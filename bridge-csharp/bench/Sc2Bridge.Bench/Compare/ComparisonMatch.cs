using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Streaming;
using static System.FormattableString;

namespace Sc2Bridge.Bench;

/// <summary>
/// What a comparison is over: a recording, the match of a game that runs, or a simulated one. Every measurement receives it from
/// a recording, so that all receive the same.
/// </summary>
/// <param name="Received">The recording.</param>
/// <param name="Description">What it is, as a reader of the results is told it.</param>
/// <param name="Game">What the game took for an observation, in µs; null where that is not known.</param>
internal sealed record ComparisonMatch(PlayedMatch Received, string Description, Distribution? Game)
{
    /// <summary>Finds what is wrong with what was asked for, before time is spent.</summary>
    /// <exception cref="CommandException">It contradicts itself.</exception>
    internal static async Task CheckAsync(CompareOptions options)
    {
        if (options is { Recording: not null, Attach: not null })
        {
            throw new CommandException("--recording and --attach each name what is received: leave one out");
        }

        if (options is { Map: not null } and ({ Recording: not null } or { Attach: not null }))
        {
            throw new CommandException("--map is of a simulated match: leave it out with --recording and --attach");
        }

        if (options.Recording is { } recording)
        {
            await RecordedSource.Open(recording, new PlaybackOptions { From = options.From }).DisposeAsync();
        }
        else if (options.From is not null)
        {
            throw new CommandException("--from is of a recording: name one with --recording, or leave it out");
        }

        if (options.Attach is { } game)
        {
            GameAddress.Parse(game);
        }
    }

    /// <summary>Has it: a match that is not recorded yet is recorded into the folder.</summary>
    /// <param name="options">What was asked for.</param>
    /// <param name="folder">Where it is kept.</param>
    /// <param name="steps">How many steps are needed.</param>
    /// <param name="say">Told what takes time.</param>
    /// <param name="ct">Gives up.</param>
    internal static async Task<ComparisonMatch> HaveAsync(
        CompareOptions options, ComparisonFolder folder, int steps, Action<string> say, CancellationToken ct)
    {
        if (options.Recording is { } recording)
        {
            return new ComparisonMatch(
                new PlayedMatch(Path.GetFullPath(recording), options.From), Describe(recording, options.From), null);
        }

        folder.ForgetOld();
        var received = new PlayedMatch(folder.Received, null);
        if (options.Attach is { } game)
        {
            var address = GameAddress.Parse(game);
            if (!File.Exists(folder.Received))
            {
                say(Invariant($"following the match of the game at {address} for {steps:N0} steps"));
                await LiveSlice.RecordAsync(folder.Received, address, steps, ct);
            }

            var live = LiveSlice.Read(folder.Received, address);
            return new ComparisonMatch(received, live.Match, live.Game);
        }

        var map = options.Map ?? MatchSteps.Map;
        if (!File.Exists(folder.Received))
        {
            say("playing the simulated match to its late steps");
            await LateSlice.RecordAsync(folder.Received, map, steps, ct);
        }

        return new ComparisonMatch(received, LateSlice.Describe(map, steps), null);
    }

    private static string Describe(string recording, uint? from)
    {
        var file = new FileInfo(recording);
        var begin = from is { } loop ? $"game loop {loop}" : "its first step";
        return Invariant($"{file.Name} ({file.Length:N0} bytes), from {begin} on");
    }
}
