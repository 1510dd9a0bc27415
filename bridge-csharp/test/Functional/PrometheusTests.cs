using System.Diagnostics;
using System.Globalization;
using System.Text.Json;
using System.Text.RegularExpressions;
using Sc2Bridge.GameApi;

namespace Sc2Bridge.Functional.Tests;

/// <summary>A match as a monitoring system sees it.</summary>
public sealed partial class PrometheusTests : MatchFolderTests
{
    private const int Steps = 150;

    private static readonly HttpClient _http = new();
    [Fact]
    [Trait("Suite", "Slow")]
    [Trait("Needs", "prometheus")]
    [Trait("ThirdParty", "prometheus")]
    public async Task What_Prometheus_scrapes_of_a_running_match_are_the_summarys_figures()
    {
        Assert.SkipUnless(
            File.Exists("/usr/bin/prometheus"), "needs Debian's package prometheus: tools/set-up --test installs it");
        var (web, api) = (FreePorts.Find(), FreePorts.Find());
        using var match = Match(web);
        using var prometheus = Scrape(web, api);
        var steps = Query(api, "sc2bridge_steps_total");
        var delivered = Query(api, "sum(sc2bridge_deliveries_total{transport=\"grpc\"})");
        await UntilAsync(async () => await steps() == Steps && await delivered() == Steps);
        var answers = await Query(api, "sc2bridge_game_answer_duration_seconds_count")();
        var bytes = await Query(api, "sc2bridge_observation_bytes_total")();
        var reported = await Query(api, "sum(sc2bridge_delivery_duration_seconds_count)")();
        await File.WriteAllTextAsync(Path.Combine(Folder.Path, "go"), "", Ct);
        (await match.EndAsync()).Well();

        using var summary = JsonDocument.Parse(await File.ReadAllTextAsync(Path.Combine(Folder.Out, "summary.json"), Ct));
        Assert.Equal(Steps, summary.RootElement.GetProperty("figures").GetProperty("steps").GetInt32());
        Assert.Equal(Steps, answers);
        Assert.Equal(Folder.Steps().Rows.Sum(row => LogTable.Number(row, "proto_bytes")), bytes);

        // An agent reports the last step's times when it is done with it.
        Assert.InRange(reported!.Value, 1, Folder.Agents().Rows.Count(row => LogTable.Number(row, "delivered_us") is not null));
    }

    [Fact]
    public async Task The_dashboard_shows_what_there_is()
    {
        var web = FreePorts.Find();
        using var match = Match(web, "json");
        var metrics = "";
        var refused = false;
        await UntilAsync(async () =>
        {
            try
            {
                // A reason has a figure once a client was refused.
                using var strange = new HttpRequestMessage(HttpMethod.Get, $"http://127.0.0.1:{web}/metrics");
                strange.Headers.Host = "elsewhere.example";
                refused = refused || !(await _http.SendAsync(strange, Ct)).IsSuccessStatusCode;
                metrics = await _http.GetStringAsync($"http://127.0.0.1:{web}/metrics", Ct);
            }
            catch (HttpRequestException)
            {
                // It does not listen yet.
            }

            return metrics.Contains($"sc2bridge_steps_total{{otel_scope_name=\"Sc2Bridge\"}} {Steps}\n", StringComparison.Ordinal)
                && metrics.Contains("sc2bridge_delivery_duration_seconds_bucket", StringComparison.Ordinal);
        });
        await File.WriteAllTextAsync(Path.Combine(Folder.Path, "go"), "", Ct);
        (await match.EndAsync()).Well();
        var there = Sample().Matches(metrics).Select(found => found.Value).ToHashSet();
        var dashboard = await File.ReadAllTextAsync(
            Path.Combine(PeerEnvironment.RepositoryRoot, "docs", "reference", "grafana-dashboard.json"), Ct);
        var shown = Shown().Matches(dashboard).Select(found => found.Value).ToHashSet();
        Assert.NotEmpty(shown);
        Assert.Empty(shown.Except(there));
        Assert.Empty(there.Where(name => name.StartsWith("sc2bridge_", StringComparison.Ordinal))
            .Select(name => Part().Replace(name, "")).Except(shown.Select(name => Part().Replace(name, ""))));
    }

    [GeneratedRegex("^[a-z0-9_]+(?=[{ ])", RegexOptions.Multiline)]
    private static partial Regex Sample();

    [GeneratedRegex("(sc2bridge|dotnet)_[a-z0-9_]+")]
    private static partial Regex Shown();

    [GeneratedRegex("_(bucket|sum|count)$")]
    private static partial Regex Part();

    private static async Task UntilAsync(Func<Task<bool>> done)
    {
        var since = Stopwatch.GetTimestamp();
        while (!await done())
        {
            Assert.True(Stopwatch.GetElapsedTime(since) < TimeSpan.FromMinutes(2), "it did not come so far");
            await Task.Delay(100, Ct);
        }
    }

    // Null while the figure or the server does not exist.
    private static Func<Task<double?>> Query(int api, string query) => async () =>
    {
        try
        {
            using var answer = JsonDocument.Parse(await _http.GetStringAsync(
                $"http://127.0.0.1:{api}/api/v1/query?query={Uri.EscapeDataString(query)}", Ct));
            var result = answer.RootElement.GetProperty("data").GetProperty("result");
            return result.GetArrayLength() == 0
                ? null
                : double.Parse(result[0].GetProperty("value")[1].GetString()!, CultureInfo.InvariantCulture);
        }
        catch (HttpRequestException)
        {
            return null;
        }
    };

    private BridgeProcess Match(int web, string transport = "grpc") => Folder.Match(
        ["--steps", $"{Steps}", "--rate", "50", "--web", $"127.0.0.1:{web}", "--agent", $"lingerer:Lingerer@{transport}"],
        [("COLLECT", Folder.Path)]);

    private BridgeProcess Scrape(int web, int api)
    {
        var settings = Path.Combine(Folder.Path, "prometheus.yml");
        File.WriteAllText(settings, $"""
            global: {"{"}scrape_interval: 200ms, scrape_timeout: 200ms{"}"}
            scrape_configs:
              - job_name: sc2bridge
                static_configs: [{"{"}targets: ['127.0.0.1:{web}']{"}"}]
            """);
        return BridgeProcess.Start(
            ["prometheus", $"--config.file={settings}", $"--storage.tsdb.path={Folder.Path}/prometheus",
                $"--web.listen-address=127.0.0.1:{api}"]);
    }
}
