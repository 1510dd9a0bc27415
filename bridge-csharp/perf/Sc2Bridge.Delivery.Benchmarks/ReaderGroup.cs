using System.Text.Json;

namespace Sc2Bridge.Delivery.Benchmarks;

/// <summary>A group of readers in a process of its own.</summary>
internal sealed class ReaderGroup : IAsyncDisposable
{
    private readonly OwnProcess _process;

    private ReaderGroup(OwnProcess process)
    {
        _process = process;
    }

    /// <summary>Starts them and waits until the hub knows them all.</summary>
    public static async Task<ReaderGroup> StartAsync(
        BridgeHost host, int grpc, int web, int frames, CancellationToken ct)
    {
        var process = OwnProcess.Start(
            "readers", "--grpc", host.GrpcAddress, "--grpc-count", $"{grpc}",
            "--web", host.WebAddress, "--web-count", $"{web}", "--count", $"{frames}");
        var group = new ReaderGroup(process);
        group.Result = group.ReadAsync();
        var subscribed = host.Hub.WaitForSubscribersAsync(grpc + web, ct);
        if (await Task.WhenAny(subscribed, group.Result) == group.Result)
        {
            await group.Result;
        }

        return group;
    }

    /// <summary>What they saw, when each has had all its frames; fails as soon as one of them does.</summary>
    public Task<ReadersResult> Result { get; private set; } = null!;

    public ValueTask DisposeAsync() => _process.DisposeAsync();

    private async Task<ReadersResult> ReadAsync() =>
        JsonSerializer.Deserialize<ReadersResult>(await _process.ReadLineAsync(CancellationToken.None))!;
}
