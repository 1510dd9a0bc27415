namespace Sc2Bridge.Functional.Tests;

/// <summary>Compression as a person asks for it, and a machine where it cannot be had.</summary>
public sealed class CompressionTests : IDisposable
{
    private readonly MatchFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task Without_libzstd_who_asks_for_it_is_told_what_to_install()
    {
        using var match = _folder.Match(
            ["--steps", "20", "--agent", "sc2bridge.agents:Watcher@grpc+group-zstd"],
            [("SC2BRIDGE_LIBZSTD", "/nowhere/libzstd.so.1")]);
        var ended = await match.EndAsync();
        ended.Says(
            1, "agent watcher-1-grpc+group-zstd ended with exit code 1 before the match began: see its lines above");
        Assert.Contains(
            "this bridge cannot compress with zstd: there is no libzstd at /nowhere/libzstd.so.1",
            ended.Output,
            StringComparison.Ordinal);
        Assert.Contains("Debian and Ubuntu: libzstd1", ended.Output, StringComparison.Ordinal);
        Assert.Contains("COMPRESSION_NONE", ended.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Without_libzstd_everybody_else_hears_the_match()
    {
        using var match = _folder.Match(
            [
                "--steps", "20", "--deflate", "--agent", "sc2bridge.agents:Watcher",
                "--agent", "sc2bridge.agents:Watcher@grpc+deflate", "--agent", "sc2bridge.agents:Watcher@json+deflate",
            ],
            [("SC2BRIDGE_LIBZSTD", "/nowhere/libzstd.so.1")]);
        var ended = await match.EndAsync();
        ended.Well();
        Assert.Equal(3, ended.Output.Split("20 frames, loops 0-19").Length - 1);
    }

    [Theory]
    [InlineData("every")]
    [InlineData("latest")]
    [InlineData("lockstep")]
    public async Task Compressed_frames_are_heard_to_the_end_under_every_policy(string policy)
    {
        var ended = await _folder.PlayAsync(
            "--steps", "150", "--policy", policy,
            "--agent", "sc2bridge.agents:Watcher@grpc+group-zstd",
            "--agent", "sc2bridge.agents:Watcher@json+group-zstd",
            "--agent", "sc2bridge.agents:Watcher@proto+zstd");
        ended.Well();
        _folder.Steps().Complete(150);
        Assert.Equal(3, ended.Output.Split("-149, ").Length - 1);
    }
}
