using FsCheck;
using FsCheck.Fluent;
using Google.Protobuf;
using Sc2Bridge.Encodings;
using Sc2Bridge.Server;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Server.Tests;

/// <summary>A match whose sides are kept apart, over the WebSocket.</summary>
public sealed class WebSocketKeyTests
{
    private readonly SideKeys _keys = SideKeys.For([0, WebSocketMatch.Side]);

    private string Key => _keys.Of(WebSocketMatch.Side);

    [Theory]
    [InlineData("sc2bridge.v1.json")]
    [InlineData("sc2bridge.v1.proto")]
    public async Task A_key_opens_its_side_for_the_whole_connection(string subProtocol)
    {
        await using var match = await WebSocketMatch.StartAsync(_keys);
        using var agent = await match.ConnectAsync(subProtocol);
        await agent.SendAsync(new AgentMessage { Subscribe = new SubscribeRequest { Key = Key } });
        await match.Hub.WaitForSubscribersAsync(1, WebSocketMatch.Token);
        await agent.SendAsync(Asking(WebSocketMatch.Side, 5));
        Assert.Equal(5u, (await agent.ReceiveAsync())?.Response.Tag);
        await agent.SendAsync(new AgentMessage { Describe = new DescribeRequest() });
        Assert.NotNull((await agent.ReceiveAsync())?.Description.GameInfo);
        await agent.SendAsync(new AgentMessage
        {
            Request = new GameRequest
            {
                Key = _keys.Of(0),
                Perspective = WebSocketMatch.Side,
                Tag = 6,
                Request = new() { Query = new() },
            },
        });
        var refused = (await agent.ReceiveAsync())?.Error;
        Assert.Equal((StatusCode.PermissionDenied, 6u, false), (refused!.Code, refused.Tag, refused.Fatal));
        await match.PublishAsync(WebSocketMatch.Observation(0).ToByteArray());
        Assert.Equal(WebSocketMatch.Side, (await agent.ReceiveAsync())?.Frame.Perspective);
    }

    [Theory]
    [InlineData("sc2bridge.v1.json")]
    [InlineData("sc2bridge.v1.proto")]
    public async Task Other_sides_are_refused_with_one_error(string subProtocol)
    {
        await using var match = await WebSocketMatch.StartAsync(_keys);
        foreach (var wrong in (SubscribeRequest[])
            [
                new(), new() { Key = "guessed" }, new() { Key = Key, Perspective = 0 },
                new() { Perspective = WebSocketMatch.Side },
            ])
        {
            using var agent = await match.ConnectAsync(subProtocol);
            await agent.SendAsync(new AgentMessage { Subscribe = wrong });
            var why = await agent.FailsAsync(StatusCode.PermissionDenied);
            Assert.Contains("--open-perspectives", why, StringComparison.Ordinal);
        }

        using var asker = await match.ConnectAsync(subProtocol);
        await asker.SendAsync(Asking(WebSocketMatch.Side, 7));
        Assert.Equal(StatusCode.PermissionDenied, (await asker.ReceiveAsync())?.Error.Code);
        await asker.SendAsync(new AgentMessage { Describe = new DescribeRequest() });
        Assert.Equal(StatusCode.PermissionDenied, (await asker.ReceiveAsync())?.Error.Code);
        await asker.SendAsync(new AgentMessage { Describe = new DescribeRequest { WithoutGameInfo = true } });
        Assert.Null((await asker.ReceiveAsync())?.Description.GameInfo);
        Assert.Empty(match.Hub.Subscribers);
    }

    [Fact]
    public async Task Whatever_stands_where_a_key_does_opens_nothing_and_is_not_repeated()
    {
        await using var match = await WebSocketMatch.StartAsync(_keys);
        var texts = ArbMap.Default.GeneratorFor<string>().Select(text => System.Text.Encoding.UTF8.GetBytes(
            new AgentMessage { Subscribe = new SubscribeRequest { Key = text ?? "" } }.ToString()));
        var cut = Gen.Choose(0, 200).SelectMany(at => Gen.Choose(0, 255), (at, with) => Damaged(at, (byte)with));
        Prop.ForAll(Gen.OneOf(texts, cut).ToArbitrary(), message =>
        {
            foreach (var form in (SubProtocol[])[SubProtocol.Json, SubProtocol.Proto])
            {
                try
                {
                    var read = form.Read(message);
                    if (read.Subscribe is not { } asked || asked.Key == Key)
                    {
                        continue;
                    }

                    match.Hub.Subscribe(asked, new SubscriberInfo("test", DeliverInline: false)).Dispose();
                    return false;
                }
                catch (Exception refused) when (refused is EncodingException or RequestRefusedException)
                {
                    Assert.DoesNotContain(Key, refused.Message, StringComparison.Ordinal);
                }
            }

            return true;
        }).QuickCheckThrowOnFailure();
    }

    // A subscription with the right key, one byte of which is another.
    private byte[] Damaged(int at, byte with)
    {
        var whole = new AgentMessage { Subscribe = new SubscribeRequest { Key = Key } };
        var bytes = at % 2 == 0 ? whole.ToByteArray() : System.Text.Encoding.UTF8.GetBytes(whole.ToString());
        bytes[at % bytes.Length] = with;
        return bytes;
    }

    private static AgentMessage Asking(uint perspective, uint tag) => new()
    {
        Request = new GameRequest { Perspective = perspective, Tag = tag, Request = new() { Query = new() } },
    };
}
