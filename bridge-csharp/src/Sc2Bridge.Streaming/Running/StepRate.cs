using System.Globalization;

namespace Sc2Bridge.Streaming;

/// <summary>How fast a match goes: as fast as it can, at so many steps a second, or by the game's own clock.</summary>
public sealed record StepRate
{
    private const double Fastest = 10_000;
    private const double Slowest = 0.001;

    private StepRate(double hz, bool realtime)
    {
        Hz = hz;
        Realtime = realtime;
    }

    /// <summary>As fast as game and subscribers go.</summary>
    public static StepRate Max { get; } = new(0, realtime: false);

    /// <summary>The game's own clock runs it: 22.4 game loops a second.</summary>
    public static StepRate GameClock { get; } = new(0, realtime: true);

    /// <summary>Steps a second; 0 where nothing but the game sets the pace.</summary>
    public double Hz { get; }

    /// <summary>True where the game's own clock runs the match.</summary>
    public bool Realtime { get; }

    /// <summary>So many steps a second.</summary>
    /// <param name="hz">From 0.001 to 10,000.</param>
    public static StepRate At(double hz)
    {
        if (!(hz >= Slowest && hz <= Fastest))
        {
            throw new GameException(
                $"'{hz.ToString(CultureInfo.InvariantCulture)}' is not a rate: write max, realtime, or a number of steps a second, from 0.001 to 10000");
        }

        return new StepRate(hz, realtime: false);
    }

    /// <summary>Reads <c>max</c>, <c>realtime</c> or a number of steps a second (<c>22.4</c>).</summary>
    /// <exception cref="GameException">It is none of these.</exception>
    public static StepRate Parse(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        return text.Trim().ToLowerInvariant() switch
        {
            "max" => Max,
            "realtime" => GameClock,
            var number when double.TryParse(
                number, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out var hz) => At(hz),
            _ => throw new GameException($"'{text}' is not a rate: write max, realtime, or a number of steps a second"),
        };
    }

    /// <inheritdoc/>
    public override string ToString() =>
        Realtime ? "realtime" : Hz == 0 ? "max" : Hz.ToString(CultureInfo.InvariantCulture);
}
