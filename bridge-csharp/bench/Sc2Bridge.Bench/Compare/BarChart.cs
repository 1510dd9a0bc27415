using System.Text;

namespace Sc2Bridge.Bench;

/// <summary>A part of a bar.</summary>
/// <param name="To">Where it ends; all begin at the axis.</param>
/// <param name="Kind">Its style: <c>first</c>, <c>second</c> or <c>tail</c>, and <c>half</c> as high.</param>
internal sealed record BarPart(double To, string Kind);

/// <summary>A bar.</summary>
/// <param name="Name">Beside it, or above it on a narrow screen.</param>
/// <param name="Parts">Drawn in this order.</param>
/// <param name="Words">The same in numbers.</param>
internal sealed record Bar(string Name, IReadOnlyList<BarPart> Parts, string Words);

/// <summary>
/// Bars on one logarithmic axis, of HTML: their names are text of the page, which stays readable where it is narrow.
/// </summary>
internal static class BarChart
{
    private const int MostTicks = 5;

    /// <summary>Draws them.</summary>
    /// <param name="title">What is shown, and in what unit.</param>
    /// <param name="legend">Each style that occurs, and what it stands for.</param>
    /// <param name="bars">From top to bottom.</param>
    public static string Draw(
        string title, IReadOnlyList<(string Kind, string Words)> legend, IReadOnlyList<Bar> bars)
    {
        // From half of the least on, so that this has a bar too.
        var ends = bars.SelectMany(bar => bar.Parts).Select(part => part.To).Where(to => to > 0).ToList();
        var scale = new LogScale(ends.Append(ends.Count > 0 ? ends.Min() / 2 : 1));
        var text = new StringBuilder();
        text.Append($"<figure class=\"bars\"><figcaption>{Html.Text(title)}</figcaption><p class=\"legend\">");
        foreach (var (kind, words) in legend)
        {
            text.Append($"<span><i class=\"{kind}\"></i>{Html.Text(words)}</span>");
        }

        text.Append("</p>");
        foreach (var bar in bars)
        {
            text.Append($"<div class=\"bar\"><span class=\"name\">{Html.Text(bar.Name)}</span><span class=\"line\">");
            foreach (var part in bar.Parts.Where(part => part.To > 0))
            {
                text.Append($"<i class=\"{part.Kind}\" style=\"width:{Html.Percent(scale.At(part.To))}\"></i>");
            }

            text.Append($"</span><span class=\"words\">{Html.Text(bar.Words)}</span></div>");
        }

        text.Append("<div class=\"bar axis\"><span class=\"name\"></span><span class=\"line\">");
        foreach (var tick in scale.Ticks(MostTicks))
        {
            text.Append($"<b style=\"left:{Html.Percent(scale.At(tick))}\">{Html.Tick(tick)}</b>");
        }

        return text.Append("</span><span class=\"words\"></span></div></figure>").ToString();
    }
}
