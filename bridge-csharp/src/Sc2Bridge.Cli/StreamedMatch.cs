using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Cli;

/// <summary>A match that a session streams.</summary>
internal sealed record StreamedMatch
{
    /// <summary>The source of the observations. The caller disposes it.</summary>
    internal required IGameSource Source { get; init; }

    /// <summary>The initial rate.</summary>
    internal required StepRate Rate { get; init; }

    /// <summary>The maximum number of observations; 0 for no limit.</summary>
    internal ulong StepLimit { get; init; }

    /// <summary>Whether a side loses when its last agent has left.</summary>
    internal bool Forfeits { get; init; }

    /// <summary>
    /// The description that agents get if the match cannot be started; null if the source has a description already.
    /// </summary>
    internal MatchDescription? PlannedDescription { get; init; }

    /// <summary>What to do if the match fails. The path of the logs completes the sentence.</summary>
    internal required string Advice { get; init; }

    /// <summary>Returns whether this end of the match is a failure of the session.</summary>
    internal Func<MatchEnd, bool> IsFailure { get; init; } = static end => end.Aborted;
}
