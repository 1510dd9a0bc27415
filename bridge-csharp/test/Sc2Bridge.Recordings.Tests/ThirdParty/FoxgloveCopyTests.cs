using System.Text.Json;

namespace Sc2Bridge.Recordings.Tests.ThirdParty;

/// <summary>A copy for Foxglove has the recording's content, and scenes and grids with Foxglove's schemas.</summary>
[Trait("Suite", "Slow")]
public sealed class FoxgloveCopyTests : IDisposable
{
    private static readonly string _recording = Path.Combine(PeerEnvironment.RepositoryRoot, "recordings", "sample.mcap");

    private readonly string _folder = Directory.CreateTempSubdirectory("sc2bridge-foxglove-").FullName;

    private static string Scripts { get; } =
        Path.Combine(PeerEnvironment.RepositoryRoot, "bridge-csharp", "test", "Sc2Bridge.Recordings.Tests", "ThirdParty");

    private string Copy => Path.Combine(_folder, "copy.mcap");

    [Fact]
    [Trait("ThirdParty", "mcap")]
    [Trait("Needs", "newest")]
    public Task Python_reads_all_of_it() => Holds(PeerEnvironment.NewestPython(), "read_with_mcap.py", []);

    [Fact]
    [Trait("ThirdParty", "@mcap/core")]
    [Trait("Needs", "node")]
    public Task Node_reads_all_of_it() => Holds("node", "read_with_mcap_core.js", Node());

    [Fact]
    [Trait("ThirdParty", "@foxglove/schemas")]
    [Trait("ThirdParty", "@mcap/core")]
    [Trait("Needs", "node")]
    public async Task Its_scenes_and_grids_are_foxgloves()
    {
        FoxgloveCopy.Write(_recording, Copy, Ct);
        var found = await ReadAsync("node", "read_foxglove.js", Node(), Copy);
        Assert.Equal(17, found.GetProperty("schemas").GetInt32());
        var counts = found.GetProperty("counts");
        Assert.Equal(counts.GetProperty("/observation/0").GetInt32(), counts.GetProperty("/units/0").GetInt32());
        Assert.Equal(1, counts.GetProperty("/terrain").GetInt32());
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    private static Dictionary<string, string> Node() => new() { ["NODE_PATH"] = PeerEnvironment.NodeModules() };

    private static async Task<JsonElement> ReadAsync(
        string program, string script, Dictionary<string, string> environment, params string[] files) =>
        (await PeerEnvironment.RunAsync(program, [Path.Combine(Scripts, script), .. files], environment, Ct)).Json();

    private async Task Holds(string program, string script, Dictionary<string, string> environment)
    {
        var added = FoxgloveCopy.Write(_recording, Copy, Ct);
        var found = await ReadAsync(program, script, environment, _recording, Copy);
        foreach (var way in (string[])["indexed", "streamed"])
        {
            var (before, after) = (found[0].GetProperty(way), found[1].GetProperty(way));
            var kept = before.GetProperty("messages");
            foreach (var topic in kept.EnumerateObject())
            {
                Assert.Equal(topic.Value.GetRawText(), after.GetProperty("messages").GetProperty(topic.Name).GetRawText());
            }

            foreach (var part in (string[])["header", "attachments", "metadata"])
            {
                Assert.Equal(before.GetProperty(part).GetRawText(), after.GetProperty(part).GetRawText());
            }

            var derived = after.GetProperty("messages").EnumerateObject().Where(topic => !kept.TryGetProperty(topic.Name, out _))
                .ToDictionary(topic => topic.Name, topic => topic.Value.GetArrayLength());
            Assert.Equal(["/creep/0", "/terrain", "/units/0", "/visibility/0"], derived.Keys.Order());
            Assert.Equal(added, derived.Values.Sum());
            Assert.Equal(before.GetProperty("parsed").GetInt32() + added, after.GetProperty("parsed").GetInt32());
        }
    }
}
