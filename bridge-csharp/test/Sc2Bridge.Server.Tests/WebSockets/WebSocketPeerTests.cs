using System.Security.Cryptography;
using System.Text.Json;

namespace Sc2Bridge.Server.Tests;

/// <summary>Sends real messages to the libraries that agents use. Binary must be byte-equal, and JSON equal after parsing.</summary>
internal static class WebSocketPeers
{
    public static TheoryData<string, bool> Ways => new()
    {
        { "sc2bridge.proto.v1", false },
        { "sc2bridge.proto.v1", true },
        { "sc2bridge.json.v1", false },
        { "sc2bridge.json.v1", true },
    };

    public static async Task FollowsAsync(
        string executable, string script, string subProtocol, bool deflate, string? nodeModules = null)
    {
        var observations = Observations.AtHand();
        await using var match = await WebSocketMatch.StartAsync(deflate);
        using var ended = CancellationTokenSource.CreateLinkedTokenSource(Ct);
        var peer = PeerEnvironment.RunAsync(
            executable,
            [
                PeerEnvironment.Script("websocket", script), PeerEnvironment.DescriptorSetFile(), match.Url, subProtocol,
                deflate ? "deflate" : "plain",
            ],
            nodeModules is null ? null : new Dictionary<string, string> { ["NODE_PATH"] = nodeModules },
            ended.Token);
        var subscribed = match.Hub.WaitForSubscribersAsync(1, ended.Token);
        if (await Task.WhenAny(peer, subscribed) == peer)
        {
            (await peer).Json();
            Assert.Fail("The peer ended without subscribing.");
        }

        foreach (var (_, bytes) in observations)
        {
            await match.PublishAsync(bytes);
            await match.Hub.Publisher.SendActionsAsync(WebSocketMatch.Side, Ct);
        }

        match.End();
        Assert.Equal(
            Enumerable.Range(0, observations.Count).Select(step => (1ul << 40) + (ulong)step),
            match.Acted.Select(acted => acted.Actions.Single().ActionRaw.UnitCommand.UnitTags.Single()));
        Check((await peer).Json(), observations, subProtocol.Contains("json", StringComparison.Ordinal), deflate);
    }

    private static void Check(JsonElement said, IReadOnlyList<(string Name, byte[] Bytes)> observations, bool isJson, bool deflate)
    {
        Assert.Equal(1000, said.GetProperty("code").GetInt32());
        Assert.Equal(deflate, said.GetProperty("compressed").GetBoolean());
        var other = said.GetProperty("other").EnumerateArray().Select(kind => kind.GetString()!.Replace("_", "", StringComparison.Ordinal));
        Assert.Equal(
            ["clock", "describe", "subscribe", "actionsoutcome", "matchend"],
            other.Select(kind => kind.ToLowerInvariant()));
        var frames = said.GetProperty("frames").EnumerateArray().ToList();
        Assert.Equal(observations.Count, frames.Count);
        for (var i = 0; i < observations.Count; i++)
        {
            var bytes = observations[i].Bytes;
            Assert.Equal(i, frames[i].GetProperty("step").GetInt32());
            Assert.Equal(
                i == 0 ? [] : [1],
                frames[i].GetProperty("outcomes").EnumerateArray().Select(result => result.GetInt32()));
            if (!isJson)
            {
                Assert.Equal(Convert.ToHexStringLower(SHA256.HashData(bytes)), frames[i].GetProperty("tail").GetString());
            }
            else if (frames[i].TryGetProperty("observation", out var observation))
            {
                // Python serializes the parsed text deterministically, in field order. The game and C# also use field order.
                var written = SC2APIProtocol.ResponseObservation.Parser.ParseFrom(bytes);
                Assert.Equal(
                    Convert.ToHexStringLower(SHA256.HashData(Google.Protobuf.MessageExtensions.ToByteArray(written))),
                    observation.GetString());
            }
        }
    }
}

/// <summary>Python's <c>websockets</c>: the distribution's version and the newest.</summary>
[Trait("ThirdParty", "websockets")]
[Trait("ThirdParty", "real messages")]
[Trait("Suite", "Slow")]
public sealed class PythonWebSocketsTests
{
    public static TheoryData<string, bool> Ways => WebSocketPeers.Ways;

    [Theory]
    [Trait("Needs", "debian")]
    [MemberData(nameof(Ways))]
    public async Task The_distributions_asyncio_client(string subProtocol, bool deflate) =>
        await WebSocketPeers.FollowsAsync(PeerEnvironment.DebianPython(), "asyncio_client.py", subProtocol, deflate);

    [Theory]
    [Trait("Needs", "newest")]
    [MemberData(nameof(Ways))]
    public async Task The_newest_asyncio_client(string subProtocol, bool deflate) =>
        await WebSocketPeers.FollowsAsync(PeerEnvironment.NewestPython(), "asyncio_client.py", subProtocol, deflate);

    [Theory]
    [Trait("Needs", "newest")]
    [MemberData(nameof(Ways))]
    public async Task The_newest_sync_client(string subProtocol, bool deflate) =>
        await WebSocketPeers.FollowsAsync(PeerEnvironment.NewestPython(), "sync_client.py", subProtocol, deflate);
}

/// <summary>Node's <c>ws</c>.</summary>
[Trait("ThirdParty", "ws")]
[Trait("Needs", "node")]
[Trait("ThirdParty", "real messages")]
[Trait("Suite", "Slow")]
public sealed class NodeWsTests
{
    public static TheoryData<string, bool> Ways => WebSocketPeers.Ways;

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task The_newest_client(string subProtocol, bool deflate) => await WebSocketPeers.FollowsAsync(
        "node", "node_client.js", subProtocol, deflate, PeerEnvironment.NodeModules());
}
