using System.Text.Json;

namespace Sc2Bridge.Functional.Tests;

/// <summary>
/// The files of each release, in recordings/release-VERSION: the present program writes the same columns and keys, and the same tables.
/// </summary>
public sealed class ReleaseFilesTests : MatchFolderTests
{
    /// <summary>The releases whose files are kept.</summary>
    public static TheoryData<string> Releases =>
        [.. Directory.GetDirectories(Path.Combine(PeerEnvironment.RepositoryRoot, "recordings"), "release-*").Select(folder => Path.GetFileName(folder)).Order()];

    [Theory]
    [MemberData(nameof(Releases))]
    [Trait("ThirdParty", "DuckDB")]
    [Trait("Needs", "node")]
    public async Task The_tables_of_a_recording_keep_their_columns_and_rows(string release)
    {
        using var export = BridgeProcess.Start([.. BridgeProcess.Program, "export", $"{FolderOf(release)}.mcap", "--parquet", Folder.Path]);
        (await export.EndAsync()).Well();
        string[] words =
        [
            Path.Combine(PeerEnvironment.RepositoryRoot, "bridge-csharp", "test", "Functional", "compare_tables.js"),
            Path.Combine(FolderOf(release), "tables"), Path.Combine(Folder.Path, $"match={release}"),
        ];
        var compared = (await PeerEnvironment.RunAsync(
            "node", words, new Dictionary<string, string> { ["NODE_PATH"] = PeerEnvironment.NodeModules() }, Ct)).Json();
        Assert.True(compared.GetProperty("tables").GetInt32() >= 11);
        Assert.Empty(compared.GetProperty("differences").EnumerateArray());
    }

    [Theory]
    [MemberData(nameof(Releases))]
    public async Task The_logs_and_the_summary_keep_their_columns_and_keys(string release)
    {
        (await Folder.PlayAsync("--steps", "20", "--codec-log", "full", "--agent", "sc2bridge.agents:Watcher")).Well();
        foreach (var log in new[] { "steps.csv", "agents.csv" })
        {
            var (kept, now) = (await HeaderAsync(Path.Combine(FolderOf(release), log)), await HeaderAsync(Path.Combine(Folder.Out, log)));
            Assert.Equal(kept, now.Take(kept.Length));
        }

        Assert.Empty(MissingKeys(await ReadAsync(FolderOf(release)), await ReadAsync(Folder.Out), ""));
    }

    private static string FolderOf(string release) => Path.Combine(PeerEnvironment.RepositoryRoot, "recordings", release);

    private static async Task<string[]> HeaderAsync(string file) => (await File.ReadAllLinesAsync(file, Ct))[0].Split(',');

    private static async Task<JsonElement> ReadAsync(string folder) =>
        JsonDocument.Parse(await File.ReadAllTextAsync(Path.Combine(folder, "summary.json"), Ct)).RootElement;

    // The first item of a list has the keys of all items.
    private static IEnumerable<string> MissingKeys(JsonElement kept, JsonElement now, string path) => (kept.ValueKind, now.ValueKind) switch
    {
        (JsonValueKind.Object, JsonValueKind.Object) => kept.EnumerateObject().SelectMany(property =>
            now.TryGetProperty(property.Name, out var value) ? MissingKeys(property.Value, value, $"{path}.{property.Name}") : [$"{path}.{property.Name}"]),
        (JsonValueKind.Array, JsonValueKind.Array) when kept.GetArrayLength() > 0 =>
            now.GetArrayLength() > 0 ? MissingKeys(kept[0], now[0], $"{path}[]") : [$"{path} is empty"],
        _ => kept.ValueKind == now.ValueKind ? [] : [$"{path} is {now.ValueKind}"],
    };
}
