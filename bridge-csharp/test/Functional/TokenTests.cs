using System.Net.WebSockets;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Sc2Bridge.Recordings;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Functional.Tests;

/// <summary>Which clients may see which side of a match.</summary>
public sealed class TokenTests : MatchFolderTests
{
    private const int Steps = 6;
    private static readonly string[] _match =
        ["--player", "agent:zerg", "--player", "agent:terran", "--steps", $"{Steps}", "--lockstep-deadline", "120"];

    [Theory]
    [InlineData("grpc", "json")]
    [InlineData("proto", "grpc", Traits = ["Suite", "Long"])]
    public async Task An_agent_sees_its_own_side_and_no_other(string first, string second)
    {
        var told = Directory.CreateDirectory(Path.Combine(Folder.Path, "told")).FullName;
        using var match = Folder.Match(
            [.. _match, "--agent", $"1=spy:Spy@{first}", "--agent", $"2=spy:Spy@{second}"], [("COLLECT", told)]);
        await match.LineAsync("gRPC on");
        string[] tokens = [];
        await match.UntilAsync(() => (tokens = TokensOf(match)).Length == 2);
        Assert.NotEqual(tokens[0], tokens[1]);
        Assert.All(match.Alive(), one => Assert.All(tokens, token => Assert.DoesNotContain(token, one.Value, StringComparison.Ordinal)));
        var ended = await match.EndAsync();
        ended.Well();

        // The user needs no token, so no token is printed.
        Assert.All(tokens, token => Assert.DoesNotContain(token, ended.Told, StringComparison.Ordinal));
        string[] expected =
        [
            "own describe 0", "own request 0", "other describe 7", "other request 7", "replay 7",
            .. from key in (string[])["own", "no", "guessed"]
               from way in (string[])["heard", "played"]
               select $"other {way}, {key} token {(key == "own" ? 7 : 16)}",
        ];
        Assert.Equal(expected, await File.ReadAllLinesAsync(Path.Combine(told, $"spy-1-{first}"), Ct));
        Assert.Equal(expected, await File.ReadAllLinesAsync(Path.Combine(told, $"spy-2-{second}"), Ct));

        // Both sides are recorded, and the files contain no token.
        using (var recording = RecordingReader.Open(Path.Combine(Folder.Out, "match.mcap")))
        {
            Assert.Equal([1u, 2], recording.Perspectives);
        }

        foreach (var file in Directory.GetFiles(Folder.Out))
        {
            var content = System.Text.Encoding.Latin1.GetString(await File.ReadAllBytesAsync(file, Ct));
            Assert.All(tokens, token => Assert.DoesNotContain(token, content, StringComparison.Ordinal));
        }
    }

    [Theory]
    [InlineData("sc2bridge.json.v1")]
    [InlineData("sc2bridge.proto.v1", Traits = ["Suite", "Long"])]
    public async Task An_agent_that_the_user_starts_joins_with_the_printed_token(string subProtocol)
    {
        using var match = Folder.Match([.. _match, "--wait", "1"]);
        var ready = await ReadyAsync(match, "player 2's side");
        using (var other = await ConnectAsync(ready, subProtocol))
        {
            await other.SendAsync(new PlayRequest { Subscribe = new SubscribeRequest { Perspective = 1 } });
            var why = await other.FailsAsync(StatusCode.PermissionDenied);
            Assert.Contains("player 2's", why, StringComparison.Ordinal);
        }

        using var agent = await ConnectAsync(ready, subProtocol);
        await agent.SendAsync(new PlayRequest { Subscribe = new SubscribeRequest() });
        Assert.Equal(Enumerable.Repeat(2u, Steps), await HeardAsync(agent));
        (await match.EndAsync()).Well();
    }

    [Fact]
    public async Task With_open_perspectives_any_agent_receives_any_side()
    {
        using var match = Folder.Match([.. _match, "--wait", "1", "--open-perspectives"]);
        using var viewer = await ConnectAsync(await WebAsync(match), "sc2bridge.proto.v1");
        await viewer.SendAsync(new PlayRequest { Subscribe = new SubscribeRequest { Perspective = 2 } });
        Assert.Equal(Enumerable.Repeat(2u, Steps), await HeardAsync(viewer));
        var ended = await match.EndAsync();
        ended.Well();
        Assert.DoesNotContain("SC2BRIDGE_TOKEN=", ended.Told, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Tokens_hold_for_every_game_of_a_series()
    {
        var heard = Directory.CreateDirectory(Path.Combine(Folder.Path, "heard")).FullName;
        using var match = Folder.Match(
            [.. _match, "--games", "2", "--agent", "1=witness:Witness", "--agent", "2=witness:Witness@json"],
            [("COLLECT", heard)]);
        (await match.EndAsync()).Well();
        foreach (var (agent, side) in ((string, string)[])[("witness-1-proto", " 1 "), ("witness-2-json", " 2 ")])
        {
            var lines = await File.ReadAllLinesAsync(Path.Combine(heard, agent), Ct);
            Assert.Equal(2, lines.Count(line => line.StartsWith("end ", StringComparison.Ordinal)));
            Assert.Equal(2 * Steps, lines.Count(line => line.Contains(side, StringComparison.Ordinal)));
        }
    }

    [Fact]
    public async Task One_player_has_nothing_to_hide()
    {
        using var match = Folder.Match(
            "--player", "agent:zerg", "--player", "computer:terran:Easy", "--steps", $"{Steps}", "--wait", "1");
        using var viewer = await ConnectAsync(await WebAsync(match), "sc2bridge.json.v1");
        await viewer.SubscribeAsync();
        Assert.Equal(Enumerable.Repeat(1u, Steps), await HeardAsync(viewer));
        (await match.EndAsync()).Well();
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Beyond_loopback_a_ready_address_with_a_token_is_printed(bool replay)
    {
        string[] everywhere = ["--grpc", "0.0.0.0:0", "--web", "0.0.0.0:0", "--wait", "1"];
        if (replay)
        {
            (await Folder.PlayAsync("--steps", $"{Steps}", "--no-agents")).Well();
        }

        using var match = replay
            ? Folder.Replay(Path.Combine(Folder.Out, "match.mcap"), [.. everywhere, "--no-agents"])
            : Folder.Match([.. everywhere, "--steps", $"{Steps}"]);
        var ready = await ReadyAsync(match, "this bridge");
        foreach (var wrong in (string[])[ready.Split('?')[0], ready + "0"])
        {
            var refused = await Assert.ThrowsAsync<WebSocketException>(() => ConnectAsync(wrong, "sc2bridge.json.v1"));
            Assert.Contains("401", refused.Message, StringComparison.Ordinal);
        }

        using var viewer = await ConnectAsync(ready, "sc2bridge.json.v1");
        await viewer.SubscribeAsync();
        Assert.Equal(Steps, (await HeardAsync(viewer)).Count);
        (await match.EndAsync()).Well();
    }

    [Fact]
    public async Task Insecure_admits_any_client_and_warns()
    {
        using var match = Folder.Match("--web", "0.0.0.0:0", "--steps", $"{Steps}", "--wait", "1", "--insecure");
        Assert.Contains("may watch this match", await match.LineAsync("--insecure: "), StringComparison.Ordinal);
        var url = (await WebAsync(match)).Replace("0.0.0.0", "127.0.0.1", StringComparison.Ordinal);
        using var viewer = await ConnectAsync(url, "sc2bridge.json.v1");
        await viewer.SubscribeAsync();
        Assert.Equal(Steps, (await HeardAsync(viewer)).Count);
        var ended = await match.EndAsync();
        ended.Well();
        Assert.DoesNotContain("SC2BRIDGE_TOKEN=", ended.Told, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_token_in_an_address_is_never_logged()
    {
        const string Known = "a-known-token-0123456789";
        const string Unknown = "an-unknown-token-0123456789";
        using var match = Folder.Match(
            ["--steps", $"{Steps}", "--wait", "1", "--log-level", "trace"], [("SC2BRIDGE_TOKENS", $"watch {Known}")]);
        var url = await WebAsync(match);
        await Assert.ThrowsAsync<WebSocketException>(() => ConnectAsync($"{url}?token={Unknown}", "sc2bridge.json.v1"));
        using var viewer = await ConnectAsync($"{url}?token={Known}", "sc2bridge.json.v1");
        await viewer.SubscribeAsync();
        Assert.Equal(Steps, (await HeardAsync(viewer)).Count);
        (await match.EndAsync()).Well();
        var log = await File.ReadAllTextAsync(Path.Combine(Folder.Out, "bridge.log"), Ct);
        Assert.Contains("Sc2Bridge.Server.Authentication[2004] A request of 127.0.0.1 was refused", log, StringComparison.Ordinal);
        Assert.DoesNotContain(Known, log, StringComparison.Ordinal);
        Assert.DoesNotContain(Unknown, log, StringComparison.Ordinal);
    }

    [Fact]
    public async Task With_a_certificate_made_now_agents_and_others_know_the_bridge_by_its_fingerprint()
    {
        using var match = Folder.Match(
            "--steps", $"{Steps}", "--wait", "1", "--tls-self-signed",
            "--agent", "sc2bridge.agents:Watcher", "--agent", "sc2bridge.agents:Watcher@json");
        var printed = (await match.LineAsync("fingerprint is ")).Split("fingerprint is ")[1].Split(' ')[0];
        using var certificate = X509Certificate2.CreateFromPem(
            await File.ReadAllTextAsync(Path.Combine(Folder.Out, "bridge.pem"), Ct));
        Assert.Equal($"sha256:{certificate.GetCertHashString(HashAlgorithmName.SHA256)}", printed, ignoreCase: true);
        var url = await WebAsync(match);
        Assert.StartsWith("wss://", url, StringComparison.Ordinal);
        await Assert.ThrowsAsync<WebSocketException>(() => ConnectAsync(url, "sc2bridge.json.v1"));
        using var viewer = await ConnectAsync(url, "sc2bridge.json.v1", certificate);
        await viewer.SubscribeAsync();
        Assert.Equal(Steps, (await HeardAsync(viewer)).Count);
        (await match.EndAsync()).Well();
    }

    // The address for browsers, with the token.
    private static async Task<string> ReadyAsync(BridgeProcess match, string whose) =>
        (await match.LineAsync($"For {whose}: ")).Split(", or ")[1];

    private static async Task<string> WebAsync(BridgeProcess match) => (await match.LineAsync("gRPC on")).Split("WebSocket on ")[1].Split(' ')[0].TrimEnd(',', '.');

    // The environment variables of the started agents.
    private static string[] TokensOf(BridgeProcess match) =>
    [
        .. match.Alive().Keys.SelectMany(Environment).Where(one => one.StartsWith("SC2BRIDGE_TOKEN=", StringComparison.Ordinal))
            .Select(one => one.Split('=')[1]).Distinct(),
    ];

    private static string[] Environment(int process)
    {
        try
        {
            return File.ReadAllText($"/proc/{process}/environ").Split('\0');
        }
        catch (IOException)
        {
            // It has ended meanwhile.
            return [];
        }
    }

    private static Task<AgentSocket> ConnectAsync(string url, string subProtocol, X509Certificate2? known = null) =>
        AgentSocket.ConnectAsync(url, subProtocol, options => options.RemoteCertificateValidationCallback =
            (_, shown, _, _) => shown?.GetCertHashString() == known?.GetCertHashString());

    // The perspective of each frame, to the match's end.
    private static async Task<List<uint>> HeardAsync(AgentSocket agent)
    {
        List<uint> heard = [];
        while (await agent.ReceiveAsync() is { } happened)
        {
            Assert.Null(happened.Error);
            if (happened.Frame is { } frame)
            {
                heard.Add(frame.Perspective);
            }
        }

        return heard;
    }
}
