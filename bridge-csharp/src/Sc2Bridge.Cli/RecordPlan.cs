using System.Globalization;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Cli;

/// <summary>One pass through a replay: it records one perspective into one recording.</summary>
/// <param name="Replay">The replay's file.</param>
/// <param name="Observe">The perspective: a player id, or 0 for an observer of all.</param>
/// <param name="File">The recording to make.</param>
/// <param name="IsRequested">Whether the user requested the perspective, so that a replay without this player is a failure.</param>
internal sealed record RecordPass(string Replay, uint Observe, string File, bool IsRequested)
{
    /// <summary>The pass's name in printed lines.</summary>
    internal string Name => $"{Path.GetFileName(Replay)} {(Observe == 0 ? "observer" : $"player {Observe}")}";

    /// <summary>The path of the recording until it is complete.</summary>
    internal string PartialPath => PartialFile.PathFor(File);
}

/// <summary>The plan of <c>sc2bridge record</c>: one pass for each perspective of each replay.</summary>
internal static class RecordPlan
{
    private static readonly EnumerationOptions IncludeSubfolders = new()
    {
        RecurseSubdirectories = true,
        MatchCasing = MatchCasing.CaseInsensitive,
    };

    /// <summary>Makes the plan.</summary>
    /// <param name="paths">Replays, and folders with replays. Subfolders are included.</param>
    /// <param name="observe">The perspectives; empty for players 1 and 2.</param>
    /// <param name="folder">The folder for recordings. It gets the same subfolders as the folders of the replays.</param>
    /// <exception cref="CommandException">A file or a replay was not found, or two passes would write the same recording.</exception>
    internal static IReadOnlyList<RecordPass> Make(
        IReadOnlyList<string> paths, IReadOnlyList<uint> observe, string folder)
    {
        var perspectives = observe.Count == 0 ? [1, 2] : observe.Distinct().Order().ToArray();
        var replays = new Dictionary<string, string>(StringComparer.Ordinal);
        foreach (var (replay, relativePath) in paths.SelectMany(FindReplays))
        {
            replays.TryAdd(Path.GetFullPath(replay), relativePath);
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

    private static IEnumerable<(string Replay, string RelativePath)> FindReplays(string path)
    {
        if (File.Exists(path))
        {
            return [(path, Path.GetFileName(path))];
        }

        if (!Directory.Exists(path))
        {
            throw new CommandException($"'{path}' does not exist: name a replay (.SC2Replay) or a folder of replays");
        }

        (string, string)[] found =
        [
            .. Directory.EnumerateFiles(path, "*" + Replay.Extension, IncludeSubfolders)
                .Order(StringComparer.Ordinal)
                .Select(file => (file, Path.GetRelativePath(path, file))),
        ];
        return found.Length > 0 ? found : throw new CommandException($"'{path}' has no replays (.SC2Replay): name another folder");
    }

    private static string FileOf(string folder, string relativePath, uint perspective)
    {
        var name = Replay.HasReplayExtension(relativePath) ? relativePath[..^Replay.Extension.Length] : relativePath;
        return Path.Combine(folder, string.Create(
            CultureInfo.InvariantCulture, $"{name}.{(perspective == 0 ? "observer" : $"player{perspective}")}.mcap"));
    }
}
