
namespace Sc2Bridge.Functional.Tests;

/// <summary>
/// Agents that subscribe to columns, over each transport and compressed, read the same values as agents that subscribe to observations.
/// </summary>
public sealed class ColumnsTests : MatchFolderTests
{
    private static readonly string[] _ways =
    [
        "grpc", "grpc+columns", "proto+columns", "json+columns", "grpc+columns+group-zstd", "proto+columns+zstd",
        "json+columns+group-zstd", "json+columns+deflate",
    ];

    [Fact]
    [Trait("Suite", "Quick")]
    public async Task A_match() => await CompareAsync(["--steps", "12", "--step-size", "100"], 12);

    [Fact]
    [Trait("ThirdParty", "real messages")]
    [Trait("Needs", "real")]
    public async Task Real_messages()
    {
        var files = SharedFolder.RealFiles("observation.pb");
        await CompareAsync(["--observations", SharedFolder.Folder("data/real")], files.Count);
    }

    [Theory]
    [InlineData("every", Traits = ["Suite", "Long"])]
    [InlineData("latest")]
    [InlineData("lockstep")]
    public async Task Compressed_frames_are_received_to_the_end_under_every_policy(string policy)
    {
        var ended = await Folder.PlayAsync(
            "--steps", "150", "--policy", policy,
            "--agent", "sc2bridge.agents:Watcher@grpc+group-zstd",
            "--agent", "sc2bridge.agents:Watcher@json+group-zstd",
            "--agent", "sc2bridge.agents:Watcher@proto+zstd");
        ended.Well();
        Folder.Steps().Complete(150);
        Assert.Equal(3, ended.Told.Split("-149, ").Length - 1);
    }

    private async Task CompareAsync(string[] options, int steps)
    {
        var heard = Directory.CreateDirectory(Path.Combine(Folder.Path, "heard")).FullName;
        using var match = Folder.Match(
            [.. options, .. _ways.SelectMany(way => (string[])["--agent", $"tabulator:Tabulator@{way}"])],
            [("COLLECT", heard)]);
        (await match.EndAsync()).Well();

        var plain = await ReadAsync(heard, 0);
        Assert.True(plain.Length >= steps, $"{plain.Length} of {steps} steps were heard");
        Assert.All(plain, text => Assert.True(text.Length > 10_000));
        for (var number = 1; number < _ways.Length; number++)
        {
            var columns = await ReadAsync(heard, number);
            Assert.Equal(plain.Length, columns.Length);
            for (var step = 0; step < plain.Length; step++)
            {
                Assert.True(
                    plain[step].AsSpan().SequenceEqual(columns[step]), $"step {step} differs over {_ways[number]}");
            }
        }
    }

    private static async Task<byte[][]> ReadAsync(string heard, int number)
    {
        var folder = Path.Combine(heard, $"tabulator-{number + 1}-{_ways[number]}");
        var files = Directory.GetFiles(folder).Order(StringComparer.Ordinal);
        return await Task.WhenAll(files.Select(file => File.ReadAllBytesAsync(file, Ct)));
    }
}
