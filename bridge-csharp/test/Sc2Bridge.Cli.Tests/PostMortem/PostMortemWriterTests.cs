namespace Sc2Bridge.Cli.Tests;

/// <summary>The files of a post-mortem.</summary>
public sealed class PostMortemWriterTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("sc2bridge-post-mortem-").FullName;

    [Fact]
    public void A_report_with_many_long_lines_keeps_the_newest_and_stays_small()
    {
        string[] lines = [.. Enumerable.Range(0, 200).Select(number => $"{number} {new string('é', 2000)}")];
        var facts = new EndFacts { Agents = [.. Enumerable.Range(0, 16).Select(number => new AgentFacts($"a{number}", 1, false, lines, lines))] };
        Write(facts, CancellationToken.None);
        var file = Path.Combine(_folder, "post-mortem.json");
        Assert.InRange(new FileInfo(file).Length, 1, 1_000_000);
        Assert.Contains("\"199 ", File.ReadAllText(file), StringComparison.Ordinal);
        Assert.InRange(Directory.EnumerateFiles(_folder).Sum(one => new FileInfo(one).Length), 1, 6_000_000);
    }

    [Fact]
    public void After_the_time_limit_the_report_lacks_only_the_recording()
    {
        File.WriteAllText(Path.Combine(_folder, "match.mcap"), "");
        Write(new EndFacts { IsBridgeKilled = true }, new CancellationToken(canceled: true));
        var json = File.ReadAllText(Path.Combine(_folder, "post-mortem.json"));
        Assert.StartsWith("{\n  \"version\": 1,\n  \"cause\": {\n    \"kind\": \"bridge_killed\"", json, StringComparison.Ordinal);
        Assert.DoesNotContain("\r", json, StringComparison.Ordinal);
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    private void Write(EndFacts facts, CancellationToken ct) => new PostMortemWriter(
        _folder, Path.Combine(_folder, "match.mcap"), Path.Combine(_folder, "bridge.log"), new AnonymousText("/home/ann", "ann", isWindows: false, []))
        .Write(facts, "", ct);
}
