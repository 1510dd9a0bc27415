using System.Globalization;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Cli;

/// <summary>One pass through a replay: one perspective, one recording.</summary>
/// <param name="Replay">The replay's file.</param>
/// <param name="Observe">Whose eyes: a player id, or 0 for an observer of all.</param>
/// <param name="File">The recording to make.</param>
/// <param name="IsAskedFor">Whether the perspective was named, so that a replay without it is a failure.</param>
internal sealed record RecordPass(string Replay, uint Observe, string File, bool IsAskedFor)
{
    /// <summary>How a line calls it.</summary>
    internal string Name => $"{Path.GetFileName(Replay)} {(Observe == 0 ? "observer" : $"player {Observe}")}";

    /// <summary>The file while it is written: it gets its own name once it is whole.</summary>
    internal string PartFile => PartialFile.Of(File);
}

/// <summary>What <c>sc2bridge record</c> has to do: every replay, one pass a perspective.</summary>
internal static class RecordPlan
{
    private static readonly EnumerationOptions AllBelow = new()
    {
        RecurseSubdirectories = true,
        MatchCasing = MatchCasing.CaseInsensitive,
    };

    /// <summary>Makes it.</summary>
    /// <param name="paths">Replays, and folders of them (also in folders below).</param>
    /// <param name="observe">The perspectives; none for players 1 and 2.</param>
    /// <param name="folder">Where recordings go, in the folders that the replays stand in below those named.</param>
    /// <exception cref="CommandException">There is no such file, no replay, or two would get one recording.</exception>
    internal static IReadOnlyList<RecordPass> Make(
        IReadOnlyList<string> paths, IReadOnlyList<uint> observe, string folder)
    {
        var perspectives = observe.Count == 0 ? [1, 2] : observe.Distinct().Order().ToArray();
        var replays = new Dictionary<string, string>(StringComparer.Ordinal);
        foreach (var (replay, below) in paths.SelectMany(Replays))
        {
            replays.TryAdd(Path.GetFullPath(replay), below);
        }

        RecordPass[] passes =
        [
            .. from replay in replays
               from perspective in perspectives
               select new RecordPass(
                   replay.Key, perspective, FileOf(folder, replay.Value, perspective), observe.Count > 0),
        ];
        if (passes.GroupBy(pass => pass.File).FirstOrDefault(same => same.Count() > 1) is { } same)
        {
            throw new CommandException(
                $"{string.Join(" and ", same.Select(pass => pass.Replay))} would both become {same.Key}: record them "
                + "one after the other, with another --out");
        }

        return passes;
    }

    private static IEnumerable<(string Replay, string Below)> Replays(string path)
    {
        if (File.Exists(path))
        {
            return [(path, Path.GetFileName(path))];
        }

        if (!Directory.Exists(path))
        {
            throw new CommandException($"there is no replay and no folder '{path}'");
        }

        (string, string)[] found =
        [
            .. Directory.EnumerateFiles(path, "*" + Replay.Extension, AllBelow)
                .Order(StringComparer.Ordinal)
                .Select(file => (file, Path.GetRelativePath(path, file))),
        ];
        return found.Length > 0 ? found : throw new CommandException($"there are no replays (.SC2Replay) in '{path}'");
    }

    private static string FileOf(string folder, string below, uint perspective)
    {
        var name = Replay.IsNamedSo(below) ? below[..^Replay.Extension.Length] : below;
        return Path.Combine(folder, string.Create(
            CultureInfo.InvariantCulture, $"{name}.{(perspective == 0 ? "observer" : $"player{perspective}")}.mcap"));
    }
}
