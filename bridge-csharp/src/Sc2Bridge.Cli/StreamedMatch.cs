using Sc2Bridge.Games;

namespace Sc2Bridge.Cli;

/// <summary>What a session streams, and how.</summary>
internal sealed record StreamedMatch
{
    /// <summary>Where observations come from; whoever takes this disposes it.</summary>
    internal required IGameSource Source { get; init; }

    /// <summary>How fast.</summary>
    internal required StepRate Rate { get; init; }

    /// <summary>The most observations that are published; 0 for no limit.</summary>
    internal ulong StepLimit { get; init; }

    /// <summary>What to do where it fails, as the beginning of a sentence.</summary>
    internal required string Retry { get; init; }
}
