using System.Globalization;

namespace Sc2Bridge.Server;

/// <summary>The <c>grpc-timeout</c> header: one to eight digits and a unit (gRPC over HTTP/2, "Timeout").</summary>
public static class GrpcTimeout
{
    /// <summary>Longer deadlines are taken for this one: no timer holds more (49.7 days), and no match lasts as long.</summary>
    public static readonly TimeSpan Longest = TimeSpan.FromDays(49);

    /// <summary>Reads the header.</summary>
    /// <param name="text">Its value, such as <c>250m</c> (milliseconds).</param>
    /// <returns>The time that the call may take, at most <see cref="Longest"/>.</returns>
    /// <exception cref="GrpcException">INVALID_ARGUMENT: it is not written as the spec says.</exception>
    public static TimeSpan Parse(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        if (text.Length is >= 2 and <= 9
            && uint.TryParse(text.AsSpan(0, text.Length - 1), NumberStyles.None, CultureInfo.InvariantCulture, out var value)
            && Nanoseconds(text[^1]) is { } unit)
        {
            // 99999999 hours are 3.6e20 ns: beyond 64 bits. A tick is 100 ns; what is less is rounded up, so that only
            // a timeout of zero is over at once.
            var ticks = ((Int128)value * unit + 99) / 100;
            return ticks > Longest.Ticks ? Longest : TimeSpan.FromTicks((long)ticks);
        }

        throw new GrpcException(
            GrpcCode.InvalidArgument,
            $"grpc-timeout is '{Shown(text)}': write one to eight digits and one of H, M, S, m, u, n.");
    }

    /// <summary>Writes the header with the finest unit that fits in eight digits.</summary>
    public static string Format(TimeSpan timeout)
    {
        var ticks = Math.Max(timeout.Ticks, 0);
        foreach (var (perUnit, unit) in ((long, char)[])[(10, 'u'), (10_000, 'm'), (10_000_000, 'S'), (600_000_000, 'M')])
        {
            var count = (ticks + perUnit - 1) / perUnit;
            if (count <= 99_999_999)
            {
                return string.Create(CultureInfo.InvariantCulture, $"{count}{unit}");
            }
        }

        return string.Create(CultureInfo.InvariantCulture, $"{Math.Min(ticks / TimeSpan.TicksPerHour, 99_999_999)}H");
    }

    private static long? Nanoseconds(char unit) => unit switch
    {
        'H' => 3_600_000_000_000,
        'M' => 60_000_000_000,
        'S' => 1_000_000_000,
        'm' => 1_000_000,
        'u' => 1_000,
        'n' => 1,
        _ => null,
    };

    private static string Shown(string text) => text.Length <= 20 ? text : text[..20] + "…";
}
