using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Cli;

/// <summary>What a session streams, and how.</summary>
internal sealed record StreamedMatch
{
    /// <summary>Where observations come from; the caller disposes it.</summary>
    internal required IGameSource Source { get; init; }

    /// <summary>How fast it begins.</summary>
    internal required StepRate Rate { get; init; }

    /// <summary>The most observations that are published; 0 for no limit.</summary>
    internal ulong StepLimit { get; init; }

    /// <summary>Whether a side that no agent plays any more has lost.</summary>
    internal bool Forfeits { get; init; }

    /// <summary>
    /// A description for agents where the match cannot be started; null where it is known before.
    /// </summary>
    internal MatchDescription? Planned { get; init; }

    /// <summary>What to do where it fails: a sentence that the folder of the logs ends.</summary>
    internal required string Advice { get; init; }

    /// <summary>Whether an end is a failure of this session.</summary>
    internal Func<MatchEnd, bool> IsFailure { get; init; } = static end => end.Aborted;
}
