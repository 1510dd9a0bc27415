using System.Globalization;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Cli;

/// <summary>How a pass can end. A pass records one perspective of one replay.</summary>
internal enum RecordEnding
{
    /// <summary>The pass was recorded.</summary>
    Recorded,

    /// <summary>A complete recording existed already.</summary>
    WasThere,

    /// <summary>The replay has no such player, and the user did not request that player.</summary>
    NoSuchPlayer,

    /// <summary>The pass failed.</summary>
    Failed,

    /// <summary>The pass was stopped.</summary>
    Stopped,
}

/// <summary>How a pass ended.</summary>
/// <param name="Pass">The pass.</param>
/// <param name="Ending">How it ended.</param>
internal sealed record RecordOutcome(RecordPass Pass, RecordEnding Ending)
{
    /// <summary>The perspective, in words.</summary>
    internal string Player { get; init; } = "";

    /// <summary>How the match ended for the observed player. For an observer, the results of all players.</summary>
    internal string Result { get; init; } = "";

    /// <summary>The last game loop.</summary>
    internal uint GameLoop { get; init; }

    /// <summary>The number of observations in the recording.</summary>
    internal long Observations { get; init; }

    /// <summary>The size of the recording in bytes.</summary>
    internal long Bytes { get; init; }

    /// <summary>The duration of the pass.</summary>
    internal TimeSpan Duration { get; init; }

    /// <summary>Why the pass failed, as one line.</summary>
    internal string Problem { get; init; } = "";

    /// <summary>A line about the frames that the broker did not accept; null if it accepted all, or if no broker was requested.</summary>
    internal string? Unpublished { get; init; }

    /// <summary>A copy with the match's description and end.</summary>
    internal RecordOutcome WithMatch(MatchDescription match, MatchEnd end)
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

    /// <summary>The outcome as a line.</summary>
    internal string ToLine() => Ending switch
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
