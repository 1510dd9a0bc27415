using System.Diagnostics;
using System.Text.RegularExpressions;

namespace Sc2Bridge.Bench.Tests;

/// <summary>The report as a page: whole, sealed off from the network, and readable in a browser of any width.</summary>
public sealed partial class PageTests
{
    private static readonly string[] Browsers = ["chromium", "chromium-browser", "google-chrome"];

    [Fact]
    public void It_has_every_table_and_needs_nothing_from_elsewhere()
    {
        var page = HtmlReport.Text(ReportTests.Made());
        Assert.All(
            (string[])
            [
                "Transports", "Yardsticks", "Compression", "raw TCP", "use gRPC", "within the noise", "slow links: none here",
                "subscribers over gRPC, 22.4 a second", "Where one bridge stops keeping up", "codec, % of the way", "bridge CPU, in times raw",
            ],
            words => Assert.Contains(words, page, StringComparison.Ordinal));
        Assert.Contains("<h2>Yardsticks, at 22.4 a second</h2>", page, StringComparison.Ordinal);
        Assert.Contains("<th>WebSocket JSON, 16 a second<i style=\"width:100%\"></i></th>", page, StringComparison.Ordinal);
        Assert.DoesNotContain("http", page, StringComparison.OrdinalIgnoreCase);
        Assert.DoesNotContain("<script", page, StringComparison.OrdinalIgnoreCase);
        Assert.DoesNotContain("NaN", page, StringComparison.Ordinal);
    }

    [Fact]
    public void What_others_are_called_is_text()
    {
        var report = ReportTests.Made();
        var hostile = report.Runs.Select(run => run with { Agent = "<script>alert(1)</script>" })
            .ToLookup(run => run.Measurement);
        var tables = report.Tables.Select(table => table with
        {
            Rows = [.. table.Rows.Select(row => MeasurementRow.Of(row.Measurement, row.Measurement, hostile))],
        });
        var page = HtmlReport.Text(report with { Tables = [.. tables], Match = "a & b \"c\" <d>" });
        Assert.DoesNotContain("<script>", page, StringComparison.Ordinal);
        Assert.Contains("a &amp; b &quot;c&quot; &lt;d&gt;", page, StringComparison.Ordinal);
    }

    [Fact]
    public void Every_element_is_closed_in_its_place()
    {
        var open = new Stack<string>();
        foreach (Match tag in Tags().Matches(HtmlReport.Text(ReportTests.Made())))
        {
            var name = tag.Groups["name"].Value;
            if (tag.Groups["close"].Length > 0)
            {
                Assert.Equal(name, open.Pop());
            }
            else if (name is not ("meta" or "link") && !tag.Value.EndsWith("/>", StringComparison.Ordinal))
            {
                open.Push(name);
            }
        }

        Assert.Empty(open);
    }

    // In a frame, as a browser's window is no narrower than it likes; the page around it says how wide it became.
    [Theory]
    [Trait("ThirdParty", "Chromium")]
    [Trait("Needs", "browser")]
    [InlineData(1280)]
    [InlineData(390)]
    public async Task A_browser_shows_it_without_a_complaint_and_nothing_hangs_over_the_edge(int width)
    {
        var folders = (Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator);
        var browser = folders.SelectMany(folder => Browsers.Select(name => Path.Combine(folder, name)))
            .FirstOrDefault(File.Exists);
        Assert.SkipWhen(browser is null, "There is no Chromium: tools/set-up --test installs it where it can.");
        var place = Directory.CreateTempSubdirectory("sc2bridge-page-");
        try
        {
            var page = Path.Combine(place.FullName, "page.html");
            var inner = System.Net.WebUtility.HtmlEncode(HtmlReport.Text(ReportTests.Made()));
            await File.WriteAllTextAsync(
                page,
                $"""
                <!DOCTYPE html><title></title>
                <iframe width="{width}" height="900" style="border: 0" srcdoc="{inner}"></iframe>
                <script>
                  const frame = document.querySelector("iframe");
                  frame.onload = () => document.title =
                    [frame.contentWindow.innerWidth, frame.contentDocument.documentElement.scrollWidth].join();
                </script>
                """,
                Ct);
            string[] arguments =
            [
                "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--hide-scrollbars",
                "--window-size=1400,1000", "--virtual-time-budget=2000",
                $"--user-data-dir={Path.Combine(place.FullName, "profile")}", "--dump-dom", page,
            ];
            using var process = Process.Start(new ProcessStartInfo(browser!, arguments)
            {
                RedirectStandardOutput = true,
                RedirectStandardError = true,
            })!;
            var error = process.StandardError.ReadToEndAsync(Ct);
            var shown = await process.StandardOutput.ReadToEndAsync(Ct);
            await process.WaitForExitAsync(Ct);
            Assert.DoesNotContain("CONSOLE", await error, StringComparison.Ordinal);
            var widths = Title().Match(shown).Groups["widths"].Value.Split(',');
            Assert.Equal($"{width}", widths[0]);
            Assert.Equal(widths[0], widths[1]);
        }
        finally
        {
            place.Delete(recursive: true);
        }
    }

    [GeneratedRegex("<(?<close>/?)(?<name>[a-z][a-z0-9]*)[^>]*>")]
    private static partial Regex Tags();

    [GeneratedRegex("<title>(?<widths>[0-9,]+)</title>")]
    private static partial Regex Title();
}
