using System.Text.Json.Serialization;

namespace Sc2Bridge.Bench;

/// <summary>What of a bridge's work is made more.</summary>
[JsonConverter(typeof(WordConverter<Load>))]
internal enum Load
{
    Subscribers,

    /// <summary>Steps a second.</summary>
    Rate,
}

/// <summary>
/// A search for the load that is too much, with light readers, which cost little beside the bridge.
/// </summary>
/// <param name="Load">What is made more.</param>
/// <param name="Measurement">All else.</param>
internal sealed record BreakingPlan(Load Load, Measurement Measurement)
{
    /// <summary>What all searches have in their name.</summary>
    public const string Table = "breaking point";

    /// <summary>More subscribers are not tried: readers on the same machine would be all that is measured.</summary>
    public const int MostSubscribers = 1024;

    /// <summary>More steps a second are not tried: a game makes no more at any speed.</summary>
    public const double MostRate = 11_520;

    /// <summary>It is too much where this many measures have it so, and none has not: only chance makes late.</summary>
    public const int Measures = 2;

    /// <summary>How long a load is tried, in seconds: a search takes about ten.</summary>
    public const double UsualSeconds = 1.25;

    /// <summary>What is received before that and not counted, in seconds.</summary>
    public const double WarmUpSeconds = 0.3;

    // About as many as a search takes, and what one takes beside its own time: hundreds subscribe and leave.
    private const int UsualMeasures = 10;
    private const double SubscribingSeconds = 0.75;
    private const int StartSubscribers = 64;
    private const double StartRate = 90;

    /// <summary>Every mode: how many subscribers at the game's rate, and how many steps a second.</summary>
    public static IReadOnlyList<BreakingPlan> All(IEnumerable<Mode> modes) =>
    [
        .. modes.SelectMany(mode => ((Load[])[Load.Subscribers, Load.Rate]).Select(load =>
            new BreakingPlan(load, Measurement.Baseline with { Agent = AgentKind.Light, Mode = mode }))),
    ];

    /// <summary>What a search usually takes where a load is tried for so long, in seconds.</summary>
    public static double EstimateSeconds(double seconds) =>
        UsualMeasures * (seconds + WarmUpSeconds + SubscribingSeconds);

    /// <summary>Tells it from the other searches.</summary>
    public string Name => $"{Table}, {Title}";

    [JsonIgnore]
    public string Title => Load == Load.Subscribers
        ? $"subscribers over {Way}, {Measurement.RateText} a second"
        : $"rate over {Way}";

    /// <summary>The transport, as a person reads it.</summary>
    internal string Way => Measurement.ModeName;

    /// <summary>What is measured for a load.</summary>
    public Measurement At(double load) => Load == Load.Subscribers
        ? Measurement with { Subscribers = (int)load }
        : Measurement with { Rate = load };

    public BreakingSearch Begin() => Load == Load.Subscribers
        ? new BreakingSearch(StartSubscribers, 1, MostSubscribers, isWhole: true)
        : new BreakingSearch(StartRate, 1, MostRate, isWhole: false);
}
