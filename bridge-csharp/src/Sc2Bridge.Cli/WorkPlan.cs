using System.Globalization;
using Sc2Bridge.Broker.Work;
using Sc2Bridge.Games;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1Alpha1;

namespace Sc2Bridge.Cli;

/// <summary>Makes the jobs that a command line requests.</summary>
internal static class WorkPlan
{
    /// <summary>Makes one job for each perspective of each replay. The default perspectives are players 1 and 2, if they played.</summary>
    /// <exception cref="CommandException">A file or a replay was not found.</exception>
    internal static IReadOnlyList<Job> CreateReplayJobs(IReadOnlyList<string> paths, IReadOnlyList<uint> observe, uint stepSize) =>
    [
        .. RecordPlan.Make(paths, observe, "").Select(pass => Jobs.WithId(
            new Job
            {
                Record = new RecordJob
                {
                    Replay = pass.Replay, Observe = pass.Observe, StepSize = stepSize, IfPlayed = !pass.IsRequested && pass.Observe > 1,
                },
            },
            string.Create(CultureInfo.InvariantCulture, $"{Path.GetFileNameWithoutExtension(pass.Replay)}-{pass.Observe}"))),
    ];

    /// <summary>Makes jobs for matches, each with the next seed and the next map.</summary>
    /// <exception cref="GameException">A player is invalid.</exception>
    internal static IReadOnlyList<Job> CreateMatchJobs(
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
                return Jobs.WithId(
                    new Job { Match = match },
                    string.Create(CultureInfo.InvariantCulture, $"{Path.GetFileNameWithoutExtension(map)}-{match.Seed}"));
            }),
        ];
    }
}
