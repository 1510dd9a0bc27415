using System.Globalization;
using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Games;

/// <summary>Compares what two games did in the check.</summary>
/// <param name="build">The game's base build.</param>
internal sealed class GameDifferences(uint build)
{
    // A busy machine delays single observations.
    private const double RealTimeTolerance = 0.15;

    private const int ListedIds = 10;

    /// <summary>Compares the fields of the parts, and the ranges of their numbers.</summary>
    internal IEnumerable<GameDifference> OfFields(IReadOnlyList<(string Part, FieldPresence Game, FieldPresence Simulated)> parts)
    {
        var present = parts.SelectMany(part => FieldPresence.OnlyInOne(part.Game, part.Simulated).Select(field => (field, part)));
        foreach (var same in present.GroupBy(one => one.field, one => one.part))
        {
            yield return new GameDifference(
                "field", same.Key, [.. same.Select(part => part.Part)],
                Times(same.Sum(part => part.Game.Counts.GetValueOrDefault(same.Key))),
                Times(same.Sum(part => part.Simulated.Counts.GetValueOrDefault(same.Key))),
                KnownDifferences.OfField(same.Key, build));
        }

        var apart = parts.SelectMany(part => FieldPresence.WithoutCommonRange(part.Game, part.Simulated).Select(field => (field, part)));
        foreach (var same in apart.Where(one => HasComparableRange(one.field)).GroupBy(one => one.field, one => one.part))
        {
            yield return new GameDifference(
                "range", same.Key, [.. same.Select(part => part.Part)],
                Range(same.First().Game.Ranges[same.Key]), Range(same.First().Simulated.Ranges[same.Key]),
                KnownDifferences.OfField(same.Key, build));
        }
    }

    /// <summary>Compares the types of the simulated game with the types of the game. The game has many more types.</summary>
    internal IEnumerable<GameDifference> OfData(ResponseData game, ResponseData simulated) =>
    [
        .. OfTable("abilities", game.Abilities, simulated.Abilities, type => (type.AbilityId, type.LinkName)),
        .. OfTable("units", game.Units, simulated.Units, type => (type.UnitId, type.Name)),
        .. OfTable("upgrades", game.Upgrades, simulated.Upgrades, type => (type.UpgradeId, type.Name)),
        .. OfTable("buffs", game.Buffs, simulated.Buffs, type => (type.BuffId, type.Name)),
        .. OfTable("effects", game.Effects, simulated.Effects, type => (type.EffectId, type.Name)),
    ];

    /// <summary>Compares the answers to the same requests in the same states.</summary>
    internal static IEnumerable<GameDifference> OfAnswers(IReadOnlyList<ConformanceAnswer> game, IReadOnlyList<ConformanceAnswer> simulated)
    {
        var differing = game.Join(
                simulated, one => (one.Request, one.State), one => (one.Request, one.State), (game, simulated) => (Game: game, Simulated: simulated))
            .Where(one => one.Game.Answer != one.Simulated.Answer);
        return differing.GroupBy(one => (one.Game.Request, Game: one.Game.Answer, Simulated: one.Simulated.Answer))
            .Select(same => new GameDifference(
                "answer", ApiState.NameOf(same.Key.Request), [.. same.Select(one => one.Game.State)], same.Key.Game, same.Key.Simulated,
                Answer: same.First().Game.Response));
    }

    /// <summary>Compares the speed in real time.</summary>
    internal static IEnumerable<GameDifference> OfRealTime(double? game, double? simulated)
    {
        if (game is { } speed && simulated is { } other && Math.Abs(speed - other) > RealTimeTolerance * other)
        {
            yield return new GameDifference("time", "game loops in a second", ["real time"], Number(speed), Number(other));
        }
    }

    // Ids of units and the sizes of maps differ without a difference of the games. The versions are in the report.
    private static bool HasComparableRange(string field) =>
        !field.Contains("tag", StringComparison.Ordinal) && !field.Contains(".size.", StringComparison.Ordinal)
        && !field.StartsWith("ping.", StringComparison.Ordinal)
        && (!field.StartsWith("game_info.", StringComparison.Ordinal) || field.EndsWith(".bits_per_pixel", StringComparison.Ordinal));

    private IEnumerable<GameDifference> OfTable<T>(string table, IEnumerable<T> game, IEnumerable<T> simulated, Func<T, (uint Id, string Name)> read)
    {
        var names = game.Select(read).GroupBy(type => type.Id).ToDictionary(same => same.Key, same => same.First().Name);
        var differing = simulated.Select(read).Where(type => type.Name.Length > 0 && names.GetValueOrDefault(type.Id, "") != type.Name).ToList();
        return differing.GroupBy(type => KnownDifferences.OfId(table, type.Id, build)).Select(same => new GameDifference(
            "data", table, ["bridge"],
            List(same.Select(type => names.TryGetValue(type.Id, out var name) ? $"{type.Id} {(name.Length > 0 ? name : "without a name")}" : $"no {type.Id}")),
            List(same.Select(type => $"{type.Id} {type.Name}")), same.Key));
    }

    private static string List(IEnumerable<string> types)
    {
        var all = types.ToList();
        return string.Join(", ", all.Take(ListedIds)) + (all.Count > ListedIds ? $" and {all.Count - ListedIds} more" : "");
    }

    private static string Times(int count) => count == 0 ? "missing" : $"{count} times";

    private static string Range((double Least, double Most) range) => $"{Number(range.Least)} to {Number(range.Most)}";

    private static string Number(double value) => value.ToString("0.###", CultureInfo.InvariantCulture);
}
