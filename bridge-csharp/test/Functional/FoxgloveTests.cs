using System.Text.Json;

namespace Sc2Bridge.Functional.Tests;

/// <summary>npm's @foxglove/ws-protocol reads a live match and a recording from a running bridge.</summary>
[Trait("ThirdParty", "@foxglove/ws-protocol")]
[Trait("Needs", "node")]
[Trait("Suite", "Slow")]
public sealed class FoxgloveTests : MatchFolderTests
{
    [Theory]
    [InlineData("foxglove.sdk.v1", "/")]
    [InlineData("foxglove.websocket.v1", "/v1")]
    public async Task Every_channel_of_a_live_match_is_read(string subProtocol, string path)
    {
        using var match = Folder.Match("--wait", "1", "--rate", "22.4", "--no-recording");
        var heard = (await ClientAsync(match, subProtocol, path, "watch")).Json();
        match.Signal(BridgeProcess.Interrupt);
        await match.EndAsync();
        Heard(heard, 0);
        Assert.Equal(["time"], Texts(heard.GetProperty("info").GetProperty("capabilities")));
        Assert.Empty(heard.GetProperty("states").EnumerateArray());
        Assert.Empty(heard.GetProperty("statuses").EnumerateArray());
    }

    [Theory]
    [InlineData("sample.mcap", "foxglove.sdk.v1")]
    [InlineData("sample.mcap", "foxglove.websocket.v1")]
    [InlineData("perspectives.mcap", "foxglove.sdk.v1")]
    public async Task A_recording_is_read_and_can_be_sought(string file, string subProtocol)
    {
        var recording = Path.Combine(PeerEnvironment.RepositoryRoot, "recordings", file);
        using var replay = Folder.Replay(recording, ["--wait", "1", "--rate", "22.4", "--loop"]);
        var heard = (await ClientAsync(replay, subProtocol, "/", "control")).Json();
        replay.Signal(BridgeProcess.Interrupt);
        await replay.EndAsync();
        Assert.Equal(["time", "playbackControl"], Texts(heard.GetProperty("info").GetProperty("capabilities")));
        if (file == "sample.mcap")
        {
            Heard(heard, 0);
        }
        else
        {
            // Nothing but loops, and no map.
            Assert.All((string[])["/units/0", "/observation/1", "/units/2"], topic =>
                Assert.True(heard.GetProperty("counts").GetProperty(topic).GetInt32() > 0));
        }

        Assert.Equal(1, heard.GetProperty("paused").GetInt32());
        foreach (var move in heard.GetProperty("moves").EnumerateArray())
        {
            // Seeks to the requested loop, or to the next recorded one.
            var (asked, shown) = (Number(move, "asked"), Number(move, "shown"));
            Assert.True(move.GetProperty("seeked").GetBoolean());
            Assert.InRange((long)shown - (long)asked, -45_000_000, 2_000_000_000);
            Assert.Equal(shown, (ulong)Math.Round(move.GetProperty("loop").GetUInt32() * 1e9 / 22.4));
        }

        var on = heard.GetProperty("on");
        Assert.Equal((0, 4f), (on.GetProperty("status").GetInt32(), on.GetProperty("speed").GetSingle()));
        var status = Assert.Single(heard.GetProperty("statuses").EnumerateArray());
        Assert.Contains("speed", status.GetProperty("message").GetString(), StringComparison.Ordinal);
    }

    private static void Heard(JsonElement heard, uint perspective)
    {
        Assert.Equal("sc2bridge", heard.GetProperty("info").GetProperty("name").GetString());
        string[] topics =
        [
            "/step", "/terrain", .. ((string[])["observation", "units", "creep", "visibility"]).Select(kind => $"/{kind}/{perspective}"),
        ];
        Assert.Equal(topics.Order(), heard.GetProperty("channels").EnumerateObject().Select(channel => channel.Name).Order());
        var counts = heard.GetProperty("counts");
        Assert.All(topics, topic => Assert.True(counts.TryGetProperty(topic, out _), $"nothing came on {topic}: {counts}"));
        Assert.All(
            heard.GetProperty("compared").EnumerateObject(), kind => Assert.True(kind.Value.GetInt32() > 0, $"no {kind.Name}"));
        Assert.True(heard.GetProperty("times").GetInt32() > 0);
    }

    private static async Task<PeerResult> ClientAsync(BridgeProcess bridge, string subProtocol, string path, string task)
    {
        var words = (await bridge.LineAsync("WebSocket on")).Split(' ', ',');
        var address = new Uri(words.Single(word => word.StartsWith("ws://", StringComparison.Ordinal)));
        return await PeerEnvironment.RunAsync(
            "node",
            [PeerEnvironment.Script("foxglove", "client.js"), $"ws://{address.Authority}{path}", subProtocol, task],
            new Dictionary<string, string> { ["NODE_PATH"] = PeerEnvironment.NodeModules() },
            Ct);
    }

    private static IEnumerable<string?> Texts(JsonElement list) => list.EnumerateArray().Select(text => text.GetString());

    private static ulong Number(JsonElement of, string name) => ulong.Parse(of.GetProperty(name).GetString()!);
}
