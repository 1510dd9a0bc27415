using System.Globalization;
using System.Net;
using static System.FormattableString;

namespace Sc2Bridge.Bench;

/// <summary>Words and numbers as they stand in a page.</summary>
internal static class Html
{
    /// <summary>Text that says itself, whatever letters it has.</summary>
    public static string Text(string text) => WebUtility.HtmlEncode(text);

    /// <summary>A part as a share of a width or height.</summary>
    public static string Percent(double part) => Invariant($"{part * 100:0.##}%");

    /// <summary>A round number beside an axis, where there is little room: 500, 20k, 5M.</summary>
    public static string Tick(double value) => value switch
    {
        >= 1e6 => Invariant($"{value / 1e6:0.##}M"),
        >= 1e4 => Invariant($"{value / 1e3:0.##}k"),
        _ => Short(value),
    };

    /// <summary>A number with as many digits as a person wants of it.</summary>
    public static string Short(double value) => !double.IsFinite(value)
        ? "–"
        : Math.Abs(value) switch
        {
            >= 100 => value.ToString("N0", CultureInfo.InvariantCulture),
            >= 10 => value.ToString("0.#", CultureInfo.InvariantCulture),
            _ => value.ToString("0.##", CultureInfo.InvariantCulture),
        };
}
