using System.Text.Json.Serialization;

namespace Sc2Bridge.Bench;

/// <summary>What of a bridge's work grows.</summary>
[JsonConverter(typeof(WordConverter<Load>))]
internal enum Load
{
    /// <summary>How many receive.</summary>
    Subscribers,

    /// <summary>How large what they receive is, in KiB as the game has it.</summary>
    Size,

    /// <summary>How often, in steps a second.</summary>
    Rate,
}

/// <summary>A search for the load that is too much.</summary>
/// <param name="Load">What is made more: <see cref="Load.Subscribers"/> or <see cref="Load.Rate"/>.</param>
/// <param name="Measurement">All else.</param>
internal sealed record BreakingPlan(Load Load, Measurement Measurement)
{
    /// <summary>More subscribers are not tried: readers on the same machine would be all that is measured.</summary>
    public const int MostSubscribers = 1024;

    /// <summary>More steps a second are not tried: a game makes no more at any speed.</summary>
    public const double MostRate = 11_520;

    /// <summary>It is too much where this many measures have it so, and none has not: only chance makes late.</summary>
    public const int Measures = 2;

    private const int StartSubscribers = 64;
    private const double StartRate = 90;

    /// <summary>Tells it from the other searches.</summary>
    public string Name => $"{ScalePlan.Breaking}, " + (Load == Load.Subscribers
        ? $"subscribers over {Way} at {Measurement.RateText} a second"
        : $"rate over {Way}");

    /// <summary>The same beside a row.</summary>
    [JsonIgnore]
    public string Title => Load == Load.Subscribers
        ? $"subscribers over {Way}, {Measurement.RateText} a second"
        : $"steps a second over {Way}";

    /// <summary>The transport, as a person reads it.</summary>
    internal string Way => (Measurement.Baseline with { Mode = Measurement.Mode }).Name;

    /// <summary>What is measured for a load.</summary>
    public Measurement At(double load) => Load == Load.Subscribers
        ? Measurement with { Subscribers = (int)load }
        : Measurement with { Rate = load };

    /// <summary>The search, at its beginning.</summary>
    public BreakingSearch Begin() => Load == Load.Subscribers
        ? new BreakingSearch(StartSubscribers, 1, MostSubscribers, isWhole: true)
        : new BreakingSearch(StartRate, 1, MostRate, isWhole: false);
}

/// <summary>
/// How a bridge's cost grows, one load at a time, received by light readers that cost little themselves; and where each
/// mode becomes too much for this machine. Shorter measurements and fewer rounds than the tables have: what is fitted is
/// fitted through many of them.
/// </summary>
internal sealed record ScalePlan
{
    /// <summary>What the searches are called.</summary>
    public const string Breaking = "scale: breaking point";

    // About as many as a search takes, and what one takes beside the measurement's own time: hundreds subscribe and leave.
    private const int UsualMeasures = 10;
    private const double SubscribingSeconds = 0.6;

    private static readonly Dictionary<Load, string> _names = new()
    {
        [Load.Subscribers] = "scale: subscribers",
        [Load.Size] = "scale: size",
        [Load.Rate] = "scale: rate",
    };

    /// <summary>The series: one load each, of all modes.</summary>
    public required ComparisonPlan Series { get; init; }

    /// <summary>The searches.</summary>
    public required IReadOnlyList<BreakingPlan> Searches { get; init; }

    /// <summary>What there is of it, by name.</summary>
    public IReadOnlyList<string> Names =>
        [.. Series.Factors.Select(factor => factor.Name), .. Searches.Count > 0 ? [Breaking] : Array.Empty<string>()];

    /// <summary>How long it takes; what the searches take of it is what they usually do.</summary>
    public TimeSpan Estimate => Series.Estimate + TimeSpan.FromSeconds(Searches.Count * SearchSeconds);

    /// <summary>What a search usually takes.</summary>
    public double SearchSeconds => UsualMeasures * (Series.MeasurementSeconds + SubscribingSeconds);

    /// <summary>Everything.</summary>
    /// <param name="modes">The modes.</param>
    /// <param name="loops">Other game loops of the match than the comparison's own.</param>
    public static ScalePlan Full(IReadOnlyList<Mode> modes, IReadOnlyList<uint> loops)
    {
        Factor[] series =
        [
            Of(Load.Subscribers, ((int[])[1, 2, 4, 8, 16, 32, 64]).Select(count =>
                Light with { Subscribers = count })),
            Of(Load.Size, [
                .. loops.Select(loop => Light with { Loop = loop }),
                .. ((int[])[1, 2, 3]).Select(copies => Light with { UnitCopies = copies })]),
            Of(Load.Rate, ((double[])[8, 16, Measurement.GameRate, 45, 90, 180]).Select(rate => Light with { Rate = rate })),
        ];
        return new ScalePlan
        {
            Series = new ComparisonPlan
            {
                Factors = series,
                Rounds = 3,
                Seconds = 1.25,
                WarmUpSeconds = 0.3,
                WarmsEach = false,
            },
            Searches =
            [
                .. modes.SelectMany(mode => ((double[])[Measurement.GameRate, 16]).Select(rate =>
                    new BreakingPlan(Load.Subscribers, Light with { Mode = mode, Rate = rate }))),
                .. modes.Select(mode => new BreakingPlan(Load.Rate, Light with { Mode = mode })),
            ],
        };

        Factor Of(Load load, IEnumerable<Measurement> measurements) => new(
            _names[load],
            Light,
            [.. measurements.SelectMany(measurement => modes.Select(mode => measurement with { Mode = mode }))]);
    }

    /// <summary>Only the series and searches whose name has a word of these; null where there are none.</summary>
    public ScalePlan? Only(IReadOnlyList<string> words)
    {
        var kept = this with
        {
            Series = Series with { Factors = [.. Series.Factors.Where(factor => Has(factor.Name))] },
            Searches = [.. Searches.Where(search => Has(Breaking) || Names(search))],
        };
        return kept.Series.Factors.Count + kept.Searches.Count > 0 ? kept : null;

        bool Has(string name) => words.Any(word => Is(name, word));

        // Of the searches a part of what they have in common must be named too: all have subscribers, a mode, a rate.
        bool Names(BreakingPlan search) => words.Any(word => Is(word, "breaking") && Is(search.Name, word));

        static bool Is(string name, string word) => name.Contains(word, StringComparison.OrdinalIgnoreCase);
    }

    /// <summary>The same with other rounds and seconds.</summary>
    /// <param name="rounds">0 for its own.</param>
    /// <param name="seconds">Null for its own.</param>
    public ScalePlan Taking(int rounds, double? seconds) => this with
    {
        Series = Series with
        {
            Rounds = rounds > 0 ? rounds : Series.Rounds,
            Seconds = seconds ?? Series.Seconds,
        },
    };

    /// <summary>Which load a series has.</summary>
    internal static Load LoadOf(Factor series) => _names.Single(named => named.Value == series.Name).Key;

    private static Measurement Light => Measurement.Baseline with { Agent = AgentKind.Light };
}
