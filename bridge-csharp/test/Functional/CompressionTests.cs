namespace Sc2Bridge.Functional.Tests;

/// <summary>Compression as a person asks for it.</summary>
public sealed class CompressionTests : IDisposable
{
    private readonly MatchFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData("every")]
    [InlineData("latest")]
    [InlineData("lockstep")]
    public async Task Compressed_frames_are_received_to_the_end_under_every_policy(string policy)
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
