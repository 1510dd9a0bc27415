using System.Text.Json;
using FsCheck;
using FsCheck.Fluent;
using Sc2Bridge.Recordings.Tests.Mcap;

namespace Sc2Bridge.Recordings.Tests.ThirdParty;

/// <summary>Readers of other projects read this project's files completely.</summary>
[Trait("Suite", "Slow")]
public abstract class McapReaderTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("sc2bridge-mcap-").FullName;

    protected abstract Task<PeerResult> ReadAsync(string[] files);

    [Fact]
    public async Task A_recorded_match_is_read_message_by_message()
    {
        var path = Path.Combine(_folder, "match.mcap");
        var match = await RecordedMatch.MakeAsync(path);
        var found = (await ReadAsync([path])).Json()[0];
        match.Contents(found).IsFoundAs(found);
    }

    [Fact]
    public async Task Files_of_anything_are_read_message_by_message()
    {
        var models = Deed.Some().Sample(60, 40).Prepend([]).Select(deeds => FileModel.Write(deeds, 2000)).ToList();
        var paths = models.Select((model, number) =>
        {
            var path = Path.Combine(_folder, $"{number}.mcap");
            File.WriteAllBytes(path, model.File);
            return path;
        }).ToArray();
        var found = (await ReadAsync(paths)).Json();
        Assert.Equal(models.Count, found.GetArrayLength());
        Assert.All(models.Zip(found.EnumerateArray()), pair => Contents.Of(pair.First).IsFoundAs(pair.Second));
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        Directory.Delete(_folder, recursive: true);
        GC.SuppressFinalize(this);
    }

    private protected static string Script(string name) => Path.Combine(
        PeerEnvironment.RepositoryRoot, "bridge-csharp", "test", "Sc2Bridge.Recordings.Tests", "ThirdParty", name);
}

[Trait("ThirdParty", "mcap")]
[Trait("Needs", "newest")]
public sealed class McapPackageTests : McapReaderTests
{
    protected override async Task<PeerResult> ReadAsync(string[] files) => await PeerEnvironment.RunAsync(
        PeerEnvironment.NewestPython(),
        [Script("read_with_mcap.py"), .. files],
        Ct);
}

[Trait("ThirdParty", "@mcap/core")]
[Trait("Needs", "node")]
public sealed class McapCoreTests : McapReaderTests
{
    protected override async Task<PeerResult> ReadAsync(string[] files) => await PeerEnvironment.RunAsync(
        "node",
        [Script("read_with_mcap_core.js"), .. files],
        new Dictionary<string, string>
        {
            ["NODE_PATH"] = PeerEnvironment.NodeModules(),
        },
        Ct);
}
