
namespace Sc2Bridge.Server.Tests;

/// <summary>Node's client.</summary>
[Trait("ThirdParty", "grpc-js")]
public sealed class GrpcJsTests : GrpcPeerTests
{
    private string _modules = "";

    /// <inheritdoc/>
    protected override async Task PrepareAsync() =>
        _modules = await PeerEnvironment.NodeModulesAsync("@grpc/grpc-js", "@grpc/proto-loader");

    /// <inheritdoc/>
    protected override Task<PeerResult> StartAsync(string address, string descriptors, string scenario) =>
        PeerEnvironment.RunAsync(
            "node",
            [PeerEnvironment.Script("grpc", "client.js"), address, descriptors, scenario],
            new Dictionary<string, string> { ["NODE_PATH"] = _modules },
            ServedMatch.Token);
}
