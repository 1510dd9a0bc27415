namespace Sc2Bridge.Bench;

/// <summary>
/// Steps of a match that codecs are measured on: all of it, or runs of consecutive ones. Each enumeration begins anew and
/// gives the same bytes; nothing is kept.
/// </summary>
internal interface IMeasuredMatch : IEnumerable<MatchStep>
{
    /// <summary>How many steps there are.</summary>
    int Count { get; }

    /// <summary>Which match, and whose.</summary>
    string Source { get; }

    /// <summary>Which of its steps.</summary>
    string Describe();
}
