
namespace Sc2Bridge.Server.Tests;

/// <summary>Node's client.</summary>
[Trait("ThirdParty", "grpc-js")]
[Trait("Needs", "node")]
public sealed class GrpcJsTests : GrpcPeerTests
{
    private string _modules = "";

    /// <inheritdoc/>
    protected override void Prepare() => _modules = PeerEnvironment.NodeModules();

    /// <inheritdoc/>
    protected override Task<PeerResult> StartAsync(string address, string descriptors, string scenario) =>
        PeerEnvironment.RunAsync(
            "node",
            [PeerEnvironment.Script("grpc", "client.js"), address, descriptors, scenario],
            new Dictionary<string, string> { ["NODE_PATH"] = _modules },
            Ct);
}
