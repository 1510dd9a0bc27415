using System.Globalization;
using Sc2Bridge.Broker.Work;
using Sc2Bridge.Games;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1Alpha1;

namespace Sc2Bridge.Cli;

/// <summary>The jobs that a command line asks for.</summary>
internal static class WorkPlan
{
    /// <summary>Every perspective of every replay; where none is named those of players 1 and 2, as far as they played.</summary>
    /// <exception cref="CommandException">There is no such file, or no replay.</exception>
    internal static IReadOnlyList<Job> Replays(IReadOnlyList<string> paths, IReadOnlyList<uint> observe, uint stepSize) =>
    [
        .. RecordPlan.Make(paths, observe, "").Select(pass => Jobs.Named(
            new Job
            {
                Record = new RecordJob
                {
                    Replay = pass.Replay, Observe = pass.Observe, StepSize = stepSize, IfPlayed = !pass.IsAskedFor && pass.Observe > 1,
                },
            },
            string.Create(CultureInfo.InvariantCulture, $"{Path.GetFileNameWithoutExtension(pass.Replay)}-{pass.Observe}"))),
    ];

    /// <summary>Matches, each with the next seed and the next of the maps.</summary>
    /// <exception cref="GameException">A player is none.</exception>
    internal static IReadOnlyList<Job> Matches(
        IReadOnlyList<string> maps, IReadOnlyList<string> players, int games, uint seed, uint steps, uint stepSize)
    {
        var settings = new MatchSettings();
        if (players.Count > 0)
        {
            settings = settings with { Players = [.. players.Select(PlayerSpec.Parse)] };
        }

        settings.Validate();
        return
        [
            .. Enumerable.Range(0, games).Select(game =>
            {
                var map = maps.Count > 0 ? maps[game % maps.Count] : settings.Map;
                var match = new MatchJob { Map = map, Seed = seed + (uint)game, Steps = steps, StepSize = stepSize };
                match.Players.AddRange(settings.Players.Select(player => player.ToString()));
                return Jobs.Named(
                    new Job { Match = match },
                    string.Create(CultureInfo.InvariantCulture, $"{Path.GetFileNameWithoutExtension(map)}-{match.Seed}"));
            }),
        ];
    }
}
