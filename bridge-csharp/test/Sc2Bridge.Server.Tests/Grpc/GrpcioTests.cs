
namespace Sc2Bridge.Server.Tests;

/// <summary>Scenarios only for grpcio.</summary>
public abstract class GrpcioTests : GrpcPeerTests
{
    private string _python = "";

    [Fact]
    public async Task Compressed_requests_are_read_or_refused_with_what_is_read()
    {
        await using var match = await ServedMatch.StartAsync();
        var found = await RunAsync(match, "compressed-request");

        // The hub has no such match, so it did read the message.
        Assert.Equal("NOT_FOUND", found.GetProperty("gzip").GetString());
        Assert.Equal("UNIMPLEMENTED", Texts(found, "deflate")[0]);
        Assert.Contains("Supported encodings: identity, gzip", Texts(found, "deflate")[1], StringComparison.Ordinal);
    }

    /// <inheritdoc/>
    protected override void Prepare() => _python = Python();

    /// <inheritdoc/>
    protected override Task<PeerResult> StartAsync(string address, string descriptors, string scenario) =>
        PeerEnvironment.RunAsync(
            _python, [PeerEnvironment.Script("grpc", "client.py"), address, descriptors, scenario], Ct);

    /// <summary>The Python to run.</summary>
    protected abstract string Python();
}

/// <summary>The distribution's grpcio.</summary>
[Trait("ThirdParty", "grpcio")]
[Trait("Needs", "debian")]
public sealed class GrpcioOfDebianTests : GrpcioTests
{
    /// <inheritdoc/>
    protected override string Python() => PeerEnvironment.DebianPython();
}

/// <summary>The newest grpcio.</summary>
[Trait("ThirdParty", "grpcio")]
[Trait("Needs", "newest")]
public sealed class GrpcioNewestTests : GrpcioTests
{
    /// <inheritdoc/>
    protected override string Python() => PeerEnvironment.NewestPython();
}
