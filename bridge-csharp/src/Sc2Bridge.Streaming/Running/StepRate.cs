using System.Globalization;

namespace Sc2Bridge.Streaming;

/// <summary>The speed of a match: no limit, a number of steps per second, or the game's own clock.</summary>
public sealed record StepRate
{
    private const double Fastest = 10_000;
    private const double Slowest = 0.001;

    private StepRate(double hz, bool realtime)
    {
        Hz = hz;
        Realtime = realtime;
    }

    /// <summary>As fast as the game and the subscribers allow.</summary>
    public static StepRate Max { get; } = new(0, realtime: false);

    /// <summary>The game's own clock: 22.4 game loops per second.</summary>
    public static StepRate GameClock { get; } = new(0, realtime: true);

    /// <summary>Steps per second; 0 for no limit or real time.</summary>
    public double Hz { get; }

    /// <summary>Whether the game's own clock runs the match.</summary>
    public bool Realtime { get; }

    /// <summary>A number of steps per second.</summary>
    /// <param name="hz">From 0.001 to 10,000.</param>
    public static StepRate At(double hz)
    {
        if (!(hz >= Slowest && hz <= Fastest))
        {
            throw InvalidRate(hz.ToString(CultureInfo.InvariantCulture));
        }

        return new StepRate(hz, realtime: false);
    }

    /// <summary>Parses <c>max</c>, <c>realtime</c> or a number of steps per second (<c>22.4</c>).</summary>
    /// <exception cref="GameException">The text is not a rate.</exception>
    public static StepRate Parse(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        return text.Trim().ToLowerInvariant() switch
        {
            "max" => Max,
            "realtime" => GameClock,
            var number when double.TryParse(
                number, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out var hz) && hz is >= Slowest and <= Fastest => At(hz),
            _ => throw InvalidRate(text),
        };
    }

    /// <inheritdoc/>
    public override string ToString() =>
        Realtime ? "realtime" : Hz == 0 ? "max" : Hz.ToString(CultureInfo.InvariantCulture);

    private static GameException InvalidRate(string text) =>
        new($"'{text}' is not a rate: write max, realtime, or a number of steps a second, from 0.001 to 10000");
}
