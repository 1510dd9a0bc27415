using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>The enums of a match as words, for output and reports.</summary>
public static class MatchWords
{
    /// <summary>How a match ended: the detail, or else the reason as words.</summary>
    public static string Words(this MatchEnd end)
    {
        ArgumentNullException.ThrowIfNull(end);
        return end.Detail.Length > 0 ? end.Detail : end.Reason.Words();
    }

    /// <summary>Why a match ended; empty if unknown.</summary>
    public static string Words(this EndReason reason) => reason switch
    {
        EndReason.Finished => "finished",
        EndReason.StepLimit => "step limit",
        EndReason.Stopped => "stopped",
        EndReason.Restarted => "restarted",
        EndReason.RangeEnd => "range end",
        EndReason.Forfeit => "forfeited",
        EndReason.NoAgent => "no agent plays any more",
        EndReason.Failed => "failed",
        _ => "",
    };

    /// <summary><c>computer</c>, <c>agent</c>, <c>api</c>, <c>observer</c> or <c>participant</c>; empty if unknown.</summary>
    public static string Words(this PlayerKind kind) =>
        kind == PlayerKind.Unspecified ? "" : kind.ToString().ToLowerInvariant();

    /// <summary><c>Terran</c>, <c>Zerg</c>, <c>Protoss</c> or <c>Random</c>; empty if unknown.</summary>
    public static string Words(this PlayerRace race) => race == PlayerRace.Unspecified ? "" : race.ToString();
}
