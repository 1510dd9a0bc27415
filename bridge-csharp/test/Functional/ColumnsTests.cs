
namespace Sc2Bridge.Functional.Tests;

/// <summary>
/// Agents that subscribe to columns, over each transport and compressed, read what others read of plain observations.
/// </summary>
public sealed class ColumnsTests
{
    private static readonly string[] _ways =
    [
        "grpc", "grpc+columns", "proto+columns", "json+columns", "grpc+columns+group-zstd", "proto+columns+zstd",
        "json+columns+group-zstd", "json+columns+deflate",
    ];

    [Fact]
    [Trait("Suite", "Quick")]
    public async Task A_match() => await CompareAsync(["--steps", "30", "--step-size", "40"], 30);

    [Fact]
    [Trait("ThirdParty", "real messages")]
    [Trait("Needs", "real")]
    public async Task Real_messages()
    {
        var files = SharedFolder.RealFiles("observation.pb");
        await CompareAsync(
            ["--observations", SharedFolder.Folder("data/real")], files.Count);
    }

    private static async Task CompareAsync(string[] options, int steps)
    {
        using var folder = new MatchFolder();
        var heard = Directory.CreateDirectory(Path.Combine(folder.Path, "heard")).FullName;
        using var match = folder.Match(
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
        return await Task.WhenAll(
            files.Select(file => File.ReadAllBytesAsync(file, TestContext.Current.CancellationToken)));
    }
}
