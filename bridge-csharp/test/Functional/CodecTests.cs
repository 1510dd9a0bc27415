using System.Text.Json;

namespace Sc2Bridge.Functional.Tests;

/// <summary><c>sc2bridge codec</c> from its options to its results, on the first few steps of the match.</summary>
public sealed class CodecTests
{
    [Fact]
    public async Task Prints_every_table_and_saves_the_same_as_JSON()
    {
        using var folder = new MatchFolder();
        var file = Path.Combine(folder.Path, "codec.json");
        using var codec = Codec(["--steps", "4", "--json", file, "--python", MatchFolder.Python]);
        var ended = await codec.EndAsync();
        Assert.True(ended.ExitCode == 0, ended.Told);
        Assert.All(
            (string[])["machine  ", "In Python read ", "25 % trimmed mean", "pays below", "group zstd", "runtime   Python 3"],
            words => Assert.Contains(words, ended.Output, StringComparison.Ordinal));

        using var result = JsonDocument.Parse(await File.ReadAllTextAsync(file, Ct));
        var root = result.RootElement;
        Assert.False(root.GetProperty("full").GetBoolean());
        Assert.NotEqual("", root.GetProperty("machine").GetProperty("processor").GetString());
        Assert.Contains("the first 4 of 16,860 steps", root.GetProperty("match").GetString(), StringComparison.Ordinal);

        var codecs = root.GetProperty("codecs").EnumerateArray().ToList();
        foreach (var (language, library) in (ReadOnlySpan<(string, string)>)[
            ("C#", "Google.Protobuf"), ("C#", "JsonFormatter, JsonParser"), ("C#", "ours, wire to JSON to wire"),
            ("Python", "protobuf"), ("Python", "json_format"), ("Python", "json (dicts)")])
        {
            var row = Assert.Single(codecs, row =>
                row.GetProperty("language").GetString() == language && row.GetProperty("library").GetString() == library);
            foreach (var verb in (string[])["write", "read"])
            {
                var times = row.GetProperty(verb);
                Assert.Equal(4, times.GetProperty("steps").GetInt32());
                Assert.InRange(
                    times.GetProperty("mean_ms").GetDouble(),
                    times.GetProperty("min_ms").GetDouble(),
                    times.GetProperty("max_ms").GetDouble());
            }
        }

        Assert.All(
            root.GetProperty("sizes").EnumerateArray(),
            row => Assert.Equal(
                row.GetProperty("mean_bytes").GetDouble() * 8 * 22.4 / 1e6, row.GetProperty("mbit_at22").GetDouble(), 6));
        Assert.All(
            (string[])["sizes", "pythons"], table => Assert.NotEqual(0, root.GetProperty(table).GetArrayLength()));
    }

    [Fact]
    public async Task Measures_the_steps_of_a_recording()
    {
        using var folder = new MatchFolder();
        var file = Path.Combine(folder.Path, "codec.json");
        var sample = Path.Combine(PeerEnvironment.RepositoryRoot, "recordings", "sample.mcap");
        using var codec = Codec(["--recording", sample, "--steps", "3", "--no-peers", "--json", file]);
        var ended = await codec.EndAsync();
        Assert.True(ended.ExitCode == 0, ended.Told);
        using var result = JsonDocument.Parse(await File.ReadAllTextAsync(file, Ct));
        var match = result.RootElement.GetProperty("match").GetString()!;
        Assert.StartsWith("sample.mcap, simulated on ", match, StringComparison.Ordinal);
        Assert.Contains("the first 3 of ", match, StringComparison.Ordinal);
        Assert.All(
            result.RootElement.GetProperty("codecs").EnumerateArray(),
            row => Assert.Equal(3, row.GetProperty("write").GetProperty("steps").GetInt32()));
    }

    [Theory]
    [InlineData("--steps many: write a whole number", "--steps", "many")]
    [InlineData("unknown option '--frobnicate' (sc2bridge codec --help shows the options)", "--frobnicate")]
    [InlineData("leave --steps out", "--full", "--steps", "4")]
    [InlineData("leave one out", "--no-peers", "--python", "python3")]
    [InlineData("name an interpreter that has the sc2bridge package with --python", "--python", "/there/is/none")]
    [InlineData("/there/is/none.mcap cannot be opened", "--recording", "/there/is/none.mcap", "--no-peers")]
    [InlineData("/there/is/none/a.json cannot be written", "--json", "/there/is/none/a.json")]
    public async Task A_wrong_option_is_one_line_that_says_what_to_write(string words, params string[] options)
    {
        using var codec = Codec(options);
        (await codec.EndAsync()).Says(2, "sc2bridge: ", words);
    }

    [Fact]
    public async Task An_empty_result_file_is_deleted()
    {
        using var folder = new MatchFolder();
        var file = Path.Combine(folder.Path, "codec.json");
        using var codec = Codec(["--json", file, "--python", "/there/is/none"]);
        Assert.Equal(2, (await codec.EndAsync()).ExitCode);
        Assert.False(File.Exists(file));
    }

    private static BridgeProcess Codec(IEnumerable<string> options) => BridgeProcess.Start(options.Prepend("codec"));
}
