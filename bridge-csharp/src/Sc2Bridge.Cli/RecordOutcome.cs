using System.Globalization;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Cli;

/// <summary>What became of a pass.</summary>
internal enum RecordEnding
{
    /// <summary>It was recorded.</summary>
    Recorded,

    /// <summary>Its recording was there already, whole.</summary>
    WasThere,

    /// <summary>The replay has no such player, and it was not asked for by number.</summary>
    NoSuchPlayer,

    /// <summary>It failed.</summary>
    Failed,

    /// <summary>It was stopped.</summary>
    Stopped,
}

/// <summary>How a pass ended.</summary>
/// <param name="Pass">The pass.</param>
/// <param name="Ending">What became of it.</param>
internal sealed record RecordOutcome(RecordPass Pass, RecordEnding Ending)
{
    /// <summary>Whose eyes, in words.</summary>
    internal string Player { get; init; } = "";

    /// <summary>How the match ended for that player.</summary>
    internal string Result { get; init; } = "";

    /// <summary>The last game loop.</summary>
    internal uint GameLoop { get; init; }

    /// <summary>Observations in the recording.</summary>
    internal long Observations { get; init; }

    /// <summary>The recording's bytes.</summary>
    internal long Bytes { get; init; }

    /// <summary>How long it took.</summary>
    internal TimeSpan Duration { get; init; }

    /// <summary>Why it failed, as one line.</summary>
    internal string Problem { get; init; } = "";

    /// <summary>What the broker did not take, as one line; null where it took all, or none was asked for.</summary>
    internal string? Unpublished { get; init; }

    /// <summary>The same with what the match was and how it ended.</summary>
    internal RecordOutcome With(MatchDescription match, MatchEnd end)
    {
        var player = match.Players.FirstOrDefault(player => player.PlayerId == Pass.Observe);
        string?[] words = [player?.Race.Words(), player?.Name is { Length: > 0 } name ? name : player?.Difficulty];
        return this with
        {
            Player = Pass.Observe == 0
                ? "observer"
                : $"{Pass.Observe} {string.Join(' ', words.Where(word => !string.IsNullOrEmpty(word)))}".TrimEnd(),
            Result = Pass.Observe == 0
                ? string.Join(", ", end.Results.Select(result => $"{result.PlayerId} {result.Result}"))
                : end.Results.FirstOrDefault(result => result.PlayerId == Pass.Observe)?.Result.ToString() ?? "",
            GameLoop = end.GameLoop,
        };
    }

    /// <summary>The line that says it.</summary>
    internal string Line() => Ending switch
    {
        RecordEnding.Recorded => string.Create(
            CultureInfo.InvariantCulture,
            $"{Pass.Name}: {Observations} observations, {Bytes / 1e6:0.0} MB, in {Duration.TotalSeconds:0.0} s"),
        RecordEnding.WasThere => $"{Pass.Name}: was there",
        RecordEnding.NoSuchPlayer => $"{Pass.Name}: there is no such player",
        RecordEnding.Stopped => $"{Pass.Name}: stopped",
        _ => $"{Pass.Name}: failed",
    };
}
